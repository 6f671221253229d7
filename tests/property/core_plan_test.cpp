// Every wanted piece must hold a core, whatever the limits are.
#include "clip/core_plan.hpp"

#include <algorithm>
#include <string>

#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

namespace trawl {

using clip::Core;
using clip::Wanted;

TEST_CASE("every wanted piece holds a core that is searched with enough edits", "[clip]") {
  constexpr std::uint64_t kSeed = 20261122;
  INFO("seed " << kSeed);
  tests::RandomCases random(kSeed);
  std::uint64_t pieces = 0;
  std::uint64_t several_cores = 0;
  std::uint64_t several_tiers = 0;
  std::uint64_t missed = 0;
  for (int c = 0; c < 4000; ++c) {
    const auto length = static_cast<std::uint32_t>(random.chance(0.5) ? random.number(1, 40) : random.number(41, 200));
    const auto clip = static_cast<std::uint32_t>(random.number(0, length));
    const bool share = random.chance(0.6);
    const auto number =
        static_cast<std::uint32_t>(random.number(0, share ? 25 : std::min<std::size_t>(length - 1, 20)));
    const auto limits =
        align::piece_limits(length, clip, [&](std::uint32_t bases) { return share ? bases * number / 100 : number; });
    Wanted wanted;
    wanted.first_edits = static_cast<std::uint32_t>(random.chance(0.5) ? 0 : random.number(0, 4));
    wanted.last_edits = random.chance(0.5) ? wanted.last_edits : static_cast<std::uint32_t>(random.number(0, 6));
    wanted.most_penalty = random.chance(0.5) ? wanted.most_penalty : static_cast<std::uint32_t>(random.number(0, 60));
    wanted.whole = random.chance(0.5);
    clip::CorePlanner planner(random.chance(0.5) ? 10'000 : 3'100'000'000);
    const auto& cores = planner.plan(limits, wanted);
    for (const Core& core : cores) {
      REQUIRE(core.begin < core.end);
      REQUIRE(core.end <= length);
      REQUIRE(core.max_edits < core.end - core.begin);
      several_tiers += core.max_edits != cores.front().max_edits;
    }
    several_cores += cores.size() > 1;
    for (std::uint32_t begin = 0; begin <= limits.clip(); ++begin) {
      for (std::uint32_t end = length - (limits.clip() - begin); end <= length; ++end) {
        const std::uint32_t left_out = length - (end - begin);
        for (std::uint32_t edits = 0; edits <= limits.max_edits(); ++edits) {
          if (limits.most_clipped[edits] < left_out || edits < wanted.first_edits || edits > wanted.last_edits ||
              left_out + 5 * edits > wanted.most_penalty || (!wanted.whole && left_out == 0)) {
            continue;
          }
          ++pieces;
          missed += std::none_of(cores.begin(), cores.end(), [&](const Core& core) {
            return core.begin >= begin && core.end <= end && core.max_edits >= edits;
          });
        }
      }
    }
  }
  CHECK(missed == 0);
  CHECK(pieces > 1'000'000);
  CHECK(several_cores > 1000);
  CHECK(several_tiers > 1000);
}

}  // namespace trawl
