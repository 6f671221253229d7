// Hundreds to thousands of short patterns that share prefixes, in texts of many blocks, on every instruction set of
// this machine. Each end must be found and no other, whatever rows the patterns share and whatever a block gets from
// the one before.
#include "tests/many_patterns.hpp"

#include "tests/catch.hpp"
#include "tests/on_all_targets.hpp"

using namespace trawl;

TEST_CASE("many patterns that share prefixes") {
  for (const tests::ManyCase& c : tests::kManyCases) {
    CAPTURE(c.seed, c.k, c.hamming, c.patterns, c.shortest, c.longest, c.text_length);
    const auto input = tests::make_many_patterns(c);
    const auto expected = tests::expected_ends(input, c.k, c.hamming);
    REQUIRE(expected.size() > c.patterns);
    for (const bool whole : {true, false}) {
      const auto options = tests::many_options(c.k, c.hamming, whole);
      const auto queries = tests::many_queries(input, options);
      REQUIRE(queries.size() == c.patterns);
      tests::on_all_targets(
          [&] { CHECK(tests::first_difference(*scan::make_cpu_finder(queries, options), input, expected) == ""); });
    }
    const auto options = tests::many_options(c.k, c.hamming, false, scan::Search::pieces);
    const auto queries = tests::many_queries(input, options);
    CHECK(tests::first_difference(*scan::make_cpu_finder(queries, options), input, expected) == "");
  }
}
