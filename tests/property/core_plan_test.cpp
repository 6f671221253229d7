// Every wanted piece must hold a core, whatever the limits are.
#include "clip/core_plan.hpp"

#include <algorithm>
#include <utility>

#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

using clip::Core;
using clip::WantedPieces;

TEST_CASE("every wanted piece holds a core that is searched with enough edits", "[clip]") {
  tests::RandomCases random(20261122);
  std::uint64_t pieces = 0;
  std::uint64_t several_cores = 0;
  std::uint64_t several_tiers = 0;
  std::uint64_t missed = 0;
  std::uint64_t without_seed = 0;
  std::uint64_t regions = 0;
  for (int c = 0; c < 4000; ++c) {
    const auto length = static_cast<std::uint32_t>(random.chance(0.5) ? random.number(1, 40) : random.number(41, 200));
    const auto clip = static_cast<std::uint32_t>(random.number(0, length));
    const bool share = random.chance(0.6);
    const auto number =
        static_cast<std::uint32_t>(random.number(0, share ? 25 : std::min<std::size_t>(length - 1, 20)));
    const auto limits =
        align::piece_limits(length, clip, [&](std::uint32_t bases) { return share ? bases * number / 100 : number; });
    WantedPieces wanted;
    wanted.most_penalty = random.chance(0.5) ? wanted.most_penalty : static_cast<std::uint32_t>(random.number(0, 60));
    wanted.whole = random.chance(0.5);
    const bool shares_seeds = random.chance(0.6);
    clip::CorePlanner planner(random.chance(0.5) ? 10'000 : 3'100'000'000, shares_seeds);
    const clip::CorePlan& plan = planner.plan(limits, wanted);
    const auto& cores = plan.cores;
    for (const Core& core : cores) {
      REQUIRE(core.begin < core.end);
      REQUIRE(core.end <= length);
      REQUIRE(core.max_edits < core.end - core.begin);
      several_tiers += core.max_edits != cores.front().max_edits;
    }
    // Some ways to cut the region into parts.
    std::vector<std::vector<std::uint32_t>> cuts;
    if (plan.seeds > 0) {
      REQUIRE(shares_seeds);
      REQUIRE(plan.region_begin < plan.region_end);
      REQUIRE(plan.region_end <= length);
      REQUIRE(plan.seeds * plan.seed_length <= plan.region_end - plan.region_begin);
      for (const Core& core : cores) {
        REQUIRE(core.begin >= plan.region_begin);
        REQUIRE(core.end <= plan.region_end);
      }
      for (int n = 0; n < 4; ++n) {
        std::uint32_t spare = plan.region_end - plan.region_begin - plan.seeds * plan.seed_length;
        std::vector<std::uint32_t> borders{plan.region_begin};
        for (std::uint32_t k = 0; k + 1 < plan.seeds; ++k) {
          const auto more = static_cast<std::uint32_t>(n == 0 ? 0 : n == 1 ? spare : random.number(0, spare));
          spare -= more;
          borders.push_back(borders.back() + plan.seed_length + more);
        }
        borders.push_back(plan.region_end);
        cuts.push_back(std::move(borders));
      }
    }
    regions += plan.seeds > 0;
    several_cores += cores.size() > 1;
    for (std::uint32_t begin = 0; begin <= limits.clip(); ++begin) {
      for (std::uint32_t end = length - (limits.clip() - begin); end <= length; ++end) {
        const std::uint32_t left_out = length - (end - begin);
        for (std::uint32_t edits = 0; edits <= limits.max_edits(); ++edits) {
          if (limits.most_clipped[edits] < left_out || left_out + 5 * edits > wanted.most_penalty ||
              (!wanted.whole && left_out == 0)) {
            continue;
          }
          ++pieces;
          missed += std::none_of(cores.begin(), cores.end(), [&](const Core& core) {
            return core.begin >= begin && core.end <= end && core.max_edits >= edits;
          });
          for (const auto& borders : cuts) {
            std::uint32_t whole_parts = 0;
            for (std::size_t k = 0; k + 1 < borders.size(); ++k) {
              whole_parts += borders[k] >= begin && borders[k + 1] <= end;
            }
            without_seed += whole_parts <= edits;
          }
        }
      }
    }
  }
  CHECK(missed == 0);
  CHECK(without_seed == 0);
  CHECK(regions > 1000);
  CHECK(pieces > 1'000'000);
  CHECK(several_cores > 1000);
  CHECK(several_tiers > 1000);
}

