// Parts of reads that are mapped as reads of their own: the halves of reads without a locus, which have no piece of
// more than half their bases, and the clipped ends of primary records. The better half becomes the primary record;
// clipped ends become supplementary ones.
//
//   with: const sequence::ReadBatch& batch, align::AlignmentBatch& results
//   with: const align::AlignmentBatch& results_of_ends
//   SplitEnds ends(0);
//   ends.collect_halves(batch, results);                   // ends.ends(): a batch, to be mapped
//   ends.add_primaries(batch, results_of_ends, results);
//   ends.collect(batch, results);                          // the same for clipped ends
//   ends.add_supplementary(batch, results_of_ends, results);
#pragma once

#include <cstdint>
#include <vector>

#include "align/alignment.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::rescue {

class SplitEnds {
 public:
  /// A clipped end, and a piece of it, have at least so many bases.
  static constexpr std::uint32_t kShortest = 30;

  /// `least_score`: parts with a smaller score are not used.
  explicit SplitEnds(std::uint32_t least_score) : least_score_(static_cast<std::int32_t>(least_score)) {}

  /// Takes both halves of each read that has no alignment and was searched.
  void collect_halves(const sequence::ReadBatch& batch, const align::AlignmentBatch& results);
  /// `mapped`: the best alignments of ends(). The half with the better score, or the first one, becomes the alignment
  /// of its read; a mate is reported alone.
  /// Returns these reads.
  std::vector<std::uint32_t> add_primaries(const sequence::ReadBatch& batch, const align::AlignmentBatch& mapped,
                                           align::AlignmentBatch& results) const;

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

  void add(const sequence::ReadBatch& batch, std::size_t r, std::uint32_t begin, std::uint32_t end);
  bool is_used(const align::AlignmentBatch& mapped, std::size_t e) const;
  // Adds the best alignment of part e, as one of the whole read. Returns its index.
  std::size_t add_alignment(const sequence::ReadBatch& batch, const align::AlignmentBatch& mapped, std::size_t e,
                            align::AlignmentBatch& results) const;

  std::int32_t least_score_;
  sequence::ReadBatch ends_;
  std::vector<End> places_;  // of each read in ends_
};

}  // namespace trawl::rescue
