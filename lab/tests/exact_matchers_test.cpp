// Every exact matcher of lab/matchers/list.txt, on every length and text of lab/tests/exact_cases.hpp.
#include <cstdlib>
#include <string>

#include "lab/matchers/packed/place_filter.hpp"
#include "lab/tests/exact_check.hpp"
#include "tests/catch.hpp"
#include "tests/on_all_targets.hpp"

using namespace trawl;
using matchers::CpuMatcher;

namespace {

// All of the list, or the one whose code or name is the value of the environment variable TRAWL_MATCHER.
std::vector<CpuMatcher> exact_matchers() {
  const char* const only = std::getenv("TRAWL_MATCHER");
  std::vector<CpuMatcher> exact;
  for (const CpuMatcher& matcher : matchers::cpu_matchers()) {
    const bool is_meant =
        only == nullptr || matcher.facts->code == std::string(only) || matcher.facts->name == std::string(only);
    if (matcher.facts->most_edits == 0 && is_meant) {
      exact.push_back(matcher);
    }
  }
  INFO("TRAWL_MATCHER must be the code or the name of an exact matcher of list.txt");
  REQUIRE(!exact.empty());
  return exact;
}

// All cases of `rounds` rounds.
void check_cases(const std::vector<CpuMatcher>& tested, unsigned rounds) {
  std::string faults;
  for (const auto& [name, fault] : tests::exact_faults(tested, rounds)) {
    faults += "\n  " + name + ": " + fault;
  }
  REQUIRE(faults == "");
}

// Texts that have many stretches of the length that the driver chooses.
void check_long_texts(const std::vector<CpuMatcher>& tested) {
  tests::RandomCases random(83);
  for (const std::size_t m : {1, 5, 100, 4096}) {
    tests::ExactCase c{"long", tests::random_letters(random, 300'000, 4), tests::random_letters(random, m, 4), {}};
    for (int copies = 0; copies < 20; ++copies) {
      c.text.replace(random.number(0, c.text.size() - m), m, c.pattern);
    }
    c.ends = lab::expected_ends(c.text, c.pattern);
    for (const CpuMatcher& matcher : tested) {
      using enum matchers::Output;
      const auto check = [&](bool all_threads, matchers::Output output) {
        CAPTURE(matcher.facts->name, m, static_cast<unsigned>(output), all_threads);
        const auto found = matcher.run(c.text, {.pattern = c.pattern}, {.all_threads = all_threads, .output = output});
        REQUIRE(fault_of(found, c, output) == "");
      };
      check(false, list);
      for (const auto output : {bytes, bits, list, count}) {
        check(true, output);
      }
    }
  }
}

}  // namespace

TEST_CASE("every exact matcher finds what comparing every window finds", "[matchers][exact]") {
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
