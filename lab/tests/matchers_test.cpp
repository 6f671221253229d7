// Compares every matcher of lab/matchers/list.txt with plain dynamic programming. exact_matchers_test.cpp has more
// cases for the exact ones.
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

// For each position the smallest number of edits if it is at most k, otherwise k + 1.
std::vector<unsigned> distances_up_to(std::string_view text, std::string_view pattern, unsigned k) {
  std::vector<unsigned> distances(text.size(), k + 1);
  if (k == 0) {  // plain dynamic programming would take too long for long patterns
    for (std::size_t j = pattern.size() - 1; j < text.size(); ++j) {
      distances[j] = text.substr(j + 1 - pattern.size(), pattern.size()) == pattern ? 0 : 1;
    }
    return distances;
  }
  for (unsigned d = k + 1; d-- > 0;) {
    const auto ends = matchers::sequential_ends(text, pattern, d);
    for (std::size_t j = 0; j < text.size(); ++j) {
      distances[j] = ends[j] != 0 ? d : distances[j];
    }
  }
  return distances;
}

void check(const CpuMatcher& matcher, const tests::MatcherCase& c, const std::vector<unsigned>& expected,
           std::string_view text, const matchers::CpuWork& how) {
  CAPTURE(how.all_threads, how.stretch);
  const auto found = matcher.run(text, c.settings, how);
  REQUIRE(found.ends.size() == text.size());
  for (std::size_t j = 0; j < text.size(); ++j) {
    const bool ends = expected[j] <= c.settings.max_edits;
    if (found.ends[j] != (ends ? 1 : 0) ||
        (ends && found.distances[j] != matchers::kNoDistance && found.distances[j] != expected[j])) {
      CAPTURE(j, unsigned{found.ends[j]}, unsigned{found.distances[j]}, expected[j]);
      FAIL("the matcher differs from plain dynamic programming");
    }
  }
}

template <class F>
void for_each_choice(F&& f) {
  for (const CpuMatcher& matcher : cpu_matchers()) {
    for (const unsigned alpha : tests::alphas_of(*matcher.facts)) {
      for (unsigned k = 0; k <= matcher.facts->most_edits; ++k) {
        f(matcher, alpha, k);
      }
    }
  }
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
    REQUIRE(facts.shortest >= 1);
    REQUIRE(facts.longest >= facts.shortest);
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

TEST_CASE("every matcher finds what plain dynamic programming finds", "[matchers]") {
  tests::RandomCases random(81);
  for_each_choice([&](const CpuMatcher& matcher, unsigned alpha, unsigned k) {
    for (int n = 0; n < (matcher.facts->most_edits == 0 ? 40 : 60); ++n) {
      const auto c = tests::matcher_case(random, *matcher.facts, k, alpha, 2500);
      CAPTURE(matcher.facts->name, alpha, k, n, c.settings.pattern.size(), c.text.size());
      const auto expected = distances_up_to(c.text, c.settings.pattern, k);
      const tests::GuardedText at_end(c.text, tests::GuardedText::At::end);
      const tests::GuardedText at_begin(c.text, tests::GuardedText::At::begin);
      check(matcher, c, expected, at_end.view(), {.distances = true});
      check(matcher, c, expected, at_begin.view(), {.distances = true});
      // Stretches begin everywhere: at each position, or at nearly each.
      for (const std::uint64_t stretch : {std::uint64_t{1}, std::uint64_t{8}, std::uint64_t{random.number(2, 100)}}) {
        check(matcher, c, expected, at_end.view(), {.stretch = stretch, .distances = true});
      }
      check(matcher, c, expected, at_begin.view(),
            {.all_threads = true, .stretch = random.number(1, 300), .distances = true});
    }
  });
}

TEST_CASE("every matcher meets the borders of stretches thousands of times", "[matchers]") {
  tests::RandomCases random(82);
  for_each_choice([&](const CpuMatcher& matcher, unsigned alpha, unsigned k) {
    const matchers::MatcherFacts& facts = *matcher.facts;
    tests::MatcherCase c;
    const auto m = std::clamp(12u, facts.shortest, facts.longest);
    const std::string pattern = tests::random_letters(random, m, 4);
    c.settings = {tests::in_letters(facts, pattern), k, alpha};
    while (c.text.size() < 20'000) {
      c.text += pattern + tests::mutate_letters(random, pattern, random.number(0, k + 1), 4) +
                tests::random_letters(random, random.number(0, 3), 4);
    }
    c.text = tests::in_letters(facts, c.text);
    CAPTURE(facts.name, alpha, k);
    const auto expected = distances_up_to(c.text, c.settings.pattern, k);
    REQUIRE(std::count_if(expected.begin(), expected.end(), [&](unsigned d) { return d <= k; }) > 500);
    check(matcher, c, expected, c.text, {.all_threads = true, .stretch = 7, .distances = true});
    check(matcher, c, expected, c.text, {.all_threads = true, .distances = true});
  });
}

TEST_CASE("a matcher refuses what it does not take", "[matchers]") {
  for (const CpuMatcher& matcher : cpu_matchers()) {
    const matchers::MatcherFacts& facts = *matcher.facts;
    CAPTURE(facts.name);
    const std::string letters = facts.letters;
    const char letter = letters.empty() ? 'A' : letters[0];
    const auto run = [&](std::size_t m, unsigned k, unsigned alpha) {
      return matcher.run("ACGT", {std::string(m, letter), k, alpha}, {});
    };
    REQUIRE_NOTHROW(run(facts.longest, facts.most_edits, 0));
    REQUIRE_THROWS_AS(run(facts.shortest - 1, 0, 0), UsageError);
    REQUIRE_THROWS_AS(run(facts.longest + 1, 0, 0), UsageError);
    REQUIRE_THROWS_AS(run(facts.shortest, facts.most_edits + 1, 0), UsageError);
    REQUIRE_THROWS_AS(run(facts.shortest, 0, 3), UsageError);
  }
}
