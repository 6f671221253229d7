#include "clip/core_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "seed/seed_index.hpp"

namespace trawl::clip {

namespace {

// More cores of one tier gain nothing: their length does not grow any more.
constexpr std::uint32_t kMostCores = 8;
// Looking up a seed costs as much as so many of its hits.
constexpr double kLookUp = 2;
// Plans kept. Reads of many lengths, or with many penalties, begin anew.
constexpr std::size_t kMostKnown = 4096;

}  // namespace

std::int64_t most_clipped(const align::PieceLimits& limits, const Wanted& wanted, std::uint32_t edits) {
  if (edits > limits.max_edits() || edits < wanted.first_edits || edits > wanted.last_edits) {
    return -1;
  }
  std::int64_t most = limits.most_clipped[edits];
  if (wanted.most_penalty != Wanted::kAnyPenalty) {
    most = std::min(most, std::int64_t{wanted.most_penalty} - std::int64_t{align::kEditPoints} * edits);
  }
  return most == 0 && !wanted.whole ? -1 : std::max<std::int64_t>(most, -1);
}

CorePlanner::CorePlanner(std::uint64_t bases) : bases_(bases), q_(seed::SeedIndex::suggest_q(bases)) {}

// A core with x edits needs x + 1 seeds.
double CorePlanner::cost(std::uint32_t length, std::uint32_t edits) const {
  const double seeds = edits + 1.0;
  const double seed_length = std::min<double>(q_, std::floor(length / seeds));
  // Among more places a rarer seed is found.
  const double choice = length / (seeds * q_);
  const double hits = static_cast<double>(bases_) / std::pow(4.0, seed_length) / std::clamp(choice, 1.0, 3.0);
  return 2 * seeds * (kLookUp + hits);
}

CorePlanner::Tier CorePlanner::cheapest(std::uint32_t read_length, std::uint32_t first, std::uint32_t last,
                                        std::uint32_t clip) const {
  Tier best{first, last, clip, 0, std::numeric_limits<double>::infinity()};
  const auto try_count = [&](std::uint32_t count) {
    const std::uint32_t starts = (clip + count) / count;  // (clip + 1) / count, rounded up
    const std::uint32_t left_out = clip + starts - 1;
    if (left_out + last >= read_length) {
      return;  // the cores would match everywhere
    }
    const double all = ((clip + starts) / starts) * cost(read_length - left_out, last);
    if (all < best.cost) {
      best.starts = starts;
      best.cost = all;
    }
  };
  for (std::uint32_t count = 1; count <= std::min(kMostCores, clip + 1); ++count) {
    try_count(count);
  }
  if (best.starts == 0) {
    try_count(clip + 1);
  }
  return best;
}

std::vector<Core> CorePlanner::make(const align::PieceLimits& limits, const Wanted& wanted) const {
  const std::uint32_t last = std::min(limits.max_edits(), wanted.last_edits);
  // best[x]: the cheapest tiers for pieces with fewer than x edits
  std::vector<double> best(last + 2, 0);
  std::vector<Tier> tiers(last + 2);
  std::uint32_t end = wanted.first_edits;
  for (std::uint32_t x = wanted.first_edits; x <= last && most_clipped(limits, wanted, x) >= 0; ++x) {
    end = x + 1;
    best[end] = std::numeric_limits<double>::infinity();
    for (std::uint32_t first = wanted.first_edits; first <= x; ++first) {
      const auto clip = static_cast<std::uint32_t>(most_clipped(limits, wanted, first));
      const Tier tier = cheapest(limits.length, first, x, clip);
      if (best[first] + tier.cost < best[end]) {
        best[end] = best[first] + tier.cost;
        tiers[end] = tier;
      }
    }
  }
  std::vector<Core> cores;
  while (end > wanted.first_edits) {
    const Tier& tier = tiers[end];
    for (std::uint32_t start = 0; start <= tier.clip; start += tier.starts) {
      cores.push_back({std::min(start + tier.starts - 1, tier.clip), limits.length - tier.clip + start, tier.last});
    }
    end = tier.first;
  }
  return cores;
}

const std::vector<Core>& CorePlanner::plan(const align::PieceLimits& limits, const Wanted& wanted) {
  if (known_.size() >= kMostKnown) {
    known_.clear();
  }
  const std::tuple key{limits.length, limits.clip(), limits.max_edits(), wanted};
  const auto known = known_.find(key);
  return known != known_.end() ? known->second : known_.emplace(key, make(limits, wanted)).first->second;
}

}  // namespace trawl::clip
