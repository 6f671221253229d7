// The clipped ends of primary records, as reads of their own, and their alignments as supplementary ones.
//
//   SplitEnds ends;
//   ends.collect(batch, results);                          // ends.ends(): a batch, to be mapped
//   ends.add_supplementary(batch, results_of_ends, results);
#pragma once

#include <cstdint>
#include <vector>

#include "align/alignment.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::clip {

class SplitEnds {
 public:
  /// A clipped end, and a piece of it, have at least so many bases.
  static constexpr std::uint32_t kShortest = 30;

  /// Takes the clipped ends of the primary records of a batch, at most two of a read.
  void collect(const sequence::ReadBatch& batch, const align::AlignmentBatch& results);
  const sequence::ReadBatch& ends() const { return ends_; }
  /// `mapped`: the best alignments of ends(). Adds them to `results`, as alignments of the whole reads.
  void add_supplementary(const sequence::ReadBatch& batch, const align::AlignmentBatch& mapped,
                         align::AlignmentBatch& results) const;

 private:
  // Bases [begin, end) of a read, as in the file.
  struct End {
    std::uint32_t read = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };

  sequence::ReadBatch ends_;
  std::vector<End> places_;  // of each read in ends_
};

}  // namespace trawl::clip
