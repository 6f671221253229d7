#include "clip/core_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "seed/seed_index.hpp"

namespace trawl::clip {

namespace {

// More cores of one tier gain nothing: their length does not grow any more.
constexpr std::uint32_t kMostCores = 8;
// Looking up a seed costs as much as this number of its hits.
constexpr double kLookUp = 2;
// Pieces that may leave out more bases have two cores.
constexpr std::uint32_t kMuch = 30;
// A region is chosen if no wanted piece leaves out more bases: the choice takes the square of them.
constexpr std::size_t kMostPlanned = 256;
// Plans kept. Reads of many lengths, or with many penalties, begin anew.
constexpr std::size_t kMostKnown = 4096;

}  // namespace

std::int64_t most_clipped(const align::PieceLimits& limits, const WantedPieces& wanted, std::uint32_t edits) {
  if (edits > limits.max_edits()) {
    return -1;
  }
  std::int64_t most = limits.most_clipped[edits];
  if (wanted.most_penalty != WantedPieces::kAnyPenalty) {
    most = std::min(most, std::int64_t{wanted.most_penalty} - std::int64_t{align::kEditPoints} * edits);
  }
  return most == 0 && !wanted.whole ? -1 : std::max<std::int64_t>(most, -1);
}

CorePlanner::CorePlanner(std::uint64_t bases, bool shares_seeds)
    : bases_(bases), shares_seeds_(shares_seeds), q_(seed::SeedIndex::suggest_q(bases)) {}

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

std::vector<Core> CorePlanner::make_cores(const align::PieceLimits& limits, const WantedPieces& wanted) const {
  const std::uint32_t last = limits.max_edits();
  // best[x]: the cheapest tiers for pieces with fewer than x edits
  std::vector<double> best(last + 2, 0);
  std::vector<Tier> tiers(last + 2);
  std::uint32_t end = 0;
  for (std::uint32_t x = 0; x <= last && most_clipped(limits, wanted, x) >= 0; ++x) {
    end = x + 1;
    best[end] = std::numeric_limits<double>::infinity();
    for (std::uint32_t first = 0; first <= x; ++first) {
      const auto clip = static_cast<std::uint32_t>(most_clipped(limits, wanted, first));
      const Tier tier = cheapest(limits.length, first, x, clip);
      if (best[first] + tier.cost < best[end]) {
        best[end] = best[first] + tier.cost;
        tiers[end] = tier;
      }
    }
  }
  std::vector<Core> cores;
  while (end > 0) {
    const Tier& tier = tiers[end];
    for (std::uint32_t start = 0; start <= tier.clip; start += tier.starts) {
      cores.push_back({std::min(start + tier.starts - 1, tier.clip), limits.length - tier.clip + start, tier.last});
    }
    end = tier.first;
  }
  return cores;
}

// Cores that are nearly as long as can be: for two numbers of edits each, and two cores where much may be left out.
std::vector<Core> CorePlanner::make_many_cores(const align::PieceLimits& limits, const WantedPieces& wanted) {
  std::vector<Core> cores;
  std::uint32_t end = limits.max_edits() + 1;
  while (end > 0 && most_clipped(limits, wanted, end - 1) < 0) {
    --end;
  }
  while (end > 0) {
    const std::uint32_t edits = end - 1;
    // Pieces with fewer edits that leave out as much need no cores of their own.
    std::uint32_t first = edits > 0 ? edits - 1 : 0;
    if (most_clipped(limits, wanted, first) + edits >= limits.length) {
      first = edits;  // a core with fewer bases would match everywhere
    }
    const std::int64_t most = most_clipped(limits, wanted, first);
    while (first > 0 && most_clipped(limits, wanted, first - 1) == most) {
      --first;
    }
    const auto clip = static_cast<std::uint32_t>(most);
    std::uint32_t starts = clip > kMuch ? (clip + 2) / 2 : clip + 1;
    if (clip + starts - 1 + edits >= limits.length) {
      starts = 1;
    }
    for (std::uint32_t start = 0; start <= clip; start += starts) {
      cores.push_back({std::min(start + starts - 1, clip), limits.length - clip + start, edits});
    }
    end = first;
  }
  return cores;
}

bool CorePlanner::choose_region(const align::PieceLimits& limits, const WantedPieces& wanted, CorePlan& plan) const {
  // [b]: the most edits of wanted pieces that leave out b bases; -1: none
  std::vector<std::int64_t> edits;
  for (std::uint32_t x = 0; x <= limits.max_edits(); ++x) {
    const std::int64_t most = most_clipped(limits, wanted, x);
    edits.resize(std::max<std::size_t>(edits.size(), static_cast<std::size_t>(most + 1)), -1);
    for (std::int64_t b = 0; b <= most; ++b) {
      edits[static_cast<std::size_t>(b)] = std::max<std::int64_t>(edits[static_cast<std::size_t>(b)], x);
    }
  }
  if (edits.empty() || edits.size() > kMostPlanned) {
    return false;
  }
  const auto last = static_cast<std::uint32_t>(edits.size() - 1);
  std::uint32_t widest = last;  // the region must hold all cores
  for (const Core& core : plan.cores) {
    widest = std::min({widest, core.begin, limits.length - core.end});
  }
  double cheapest = std::numeric_limits<double>::infinity();
  for (std::uint32_t outside = 0; outside <= widest; ++outside) {
    const std::uint32_t inside = limits.length - 2 * outside;
    for (std::uint32_t seeds = 1, needed = 1; seeds <= inside; seeds = needed) {
      const std::uint32_t seed_length = std::min(q_, inside / seeds);
      const auto cut = [&](std::uint32_t left_out) {
        return left_out > outside ? (left_out - outside + seed_length - 1) / seed_length : 0;
      };
      needed = 1;
      for (std::uint32_t b = 0; b <= last; ++b) {
        std::uint32_t most_cut = 0;
        for (std::uint32_t a = 0; a <= b / 2; ++a) {
          most_cut = std::max(most_cut, cut(a) + cut(b - a));
        }
        needed = std::max(needed, static_cast<std::uint32_t>(edits[b] + 1) + most_cut);
      }
      if (needed > seeds) {
        continue;
      }
      const double all = cost(inside, seeds - 1);
      if (all < cheapest) {
        cheapest = all;
        plan.region_begin = outside;
        plan.region_end = limits.length - outside;
        plan.seeds = seeds;
        plan.seed_length = seed_length;
      }
      break;
    }
  }
  return plan.seeds > 0;
}

CorePlan CorePlanner::make(const align::PieceLimits& limits, const WantedPieces& wanted) const {
  CorePlan plan;
  if (shares_seeds_) {
    plan.cores = make_many_cores(limits, wanted);
    if (choose_region(limits, wanted, plan)) {
      return plan;
    }
  }
  plan.cores = make_cores(limits, wanted);
  return plan;
}

const CorePlan& CorePlanner::plan(const align::PieceLimits& limits, const WantedPieces& wanted) {
  if (known_.size() >= kMostKnown) {
    known_.clear();
  }
  const std::tuple key{limits.length, limits.clip(), limits.max_edits(), wanted};
  const auto known = known_.find(key);
  return known != known_.end() ? known->second : known_.emplace(key, make(limits, wanted)).first->second;
}

}  // namespace trawl::clip
