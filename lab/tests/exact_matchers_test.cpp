// Every exact matcher of lab/matchers/list.txt, on every length and text of lab/tests/exact_cases.hpp, and what drives
// them on the CPU. Matchers with planted faults show that these cases find faults.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "lab/matchers/cpu_matchers.hpp"
#include "lab/matchers/exact/brute_force.hpp"
#include "lab/matchers/packed/place_filter.hpp"
#include "lab/tests/exact_cases.hpp"
#include "tests/catch.hpp"
#include "tests/guarded_text.hpp"
#include "tests/on_all_targets.hpp"

using namespace trawl;
using namespace trawl::matchers;
using matchers::internal::EndSink;
using tests::ExactCase;
using tests::GuardedText;

namespace {

// All of the list, or the one whose code or name is the value of the environment variable TRAWL_MATCHER.
std::vector<CpuMatcher> exact_matchers() {
  const char* const only = std::getenv("TRAWL_MATCHER");
  std::vector<CpuMatcher> exact = cpu_matchers();
  std::erase_if(exact, [&](const CpuMatcher& matcher) {
    return only != nullptr && matcher.facts->code != std::string(only) && matcher.facts->name != std::string(only);
  });
  INFO("TRAWL_MATCHER must be the code or the name of an exact matcher of list.txt");
  REQUIRE(!exact.empty());
  return exact;
}

// What is wrong with the matcher's results, as far as known; empty if nothing is. Four runs: with one stretch twice,
// with short ones, and on all threads (in every fourth turn only, because on a busy machine this takes long). A read
// outside the text ends the test.
std::string fault_of(const CpuMatcher& matcher, const ExactCase& c, const GuardedText& at_begin,
                     const GuardedText& at_end, unsigned turn) {
  tests::RandomCases random(turn);
  const std::size_t m = c.pattern.size();
  const std::uint64_t shortest = m > 130 ? 64 : 1;  // m - 1 characters are read before each stretch
  const std::uint64_t lengths[] = {1, 2, 7, 8, 64, m, m + 1, random.number(1, 100)};
  const std::uint64_t stretch = std::max(shortest, lengths[random.number(0, std::size(lengths) - 1)]);
  const struct {
    const GuardedText& text;
    CpuWork how;
  } runs[] = {{at_end, {}},
              {at_begin, {}},
              {random.chance(0.5) ? at_end : at_begin, {.stretch = stretch}},
              {random.chance(0.5) ? at_end : at_begin,
               {.all_threads = turn / 4 % 4 == 0, .stretch = random.number(shortest, shortest + 300)}}};
  for (const auto& [text, how] : runs) {
    std::string fault;
    try {
      fault = tests::fault_of(matcher.run(text.view(), c.pattern, how).list, c.ends);
    } catch (const std::exception& e) {
      fault = e.what();
    }
    if (!fault.empty()) {
      return "m = " + std::to_string(m) + ", " + c.kind + ": " + fault + " (stretches of " +
             std::to_string(how.stretch) + (how.all_threads ? ", all threads" : "") + ", memory that cannot be read " +
             (&text == &at_end ? "after" : "before") + " the text)";
    }
  }
  return "";
}

// The first fault of each of these matchers, on all cases of `rounds` rounds; empty: none.
std::vector<std::string> exact_faults(const std::vector<CpuMatcher>& tested, unsigned rounds) {
  std::vector<std::string> faults(tested.size());
  unsigned turn = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    for (const unsigned m : tests::exact_lengths()) {
      for (const ExactCase& c : tests::exact_cases(m, round)) {
        const GuardedText at_begin(c.text, GuardedText::At::begin);
        const GuardedText at_end(c.text, GuardedText::At::end);
        ++turn;
        for (std::size_t i = 0; i < tested.size(); ++i) {
          CAPTURE(tested[i].facts->name, m, c.kind, round);  // for a crash
          if (faults[i].empty()) {
            faults[i] = fault_of(tested[i], c, at_begin, at_end, turn);
          }
        }
      }
    }
  }
  return faults;
}

void check_cases(const std::vector<CpuMatcher>& tested, unsigned rounds) {
  const auto faults = exact_faults(tested, rounds);
  std::string all;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    all += faults[i].empty() ? "" : std::string("\n  ") + tested[i].facts->name + ": " + faults[i];
  }
  REQUIRE(all == "");
}

// Texts that have many stretches of the length that the driver chooses.
void check_long_texts(const std::vector<CpuMatcher>& tested) {
  tests::RandomCases random(83);
  for (const std::size_t m : {1, 5, 100, 4096}) {
    ExactCase c{"long", tests::random_letters(random, 300'000, 4), tests::random_letters(random, m, 4), {}};
    for (int copies = 0; copies < 20; ++copies) {
      c.text.replace(random.number(0, c.text.size() - m), m, c.pattern);
    }
    c.ends = lab::ends_of(c.text, c.pattern, 0);
    for (const CpuMatcher& matcher : tested) {
      for (const bool all_threads : {false, true}) {
        CAPTURE(matcher.facts->name, m, all_threads);
        REQUIRE(tests::fault_of(matcher.run(c.text, c.pattern, {.all_threads = all_threads}).list, c.ends) == "");
      }
    }
  }
}

CpuEnds search(std::uint64_t size, const CpuWork& how, auto&& work) {
  static constexpr MatcherFacts facts = {.name = "test"};
  return matchers::internal::search_in_stretches(facts, size, 3, how, work);
}

// --- matchers with a fault, of a kind that such algorithms easily have ---

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
  Pattern pattern;

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
  static void scan(const FaultyBruteForce& table, const HostText& text, std::uint64_t begin, std::uint64_t end,
                   Emit&& emit) {
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
  std::uint16_t shifts[256];
  Pattern pattern;

  static void prepare(std::string_view pattern, WrongShift& table) {
    std::fill(std::begin(table.shifts), std::end(table.shifts), static_cast<std::uint16_t>(pattern.size()));
    for (std::size_t i = pattern.size() - 1; i-- > 0;) {
      table.shifts[static_cast<unsigned char>(pattern[i])] = static_cast<std::uint16_t>(pattern.size() - 1 - i);
    }
  }
  template <class Emit>
  static void scan(const WrongShift& table, const HostText& text, std::uint64_t begin, std::uint64_t end, Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    for (std::uint64_t window = first_window(begin, m); window + m <= end;
         window += table.shifts[text[window + m - 1]]) {
      if (table.pattern.occurs(text, window)) {
        emit(window + m - 1);
      }
    }
  }
};

template <unsigned... kFault>
std::vector<CpuMatcher> faulty_matchers(std::integer_sequence<unsigned, kFault...>) {
  return {matchers::internal::cpu_matcher<FaultyBruteForce<kFault>>()...,
          matchers::internal::cpu_matcher<WrongShift>()};
}

// Whether the matcher crashes in another process.
template <class Matcher>
bool crashes() {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::signal(SIGSEGV, SIG_DFL);
    const std::string text(4096, 'a');
    for (const auto at : {GuardedText::At::end, GuardedText::At::begin}) {
      matchers::internal::run_on_cpu<Matcher>(GuardedText(text, at).view(), "aab", {});
    }
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace

TEST_CASE("the list has matchers, each with a name and a code of its own, which refuse what they do not take",
          "[matchers]") {
  std::set<std::string> names, codes;
  for (const CpuMatcher& matcher : cpu_matchers()) {
    const MatcherFacts& facts = *matcher.facts;
    CAPTURE(facts.name);
    REQUIRE(std::string(facts.name).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
    REQUIRE(names.insert(facts.name).second);
    REQUIRE(codes.insert(facts.code).second);
    REQUIRE((!std::string(facts.title).empty() && !std::string(facts.code).empty()));
    REQUIRE_NOTHROW(matcher.run("ACGT", std::string(kLongestPattern, 'A'), {}));
    REQUIRE_THROWS_AS(matcher.run("ACGT", "", {}), UsageError);
    REQUIRE_THROWS_AS(matcher.run("ACGT", std::string(kLongestPattern + 1, 'A'), {}), UsageError);
  }
  REQUIRE(names.size() >= 67);
}

TEST_CASE("every exact matcher finds what dynamic programming finds", "[matchers][exact]") {
  check_cases(exact_matchers(), 2);
}

TEST_CASE("exact matchers in long texts, on one thread and on all", "[matchers][exact]") {
  check_long_texts(exact_matchers());
}

TEST_CASE("packed matchers on every instruction set", "[matchers]") {
  if (std::getenv("TRAWL_MATCHER") != nullptr) {
    return;
  }
  auto packed = exact_matchers();
  std::erase_if(packed, [](const CpuMatcher& matcher) {
    const std::string name = matcher.facts->name;
    return name != "epsm" && name != "q-gram-filter" && name != "rare-bytes";
  });
  REQUIRE(packed.size() == 3);
  tests::on_all_targets([&] {
    REQUIRE(matchers::packed::place_filter_target() == std::string(scan::wu_manber_scan_target()));
    check_cases(packed, 1);
    check_long_texts(packed);
  });
}

TEST_CASE("the cases for exact matchers find planted faults", "[matchers]") {
  auto tested = faulty_matchers(std::make_integer_sequence<unsigned, kFaults>());
  const std::size_t faulty = tested.size();
  tested.push_back(matchers::internal::cpu_matcher<BruteForce>());
  tested.push_back(matchers::internal::cpu_matcher<FaultyBruteForce<kFaults>>());
  const auto faults = exact_faults(tested, 1);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    CAPTURE(i, faults[i]);
    REQUIRE(faults[i].empty() == (i >= faulty));
  }
}

TEST_CASE("a read outside the text is found", "[matchers]") {
  REQUIRE(crashes<FaultyBruteForce<reads_after>>());
  REQUIRE(crashes<FaultyBruteForce<reads_before>>());
  REQUIRE_FALSE(crashes<BruteForce>());
}

TEST_CASE("ends may be emitted in any order, one by one or as bits", "[matchers]") {
  constexpr std::uint64_t kSize = 5000;
  tests::RandomCases random(84);
  for (const double density : {0.001, 0.05, 0.9}) {
    ExactCase c{"", std::string(kSize, 'a'), "", {}};
    for (std::uint64_t j = 0; j < kSize; ++j) {
      if (random.chance(density)) {
        c.ends.push_back(j);
      }
    }
    const auto in = [&](std::uint64_t j, std::uint64_t begin, std::uint64_t end) {
      return j >= begin && j < end && std::binary_search(c.ends.begin(), c.ends.end(), j);
    };
    const auto backwards = [&](std::uint64_t begin, std::uint64_t end, EndSink& emit) {
      for (std::uint64_t j = end; j-- > begin;) {
        if (in(j, begin, end)) {
          emit(j);
        }
      }
    };
    const auto as_bits = [&](std::uint64_t begin, std::uint64_t end, EndSink& emit) {
      for (std::uint64_t j = begin; j < end; j += 37) {
        std::uint64_t bits = 0;
        for (std::uint64_t i = 0; i < 37; ++i) {
          bits |= std::uint64_t{in(j + i, begin, end)} << i;
        }
        emit.emit_bits(j, bits);
      }
    };
    for (const std::uint64_t stretch : {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{100}}) {
      for (const bool all_threads : {false, true}) {
        CAPTURE(density, stretch, all_threads);
        const CpuWork how{.all_threads = all_threads, .stretch = stretch};
        REQUIRE(tests::fault_of(search(kSize, how, backwards).list, c.ends) == "");
        REQUIRE(tests::fault_of(search(kSize, how, as_bits).list, c.ends) == "");
      }
    }
  }
}

TEST_CASE("a list takes no more memory than all positions need, and the driver measures the times", "[matchers]") {
  constexpr std::uint64_t kSize = 100'000;
  const auto found = search(kSize, {}, [](std::uint64_t begin, std::uint64_t end, EndSink& emit) {
    for (std::uint64_t j = end; j-- > begin;) {
      emit(j);
    }
  });
  REQUIRE(found.list.size() == kSize);
  REQUIRE(found.list.capacity() <= kSize);
  REQUIRE(found.search_seconds > 0);
  REQUIRE(cpu_matchers().front().run("GATTACA", "TTA", {}).prepare_seconds > 0);
}

TEST_CASE("an end outside its stretch is an error", "[matchers]") {
  const auto emits = [&](auto&& emit_one) {
    search(250, {.stretch = 100}, [&](std::uint64_t begin, std::uint64_t end, EndSink& emit) {
      if (begin == 100) {
        emit_one(end, emit);
      }
    });
  };
  REQUIRE_NOTHROW(emits([](std::uint64_t end, EndSink& emit) { emit(end - 1), emit(end - 100); }));
  REQUIRE_THROWS_AS(emits([](std::uint64_t end, EndSink& emit) { emit(end); }), std::logic_error);
  REQUIRE_THROWS_AS(emits([](std::uint64_t end, EndSink& emit) { emit(end - 101); }), std::logic_error);
  REQUIRE_NOTHROW(emits([](std::uint64_t end, EndSink& emit) { emit.emit_bits(end - 2, 3); }));
  REQUIRE_THROWS_AS(emits([](std::uint64_t end, EndSink& emit) { emit.emit_bits(end - 2, 5); }), std::logic_error);
  REQUIRE_THROWS_AS(emits([](std::uint64_t end, EndSink& emit) { emit.emit_bits(end - 101, 3); }), std::logic_error);
}
