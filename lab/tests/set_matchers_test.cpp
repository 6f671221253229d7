// Compares every matcher of sets (lab/matchers/list.txt) with the oracle of trawl-bench: a hash table for each length.
#include <set>

#include "base/error.hpp"
#include "lab/bench_check.hpp"
#include "lab/matchers/sets/cpu_set_matchers.hpp"
#include "lab/tests/set_cases.hpp"
#include "tests/catch.hpp"
#include "tests/guarded_text.hpp"

using namespace trawl;
using matchers::cpu_set_matchers;
using matchers::CpuSetMatcher;
using matchers::PatternSet;
using matchers::SetOutput;
using Patterns = std::vector<std::string>;

namespace {

// Every matcher with each form of the result, in the whole text and in stretches of many sizes.
void check_all(const tests::SetCase& c) {
  const auto& [patterns, text, stretch] = c;
  const PatternSet set(patterns);
  const tests::GuardedText at_end(text, tests::GuardedText::At::end);
  const tests::GuardedText at_begin(text, tests::GuardedText::At::begin);
  const struct {
    const tests::GuardedText& text;
    matchers::SetWork how;
  } runs[] = {{at_end, {}},
              {at_begin, {}},
              {at_end, {.stretch = 1}},
              {at_begin, {.stretch = stretch}},
              {at_end, {.all_threads = true, .stretch = stretch}},
              {at_end, {.all_threads = true}}};
  const lab::ExpectedSet expected[] = {lab::expected_set(text, set, 1), lab::expected_set(text, set, stretch)};
  for (const CpuSetMatcher& matcher : cpu_set_matchers()) {
    const std::string name = matcher.facts->name;
    const auto prepared = matcher.prepare(set);
    for (auto [searched, how] : runs) {
      for (const SetOutput output : {SetOutput::count, SetOutput::patterns, SetOutput::stretches}) {
        how.output = output;
        CAPTURE(name, set.size(), set.shortest(), set.longest(), text.size(), how.all_threads, how.stretch);
        const auto found = prepared->search(searched.view(), how);
        check_set(name, found, output, expected[how.stretch == stretch], how.stretch);
      }
    }
  }
}

}  // namespace

TEST_CASE("the list of matchers of sets has names of their own", "[sets]") {
  std::set<std::string> names;
  for (const CpuSetMatcher& matcher : cpu_set_matchers()) {
    const std::string name = matcher.facts->name;
    CAPTURE(name);
    REQUIRE(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos);
    REQUIRE(names.insert(name).second);
    REQUIRE(!std::string(matcher.facts->title).empty());
    REQUIRE(matcher.facts->year >= 1975);
  }
  REQUIRE(names.count("aho-corasick") == 1);
  REQUIRE(names.count("aho-corasick-full") == 1);
  REQUIRE(names.count("wu-manber") == 1);
}

TEST_CASE("a set of patterns has each of them once, in order", "[sets]") {
  const PatternSet set({"GATTACA", "ACA", "GATTACA", "AC", "\xFF", "ACA"});
  REQUIRE(set.size() == 4);
  REQUIRE(set.given() == 6);
  REQUIRE(set.shortest() == 1);
  REQUIRE(set.longest() == 7);
  REQUIRE(Patterns{std::string(set[0]), std::string(set[1]), std::string(set[2]), std::string(set[3])} ==
          Patterns{"AC", "ACA", "GATTACA", "\xFF"});
  REQUIRE_THROWS_AS(PatternSet({}), UsageError);
  REQUIRE_THROWS_AS(PatternSet({"ACA", ""}), UsageError);
}

TEST_CASE("every matcher of sets finds what the oracle finds", "[sets]") {
  tests::RandomCases random(151);
  for (int n = 0; n < 400; ++n) {
    CAPTURE(n);
    check_all(tests::random_set_case(random));
  }
}

TEST_CASE("matchers of sets meet hostile sets", "[sets]") {
  for (const tests::SetCase& c : tests::hostile_set_cases()) {
    check_all(c);
  }
}

TEST_CASE("a window of more than 255 characters shifts in more than one step", "[sets]") {
  check_all(tests::long_set_case());
}

TEST_CASE("matchers of sets find the same in a long text", "[sets]") {
  tests::RandomCases random(154);
  tests::SetCase c;
  c.text = tests::letters_of(tests::random_letters(random, 70'001, 4), "ACGT");
  for (int i = 0; i < 500; ++i) {
    c.patterns.push_back(c.text.substr(random.number(0, c.text.size() - 40), i % 2 == 0 ? 6 : 40));
  }
  c.stretch = 35'000;
  check_all(c);
}
