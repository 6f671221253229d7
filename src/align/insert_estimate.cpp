#include "align/insert_estimate.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

std::optional<std::uint32_t> certain_insert(Orientation orientation, const AlignmentBatch& results, std::size_t pair) {
  const Alignment* const first = certain_alignment(results, 2 * pair);
  const Alignment* const second = certain_alignment(results, 2 * pair + 1);
  if (first == nullptr || second == nullptr || first->contig != second->contig) {
    return {};
  }
  const auto extent_of = [](const Alignment& a) { return Extent{a.start, a.start + a.span, a.reverse}; };
  const Extent a = extent_of(*first);
  const Extent b = extent_of(*second);
  const bool fits = is_concordant(orientation, {.min = 1, .max = kLargestInsert}, a, b);
  return fits ? std::optional(static_cast<std::uint32_t>(outer_distance(a, b))) : std::nullopt;
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
