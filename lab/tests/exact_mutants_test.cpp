// Shows that the cases for the exact matchers find faults: each matcher here has one, of a kind that such algorithms
// easily have.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "lab/matchers/cpu_matchers.hpp"
#include "lab/matchers/exact/brute_force.hpp"
#include "lab/tests/exact_check.hpp"

using namespace trawl;
using namespace trawl::matchers;

namespace {

enum Fault : unsigned {
  misses_last_window,
  misses_first_window,
  begins_at_stretch,
  emits_begin,
  emits_twice,
  emits_earlier_ends,
  compares_64,
  skips_last_letter,
  skips_first_letter,
  index_of_8_bits,
  letters_of_7_bits,
  no_overlaps,
  no_overlaps_of_half,
  nothing_if_short,
  hashes_only,  // 16 bits of Karp and Rabin's, and no comparison
  kFaults,
  reads_before,
  reads_after
};

// Brute force with a fault.
template <unsigned kFault>
struct FaultyBruteForce {
  static constexpr MatcherFacts kFacts = {.name = "faulty", .code = "faulty"};
  using Table = BruteForce::Table;

  static bool occurs(const Pattern& p, const HostText& text, std::uint64_t window) {
    const std::uint32_t m = p.m;
    switch (kFault) {
      case compares_64:
        return p.agrees(text, window, 0, std::min(m, 64u));
      case skips_last_letter:
        return p.agrees(text, window, 0, std::max(1u, m - 1));
      case skips_first_letter:
        return p.agrees(text, window, std::min(1u, m - 1), m);
      case index_of_8_bits:
        return p.agrees(text, window, 0, std::min(m, 255u));
      case letters_of_7_bits:
        for (std::uint32_t i = 0; i < m; ++i) {
          if ((text[window + i] & 127) != (p[i] & 127)) return false;
        }
        return true;
      case hashes_only: {
        std::uint16_t there = 0, here = 0;
        for (std::uint32_t i = 0; i < m; ++i) {
          there = static_cast<std::uint16_t>(2 * there + p[i]);
          here = static_cast<std::uint16_t>(2 * here + text[window + i]);
        }
        return there == here;
      }
      default:
        return p.occurs(text, window);
    }
  }

  template <class Emit>
  static void scan(const Table& table, const HostText& text, std::uint64_t begin, std::uint64_t end, Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    if (kFault == nothing_if_short && m < 3) {
      return;
    }
    std::uint64_t window = kFault == begins_at_stretch ? begin : first_window(begin, m);
    window += kFault == misses_first_window ? 1 : 0;
    const std::uint64_t last = kFault == misses_last_window ? m + 1 : m;
    while (window + last <= end) {
      std::uint64_t shift = 1;
      if (occurs(table.pattern, text, window)) {
        emit(kFault == emits_begin ? window : window + m - 1);
        if (kFault == emits_twice) {
          emit(window + m - 1);
        }
        shift = kFault == no_overlaps ? m : kFault == no_overlaps_of_half ? (m + 1) / 2 : 1;
      }
      window += shift;
    }
    if (kFault == emits_earlier_ends && begin > 0 && begin >= m && occurs(table.pattern, text, begin - m)) {
      emit(begin - 1);
    }
    if (kFault == reads_before || kFault == reads_after) {
      const volatile unsigned char read = text[kFault == reads_after ? end : begin - 1];
      static_cast<void>(read);
    }
  }
};

// Horspool's with a fault in the shift: of a letter that occurs twice, it takes the first place.
struct WrongShift {
  static constexpr MatcherFacts kFacts = {.name = "wrong-shift", .code = "wrong-shift"};
  struct Table {
    std::uint16_t shifts[256];
    Pattern pattern;
  };
  static void prepare(std::string_view pattern, Table& table) {
    std::fill(std::begin(table.shifts), std::end(table.shifts), static_cast<std::uint16_t>(pattern.size()));
    for (std::size_t i = pattern.size() - 1; i-- > 0;) {
      table.shifts[static_cast<unsigned char>(pattern[i])] = static_cast<std::uint16_t>(pattern.size() - 1 - i);
    }
    table.pattern.set(pattern);
  }
  template <class Emit>
  static void scan(const Table& table, const HostText& text, std::uint64_t begin, std::uint64_t end, Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    for (std::uint64_t window = first_window(begin, m); window + m <= end;
         window += table.shifts[text[window + m - 1]]) {
      if (table.pattern.occurs(text, window)) {
        emit(window + m - 1);
      }
    }
  }
};

template <class Matcher>
std::string fault_found() {
  const auto faults = tests::exact_faults({matchers::internal::cpu_matcher<Matcher>()}, 1);
  return faults.empty() ? "" : faults.begin()->second;
}

template <unsigned... kFault>
void require_all_found(std::integer_sequence<unsigned, kFault...>) {
  const std::string found[] = {fault_found<FaultyBruteForce<kFault>>()...};
  for (unsigned fault = 0; fault < kFaults; ++fault) {
    CAPTURE(fault);
    REQUIRE(found[fault] != "");
  }
}

// Whether the matcher crashes in another process.
template <class Matcher>
bool crashes() {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    const std::string text(4096, 'a');
    const tests::GuardedText guarded(text, tests::GuardedText::At::end);
    const tests::GuardedText guarded_before(text, tests::GuardedText::At::begin);
    matchers::internal::run_on_cpu<Matcher>(guarded.view(), {.pattern = "aab"}, {});
    matchers::internal::run_on_cpu<Matcher>(guarded_before.view(), {.pattern = "aab"}, {});
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace

TEST_CASE("the cases for exact matchers find planted faults", "[matchers]") {
  require_all_found(std::make_integer_sequence<unsigned, kFaults>());
  REQUIRE(fault_found<WrongShift>() != "");
  REQUIRE(fault_found<BruteForce>() == "");
  REQUIRE(fault_found<FaultyBruteForce<kFaults>>() == "");
}

TEST_CASE("a read outside the text is found", "[matchers]") {
  REQUIRE(crashes<FaultyBruteForce<reads_after>>());
  REQUIRE(crashes<FaultyBruteForce<reads_before>>());
  REQUIRE_FALSE(crashes<BruteForce>());
}
