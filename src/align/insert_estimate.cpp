#include "align/insert_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

namespace trawl::align {
namespace {

constexpr std::uint8_t kCertainMapq = 20;

constexpr InsertModel kPossible{.min = 1, .max = kLargestInsert};

// Two mates that have one certain place each, on one contig.
struct CertainPair {
  Extent first;
  Extent second;
};

std::optional<CertainPair> certain_pair(const AlignmentBatch& results, std::size_t pair) {
  const Alignment* const first = certain_alignment(results, 2 * pair);
  const Alignment* const second = certain_alignment(results, 2 * pair + 1);
  if (first == nullptr || second == nullptr || first->contig != second->contig) {
    return {};
  }
  return CertainPair{extent_of(*first), extent_of(*second)};
}

}  // namespace

const Alignment* certain_alignment(const AlignmentBatch& results, std::size_t read) {
  const ReadResult& result = results.reads[read];
  if (result.count == 0 || result.best_count != 1) {
    return nullptr;
  }
  const Alignment& primary = results.alignments[result.first];
  return primary.mapq >= kCertainMapq ? &primary : nullptr;
}

std::optional<std::uint32_t> certain_insert(Orientation orientation, const AlignmentBatch& results, std::size_t pair) {
  const auto mates = certain_pair(results, pair);
  if (!mates || !is_concordant(orientation, kPossible, mates->first, mates->second)) {
    return {};
  }
  return static_cast<std::uint32_t>(outer_distance(mates->first, mates->second));
}

OrientationCounts& OrientationCounts::operator+=(const OrientationCounts& other) {
  std::transform(of.begin(), of.end(), other.of.begin(), of.begin(), std::plus<>());
  pairs += other.pairs;
  return *this;
}

std::optional<Orientation> OrientationCounts::most() const {
  const auto largest = std::max_element(of.begin(), of.end());
  if (*largest < kFewestCertainPairs || 2 * *largest <= pairs) {
    return {};
  }
  return static_cast<Orientation>(largest - of.begin());
}

void count_orientation(const AlignmentBatch& results, std::size_t pair, OrientationCounts& counts) {
  const auto mates = certain_pair(results, pair);
  if (!mates || outer_distance(mates->first, mates->second) > kLargestInsert) {
    return;
  }
  const auto& [first, second] = *mates;
  ++counts.pairs;
  const bool apart = first.end <= second.begin || second.end <= first.begin;
  for (const Orientation orientation : {Orientation::fr, Orientation::rf, Orientation::ff}) {
    if (is_concordant(orientation, kPossible, first, second) && (orientation != Orientation::rf || apart)) {
      ++counts.of[static_cast<std::size_t>(orientation)];
    }
  }
}

namespace {

using Sizes = std::span<const std::uint32_t>;  // in ascending order

// Fewer pairs than this in the other sizes may be artefacts: 2 of 100.
std::size_t fewest_others(std::size_t all) { return std::max(kFewestCertainPairs, all / 50); }
// Means that are nearer to each other say nothing about the library.
constexpr std::uint32_t kNearMeans = 50;

struct Quartiles {
  std::int64_t first;
  std::int64_t third;
  std::int64_t range() const { return third - first; }
};

Quartiles quartiles_of(Sizes sizes) { return {sizes[sizes.size() / 4], sizes[sizes.size() * 3 / 4]}; }

// Mean and deviation of the sizes near the quartiles, and the range of nearly all sizes.
InsertModel one_size(Sizes sizes) {
  const auto quartiles = quartiles_of(sizes);
  const std::int64_t range = quartiles.range();

  // At most 10,000 sizes of at most 100,000, so all sums fit.
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;
  for (const std::uint64_t size : sizes) {
    const auto near = static_cast<std::int64_t>(size);
    if (near >= quartiles.first - 2 * range && near <= quartiles.third + 2 * range) {
      ++count;
      sum += size;
      squares += size * size;
    }
  }
  InsertModel model;
  model.most.mean = static_cast<std::uint32_t>((2 * sum + count) / (2 * count));
  // sqrt is exact to the last bit on every machine, so the records do not depend on the machine.
  const double deviation = std::sqrt(static_cast<double>(count * squares - sum * sum)) / static_cast<double>(count);
  model.most.deviation = std::max(1u, static_cast<std::uint32_t>(deviation + 0.5));

  const std::int64_t mean = model.most.mean;
  const std::int64_t four = 4 * std::int64_t{model.most.deviation};
  model.min = static_cast<std::uint32_t>(std::max<std::int64_t>(1, std::min(quartiles.first - 3 * range, mean - four)));
  model.max = static_cast<std::uint32_t>(std::max(quartiles.third + 3 * range, mean + four));
  return model;
}

Sizes smaller_than(Sizes sizes, std::uint32_t limit) {
  return sizes.first(static_cast<std::size_t>(std::lower_bound(sizes.begin(), sizes.end(), limit) - sizes.begin()));
}

Sizes larger_than(Sizes sizes, std::uint32_t limit) {
  return sizes.subspan(static_cast<std::size_t>(std::upper_bound(sizes.begin(), sizes.end(), limit) - sizes.begin()));
}

// Where the sizes fall into two groups whose means are as far apart as they can be: the most variance between groups
// (Otsu 1979, https://doi.org/10.1109/TSMC.1979.4310076). The first size of the upper group.
std::size_t split_of(Sizes sizes) {
  const auto all = static_cast<std::int64_t>(sizes.size());
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  std::size_t best = 0;
  double most = 0;
  std::int64_t sum = 0;
  for (std::int64_t below = 1; below < all; ++below) {
    sum += sizes[static_cast<std::size_t>(below) - 1];
    // A product and a quotient of exact numbers: the same on every machine.
    const auto difference = static_cast<double>(sum * (all - below) - (total - sum) * below);
    const double variance = difference * difference / static_cast<double>(below * (all - below));
    if (variance > most) {
      most = variance;
      best = static_cast<std::size_t>(below);
    }
  }
  return best;
}

// Two groups with a valley between them. A normal distribution that is cut in the middle has means 1.3 times the sum of
// the deviations apart, an even one 1.7 times.
bool are_apart(const InsertSizes& a, const InsertSizes& b) {
  const std::uint32_t apart = a.mean > b.mean ? a.mean - b.mean : b.mean - a.mean;
  return apart >= kNearMeans && 2 * std::uint64_t{apart} > 5 * (std::uint64_t{a.deviation} + b.deviation);
}

InsertModel two_sizes(InsertModel most, const InsertModel& others) {
  most.others = others.most;
  most.min = std::min(most.min, others.min);
  most.max = std::max(most.max, others.max);
  return most;
}

}  // namespace

InsertModel insert_model(std::vector<std::uint32_t> sizes) {
  if (sizes.size() < kFewestCertainPairs) {
    return {};
  }
  std::sort(sizes.begin(), sizes.end());
  const std::size_t fewest = fewest_others(sizes.size());
  const InsertModel one = one_size(sizes);

  const Sizes smaller = smaller_than(sizes, one.min);
  const Sizes larger = larger_than(sizes, one.max);
  const Sizes near = Sizes(sizes).subspan(smaller.size(), sizes.size() - smaller.size() - larger.size());
  const std::size_t split = split_of(near);
  if (std::min(split, near.size() - split) >= fewest) {
    const InsertModel low = one_size(near.first(split));
    const InsertModel high = one_size(near.subspan(split));
    if (are_apart(low.most, high.most)) {
      return 2 * split >= near.size() ? two_sizes(low, high) : two_sizes(high, low);
    }
  }
  // Others beyond the range of most: sizes of a kind, not the even spread of artefacts.
  const Sizes others = smaller.size() > larger.size() ? smaller : larger;
  if (others.size() >= fewest && quartiles_of(others).range() <= quartiles_of(others).first) {
    return two_sizes(one, one_size(others));
  }
  return one;
}

}  // namespace trawl::align
