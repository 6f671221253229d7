// Which queries the device searches by rows, by pieces and from the sites of their PAM. This needs no device.
#include "gpu/scan/device_plan.hpp"

#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

struct Search {
  scan::QueryList queries;
  scan::ScanOptions options;

  gpu::DevicePlan plan(std::uint64_t memory = UINT64_MAX) const { return {queries, options, memory}; }
};

Search make(std::size_t count, std::size_t length, std::uint32_t k, const std::string& pam = "",
            scan::ScanMethod search = scan::ScanMethod::automatic) {
  tests::RandomCases random(191);
  Search s;
  s.options.max_edits = s.options.max_mismatches = s.options.max_bulges = k;
  s.options.pam.bases = pam;
  s.options.search = search;
  scan::PatternList patterns;
  for (std::size_t n = 0; n < count; ++n) {
    patterns.add("p", random.bases(length));
  }
  s.queries = scan::make_queries(patterns, s.options);
  return s;
}

}  // namespace

TEST_CASE("the device's plan takes what is cheapest, or what the user says") {
  // Large sets by pieces; no part is left out.
  const auto large = make(1000, 32, 2);
  const auto plan = large.plan();
  REQUIRE(plan.programs.empty());
  REQUIRE(plan.places);
  REQUIRE(plan.parts->all().size() == 3 * large.queries.size());
  REQUIRE(plan.guides == nullptr);
  // One pattern by rows, and so is a set whose pieces would occur everywhere.
  REQUIRE(make(1, 20, 3).plan().literals.empty());
  REQUIRE(make(1000, 12, 5).plan().literals.empty());
  REQUIRE(!make(1000, 12, 5, "", scan::ScanMethod::pieces).plan().literals.empty());
  REQUIRE(make(1000, 32, 2, "", scan::ScanMethod::rows).plan().literals.empty());
  // Exact patterns are no parts.
  REQUIRE(!make(1000, 32, 0).plan().literals.empty());
  REQUIRE(!make(1000, 32, 0).plan().places);
  // Guides from their sites, but not one, nor by rows.
  REQUIRE(make(312, 20, 3, "NGG").plan().guides != nullptr);
  REQUIRE(make(312, 20, 3, "NGG").plan().kinds() > 0);
  REQUIRE(make(312, 20, 3, "NGG").plan().programs.empty());
  REQUIRE(make(312, 20, 3, "NGG", scan::ScanMethod::rows).plan().guides == nullptr);
  REQUIRE(make(1, 20, 3, "NGG").plan().guides == nullptr);
  // Tables that do not fit: rows.
  REQUIRE(make(312, 20, 3, "NGG").plan(8 << 20).guides == nullptr);
  REQUIRE(make(312, 20, 3, "NGG").plan(8 << 20).programs.size() == 1);
  REQUIRE(make(100000, 32, 2).plan(8 << 20).literals.empty());
  REQUIRE(large.plan(64 << 20).bytes() < 64 << 20);
}

TEST_CASE("patterns that cannot be looked up are scanned by rows beside those that are") {
  scan::ScanOptions options;
  options.max_edits = 2;
  options.search = scan::ScanMethod::pieces;
  const auto queries =
      scan::make_queries({{"a", "GATTACAGATTACA"}, {"b", "GATTNCAGATTACA"}, {"c", "CCCCCCCCCC"}}, options);
  const gpu::DevicePlan plan(queries, options, UINT64_MAX);
  REQUIRE(plan.programs.size() == 1);
  REQUIRE(plan.programs[0].lists().size() == 2);  // both strands of b
  REQUIRE(plan.parts->all().size() == 12);
  options.ambiguous_matches = true;
  REQUIRE(gpu::DevicePlan(queries, options, UINT64_MAX).literals.empty());
}
