// Compares the matchers of lab/matchers/list.txt that take edits with plain dynamic programming, and what all have in
// common. exact_matchers_test.cpp has the exact ones.
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "lab/matchers/cpu_matchers.hpp"
#include "lab/matchers/sequential.hpp"
#include "lab/tests/matcher_cases.hpp"
#include "tests/catch.hpp"
#include "tests/guarded_text.hpp"

using namespace trawl;
using matchers::cpu_matchers;
using matchers::CpuMatcher;

namespace {

void check(const CpuMatcher& matcher, const tests::MatcherCase& c, const std::vector<std::uint8_t>& expected,
           std::string_view text, const matchers::CpuWork& how) {
  CAPTURE(how.all_threads, how.stretch);
  REQUIRE((matcher.run(text, c.settings, how).ends == expected));
}

}  // namespace

TEST_CASE("the list has matchers, each with a name of its own", "[matchers]") {
  std::set<std::string> names, codes;
  for (const CpuMatcher& matcher : cpu_matchers()) {
    const matchers::MatcherFacts& facts = *matcher.facts;
    CAPTURE(facts.name);
    REQUIRE(std::string(facts.name).find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
    REQUIRE(names.insert(facts.name).second);
    REQUIRE(!std::string(facts.title).empty());
    REQUIRE(!std::string(facts.authors).empty());
    REQUIRE((facts.code[0] == '\0') == (facts.most_edits > 0));
    REQUIRE((facts.most_edits > 0 || codes.insert(facts.code).second));
    REQUIRE(facts.longest >= 1);
  }
  REQUIRE(names.count("brute-force") == 1);
  REQUIRE(names.count("gbpr") == 1);
  REQUIRE(names.count("shift-or") == 1);
  REQUIRE(names.count("wu-manber") == 1);
}

TEST_CASE("a name or a code that two matchers have is reported with both", "[matchers]") {
  const auto message = [](const matchers::MatcherFacts& a, const matchers::MatcherFacts& b) -> std::string {
    try {
      (void)matchers::checked_list<CpuMatcher>({{&a, nullptr}, {&b, nullptr}});
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "";
  };
  REQUIRE(message({.name = "one", .code = "c"}, {.name = "two", .code = "c"}) ==
          "two matchers of list.txt have the code 'c': one and two");
  REQUIRE(message({.name = "one", .code = "c", .title = "A"}, {.name = "one", .code = "d", .title = "B"}) ==
          "two matchers of list.txt have the name 'one': 'A' and 'B'");
  REQUIRE(message({.name = "one", .code = ""}, {.name = "two", .code = ""}).empty());  // both with edits
}

TEST_CASE("every matcher with edits finds what plain dynamic programming finds", "[matchers]") {
  tests::RandomCases random(81);
  tests::for_each_with_edits(cpu_matchers(), [&](const CpuMatcher& matcher, unsigned alpha, unsigned k) {
    for (int n = 0; n < 60; ++n) {
      const auto c = tests::matcher_case(random, *matcher.facts, k, alpha, 2500);
      CAPTURE(matcher.facts->name, alpha, k, n, c.settings.pattern.size(), c.text.size());
      const auto expected = matchers::sequential_ends(c.text, c.settings.pattern, k);
      const tests::GuardedText at_end(c.text, tests::GuardedText::At::end);
      const tests::GuardedText at_begin(c.text, tests::GuardedText::At::begin);
      check(matcher, c, expected, at_end.view(), {});
      check(matcher, c, expected, at_begin.view(), {});
      // Stretches begin everywhere: at each position, or at nearly each.
      for (const std::uint64_t stretch : {std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{random.number(2, 100)}}) {
        check(matcher, c, expected, at_end.view(), {.stretch = stretch});
      }
      check(matcher, c, expected, at_begin.view(), {.all_threads = true, .stretch = random.number(1, 300)});
    }
  });
}

TEST_CASE("every matcher with edits meets the borders of stretches thousands of times", "[matchers]") {
  tests::RandomCases random(82);
  tests::for_each_with_edits(cpu_matchers(), [&](const CpuMatcher& matcher, unsigned alpha, unsigned k) {
    const matchers::MatcherFacts& facts = *matcher.facts;
    tests::MatcherCase c;
    const std::string pattern = tests::random_letters(random, 12, 4);
    c.settings = {pattern, k, alpha};
    while (c.text.size() < 20'000) {
      c.text += pattern + tests::mutate_letters(random, pattern, random.number(0, k + 1), 4) +
                tests::random_letters(random, random.number(0, 3), 4);
    }
    CAPTURE(facts.name, alpha, k);
    const auto expected = matchers::sequential_ends(c.text, c.settings.pattern, k);
    REQUIRE(std::count(expected.begin(), expected.end(), 1) > 500);
    check(matcher, c, expected, c.text, {.all_threads = true, .stretch = 7});
    check(matcher, c, expected, c.text, {.all_threads = true});
  });
}

TEST_CASE("a matcher refuses what it does not take", "[matchers]") {
  for (const CpuMatcher& matcher : cpu_matchers()) {
    const matchers::MatcherFacts& facts = *matcher.facts;
    CAPTURE(facts.name);
    const auto run = [&](std::size_t m, unsigned k, unsigned alpha) {
      return matcher.run("ACGT", {std::string(m, 'A'), k, alpha}, {});
    };
    REQUIRE_NOTHROW(run(facts.longest, facts.most_edits, 0));
    REQUIRE_THROWS_AS(run(0, 0, 0), UsageError);
    REQUIRE_THROWS_AS(run(facts.longest + 1, 0, 0), UsageError);
    REQUIRE_THROWS_AS(run(1, facts.most_edits + 1, 0), UsageError);
    REQUIRE_THROWS_AS(run(1, 0, 3), UsageError);
  }
}
