#include "align/insert_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace trawl::align {
namespace {

constexpr std::uint8_t kCertainMapq = 20;

const Alignment* certain_alignment(const AlignmentBatch& results, std::size_t read) {
  const ReadResult& result = results.reads[read];
  if (result.count == 0 || result.best_count != 1) {
    return nullptr;
  }
  const Alignment& primary = results.alignments[result.first];
  return primary.mapq >= kCertainMapq ? &primary : nullptr;
}

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

InsertModel insert_model(std::vector<std::uint32_t> sizes) {
  InsertModel model;
  if (sizes.size() < kFewestCertainPairs) {
    return model;
  }
  std::sort(sizes.begin(), sizes.end());
  const std::int64_t q1 = sizes[sizes.size() / 4];
  const std::int64_t q3 = sizes[sizes.size() * 3 / 4];
  const std::int64_t range = q3 - q1;

  // At most 10,000 sizes of at most 100,000, so all sums fit.
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;
  for (const std::uint64_t size : sizes) {
    const auto near = static_cast<std::int64_t>(size);
    if (near >= q1 - 2 * range && near <= q3 + 2 * range) {
      ++count;
      sum += size;
      squares += size * size;
    }
  }
  model.mean = static_cast<std::uint32_t>((2 * sum + count) / (2 * count));
  // sqrt is exact to the last bit on every machine, so the records do not depend on the machine.
  const double deviation = std::sqrt(static_cast<double>(count * squares - sum * sum)) / static_cast<double>(count);
  model.deviation = std::max(1u, static_cast<std::uint32_t>(deviation + 0.5));

  const std::int64_t mean = model.mean;
  const std::int64_t four = 4 * std::int64_t{model.deviation};
  model.min = static_cast<std::uint32_t>(std::max<std::int64_t>(1, std::min(q1 - 3 * range, mean - four)));
  model.max = static_cast<std::uint32_t>(std::max(q3 + 3 * range, mean + four));
  return model;
}

}  // namespace trawl::align
