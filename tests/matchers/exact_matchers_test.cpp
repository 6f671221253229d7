// Every exact matcher of src/matchers/list.txt, on every length and text of tests/exact_cases.hpp.
#include "tests/catch.hpp"
#include "tests/matchers/exact_check.hpp"

using namespace trawl;
using matchers::CpuMatcher;

namespace {

std::vector<CpuMatcher> exact_matchers() {
  std::vector<CpuMatcher> exact;
  for (const CpuMatcher& matcher : matchers::cpu_matchers()) {
    if (matcher.facts->most_edits == 0) {
      exact.push_back(matcher);
    }
  }
  return exact;
}

}  // namespace

TEST_CASE("every exact matcher finds what comparing every window finds", "[matchers]") {
  std::string faults;
  for (const auto& [name, fault] : tests::exact_faults(exact_matchers(), 4)) {
    faults += "\n  " + name + ": " + fault;
  }
  REQUIRE(faults == "");
}

TEST_CASE("all threads, with stretches chosen by the driver, find the same as one", "[matchers]") {
  tests::RandomCases random(83);
  for (const std::size_t m : {2, 12, 100, 4096}) {
    tests::ExactCase c{"long", tests::random_letters(random, 300'000, 4), tests::random_letters(random, m, 4), {}};
    for (int copies = 0; copies < 20; ++copies) {
      c.text.replace(random.number(0, c.text.size() - m), m, c.pattern);
    }
    c.ends = tests::ends_by_comparison(c.text, c.pattern);
    for (const CpuMatcher& matcher : exact_matchers()) {
      using enum matchers::Output;
      for (const auto output : {bytes, bits, list, count}) {
        CAPTURE(matcher.facts->name, m, static_cast<unsigned>(output));
        const auto found = matcher.run(c.text, {.pattern = c.pattern}, {.all_threads = true, .output = output});
        REQUIRE(fault_of(found, c, output) == "");
      }
    }
  }
}
