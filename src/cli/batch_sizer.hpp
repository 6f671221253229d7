// How many reads the next batch takes. Usually as many as the engine prefers; fewer if the reads have very many
// alignments, so that all batches in work fit in memory. The records do not depend on this number.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace trawl::cli {

class BatchSizer {
 public:
  /// `wanted`: reads per batch. `fixed`: always use `wanted`, whatever the batches contain.
  BatchSizer(std::size_t wanted, bool fixed) : wanted_(wanted), fixed_(fixed) {}

  /// A batch should have fewer alignments than this.
  std::size_t max_alignments() const { return std::min(kAlignmentsARead * wanted_, kMostAlignments); }

  /// Tells the sizer how many reads and alignments a finished batch had.
  void saw(std::size_t reads, std::size_t alignments) {
    if (reads > 0) {
      reads_.fetch_add(reads);
      alignments_.fetch_add(alignments);
      last_ = alignments / reads + 1;
    }
  }

  std::size_t next() const {
    if (fixed_) {
      return wanted_;
    }
    if (reads_ == 0) {
      return std::min(wanted_, std::max(kFewest, wanted_ / 8));
    }
    const std::size_t a_read = std::max<std::size_t>(last_, alignments_ / reads_ + 1);
    return std::clamp(max_alignments() / a_read, std::min(kFewest, wanted_), wanted_);
  }

 private:
  static constexpr std::size_t kAlignmentsARead = 128;
  static constexpr std::size_t kMostAlignments = std::size_t{2} << 20;  // about 0.5 GB with their records
  static constexpr std::size_t kFewest = 16;

  std::size_t wanted_;
  bool fixed_;
  std::atomic<std::size_t> reads_{0};
  std::atomic<std::size_t> alignments_{0};
  std::atomic<std::size_t> last_{0};  // alignments per read in the latest batch
};

}  // namespace trawl::cli
