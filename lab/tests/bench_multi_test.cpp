// `trawl-bench multi`: the right result, and what is reported for wrong ones.
#include "base/error.hpp"
#include "lab/bench_check.hpp"
#include "lab/tests/hostile_text.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using matchers::PatternSet;
using matchers::SetFound;
using matchers::SetMatch;
using matchers::SetOutput;

TEST_CASE("the expected result of a set is that of comparing every window") {
  tests::RandomCases random(161);
  for (int n = 0; n < 100; ++n) {
    const unsigned sigma = random.chance(0.5) ? 2 : 256;
    std::vector<std::string> patterns;
    for (std::size_t i = random.number(1, 30); i > 0; --i) {
      patterns.push_back(tests::random_letters(random, random.number(1, 9), sigma));
    }
    const std::string text = tests::hostile_text(random, patterns[0], random.number(0, 2000), sigma);
    const PatternSet set(patterns);
    const std::uint64_t stretch = random.number(1, 300);
    std::vector<SetMatch> matches;
    std::vector<std::uint64_t> of_patterns(set.size()), of_stretches((text.size() + stretch - 1) / stretch);
    for (std::size_t j = 0; j < text.size(); ++j) {
      for (std::uint32_t p = 0; p < set.size(); ++p) {
        if (std::string_view(text).substr(0, j + 1).ends_with(set[p])) {
          matches.push_back({j, p});
          ++of_patterns[p];
          ++of_stretches[j / stretch];
        }
      }
    }
    CAPTURE(n, sigma, text.size(), set.size(), stretch);
    const lab::ExpectedSet expected = lab::expected_set(text, set, stretch);
    REQUIRE(expected.count == matches.size());
    REQUIRE(expected.digest == lab::digest_of(matches));
    REQUIRE((expected.patterns == of_patterns));
    REQUIRE((expected.stretches == of_stretches));
  }
}

TEST_CASE("a long text has the same expected result as its parts") {
  tests::RandomCases random(162);
  const std::string text = tests::random_letters(random, 600'000, 4);
  const PatternSet set({text.substr(5, 6), text.substr((1u << 18) - 4, 8), text.substr((1u << 18) - 1, 2)});
  std::vector<std::uint64_t> of_patterns(set.size());
  for (std::uint32_t p = 0; p < set.size(); ++p) {
    for (std::size_t at = text.find(set[p]); at != std::string::npos; at = text.find(set[p], at + 1)) {
      ++of_patterns[p];
    }
  }
  REQUIRE((lab::expected_set(text, set, 4096).patterns == of_patterns));
}

TEST_CASE("each wrong result of a set is reported") {
  const PatternSet set({"AC", "CA"});
  const std::string text = "ACACCA";
  const lab::ExpectedSet expected = lab::expected_set(text, set, 4);
  SetFound right;
  right.count = 4;
  right.patterns = {2, 2};
  right.stretches = {3, 1};
  right.positions = {{1, 0}, {2, 1}, {3, 0}, {5, 1}};
  right.stretch = 4;
  const auto check = [&](const SetFound& found, SetOutput output) {
    lab::check_set("a matcher", found, output, expected, 4, lab::digest_of(found.positions));
  };
  using enum SetOutput;
  for (const SetOutput output : {count, stretches, patterns, positions}) {
    REQUIRE_NOTHROW(check(right, output));
    SetFound wrong = right;
    wrong.count = 5;
    REQUIRE_THROWS_AS(check(wrong, output), Error);
  }
  const auto rejects = [&](SetOutput output, auto&& change) {
    SetFound wrong = right;
    change(wrong);
    REQUIRE_THROWS_AS(check(wrong, output), Error);
  };
  rejects(patterns, [](SetFound& f) { f.patterns = {1, 3}; });
  rejects(patterns, [](SetFound& f) { f.patterns = {2}; });
  rejects(stretches, [](SetFound& f) { f.stretches = {2, 2}; });
  rejects(positions, [](SetFound& f) { f.positions[1].end = 4; });
  rejects(positions, [](SetFound& f) { f.positions[1].pattern = 0; });
  rejects(positions, [](SetFound& f) { f.positions.pop_back(); });
  rejects(positions, [](SetFound& f) { f.positions[3] = f.positions[2]; });
}
