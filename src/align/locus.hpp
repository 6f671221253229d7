// Loci, and how distances at end positions become loci.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/host_device.hpp"
#include "sequence/reference.hpp"

namespace trawl::align {

/// A longest possible run of consecutive end positions with D <= e on one strand. The run is represented by its
/// leftmost end with the smallest D. Without gaps (match::Metric::hamming) every end is a locus. In a tandem repeat a
/// locus stands for several placements (align/placements.hpp).
struct Locus {
  std::uint64_t end = 0;  // of the last aligned base, in the coordinate space
  std::uint16_t distance = 0;
  bool reverse = false;
  bool placement = false;    // one of several placements of a run (align/placements.hpp), and not a whole run
  std::uint32_t spread = 0;  // the run's last end with that distance is `end` + spread
  std::uint32_t before = 0;  // the run's first end is `end` - before
  std::uint32_t after = 0;   // the run's last end is `end` + after
};

/// Consecutive end positions, all with D <= max_edits, on one contig: the last aligned base lies at one of them. It is
/// a longest possible run.
struct EndRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool operator==(const EndRange&) const = default;
};

/// D at one end position, as found in some window.
struct EndDistance {
  std::uint64_t end = 0;
  std::uint16_t distance = 0;
};

/// Where a position is that is the same on a circular contig, whose positions without repetitions are [begin, end).
///   turned_into_circle(1000, 1100, 1120) == 1020
///   turned_into_circle(1000, 1100, 990) == 1090
TRAWL_HOST_DEVICE inline std::uint64_t turned_into_circle(std::uint64_t begin, std::uint64_t end,
                                                          std::uint64_t position) {
  const std::uint64_t length = end - begin;
  return position >= begin ? begin + (position - begin) % length : end - 1 - (begin - 1 - position) % length;
}

/// Makes the loci of one strand from distances at end positions. The distances come window by window.
///   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTC")
///   std::vector<Locus> loci;
///   LocusBuilder builder;
///   builder.start(reference, 1, false, loci);
///   builder.add(sequence::kContigGap + 4, std::vector<std::uint16_t>{2, 1, 0, 0, 1, 2});   // D at letters 4 to 9
///   builder.finish();
///   loci.size() == 1
///   loci[0].end == sequence::kContigGap + 6
///   loci[0].spread == 1
class LocusBuilder {
 public:
  /// `runs`: also gets the whole run of every locus; null: not wanted. `each_end`: every end is a locus of its own, as
  /// it is where alignments have no gaps.
  void start(const sequence::Reference& reference, std::uint32_t max_edits, bool reverse, std::vector<Locus>& loci,
             std::vector<EndRange>* runs = nullptr, bool each_end = false);
  void add(std::int64_t first_end, std::span<const std::uint16_t> distances);
  void finish() { flush(); }

 private:
  void flush();
  void add_run(const sequence::Contig& contig, std::uint64_t first, std::span<const std::uint16_t> distances);

  const sequence::Reference* reference_ = nullptr;
  std::vector<Locus>* loci_ = nullptr;
  std::vector<EndRange>* runs_ = nullptr;
  std::uint16_t max_edits_ = 0;
  bool reverse_ = false;
  bool each_end_ = false;
  std::int64_t first_ = 0;             // end position of values_[0]
  std::vector<std::uint16_t> values_;  // for consecutive end positions
};

}  // namespace trawl::align
