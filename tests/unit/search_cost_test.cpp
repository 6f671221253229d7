// The estimated cost of a search, by which --engine auto decides.
#include "scan/find/search_plan.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

double cost(std::size_t count, std::uint32_t k, const std::string& pam = "",
            scan::Search search = scan::Search::automatic) {
  tests::RandomCases random(192);
  scan::Options options;
  options.max_edits = options.max_mismatches = options.max_bulges = k;
  options.pam.bases = pam;
  options.search = search;
  scan::PatternList patterns;
  for (std::size_t n = 0; n < count; ++n) {
    patterns.add("p", random.bases(24));
  }
  return scan::estimated_cost(scan::make_queries(patterns, options), options);
}

}  // namespace

TEST_CASE("the estimated cost of a search: rows grow with the patterns, look-ups hardly, sites with the pairs") {
  REQUIRE(scan::estimated_cost({}, {}) == 0);
  const auto rows = scan::Search::rows;
  REQUIRE(cost(20000, 0, "", rows) == Approx(20 * cost(1000, 0, "", rows)).epsilon(0.05));
  REQUIRE(cost(20000, 0) < 3 * cost(1000, 0));
  REQUIRE(cost(20000, 0) < cost(20000, 0, "", rows) / 20);
  REQUIRE(cost(1, 0) == Approx(cost(1, 0, "", rows)));
  REQUIRE(cost(1000, 2) < cost(1000, 2, "", rows) / 5);
  REQUIRE(cost(1000, 3, "NGG") < cost(1000, 3, "NGG", rows) / 10);
  REQUIRE(cost(10, 3, "NGG") < cost(1000, 3, "NGG"));
}
