// The insert sizes of a library, estimated from pairs whose mates have one certain place each.
//
//   with: const AlignmentBatch& results
//   std::vector<std::uint32_t> sizes;
//   for (std::size_t pair = 0; 2 * pair < results.reads.size(); ++pair) {
//     if (const auto size = certain_insert(Orientation::fr, results, pair)) {
//       sizes.push_back(*size);
//     }
//   }
//   const InsertModel model = insert_model(sizes);     // {180, 520, {350, 42}, {}}, or so
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "align/alignment.hpp"
#include "align/pair_rule.hpp"

namespace trawl::align {

/// The estimate uses this number of pairs at the start of the input, whatever the batches are.
inline constexpr std::size_t kPairsForInserts = 10'000;
/// With fewer certain pairs among them, the default sizes are used.
inline constexpr std::size_t kFewestCertainPairs = 25;
/// Mates further apart than this number of bases say nothing about the library.
inline constexpr std::uint32_t kLargestInsert = 100'000;

/// The primary alignment of a read that has one best locus and MAPQ 20 or more; otherwise null.
const Alignment* certain_alignment(const AlignmentBatch& results, std::size_t read);

/// The insert size of reads 2 pair and 2 pair + 1, which were mapped as single reads. Nothing if one of them has no
/// single best locus with MAPQ 20 or more, or if they do not lie as `orientation` asks.
std::optional<std::uint32_t> certain_insert(Orientation orientation, const AlignmentBatch& results, std::size_t pair);

/// How the pairs of a library lie: counts of the pairs whose mates have one certain place each, on one contig and not
/// more than kLargestInsert apart.
struct OrientationCounts {
  std::array<std::uint64_t, 3> of{};  // index: Orientation
  std::uint64_t pairs = 0;            // also those that lie in no orientation, or may lie in two

  OrientationCounts& operator+=(const OrientationCounts& other);
  /// The orientation of more than half of the pairs, if they are at least kFewestCertainPairs.
  std::optional<Orientation> most() const;
};

/// Counts the pair of reads 2 pair and 2 pair + 1, which were mapped as single reads. Mates on opposite strands that
/// overlap may be fr or rf with an insert shorter than a read: they count as fr if they fit fr, otherwise not.
///   [100, 200) forward, [300, 400) reverse: fr     [100, 200) forward, [150, 250) reverse: fr
///   [100, 200) reverse, [300, 400) forward: rf     [100, 200) reverse, [150, 250) forward: neither
void count_orientation(const AlignmentBatch& results, std::size_t pair, OrientationCounts& counts);

/// Mean and standard deviation of the sizes near the quartiles, and a range that has nearly all sizes but not the
/// outliers. If at least 2 of 100 sizes (and kFewestCertainPairs) lie apart from most, but near each other, they are
/// InsertModel::others, and the range has both. `sizes` in any order. The default, InsertModel{}, if there are fewer
/// than kFewestCertainPairs.
///   9,000 sizes of about 200 and 1,000 of about 600: {120, 720, {200, 20}, {600, 30}}, or so
InsertModel insert_model(std::vector<std::uint32_t> sizes);

}  // namespace trawl::align
