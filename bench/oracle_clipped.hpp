// Finds every clipped locus of every read by plain dynamic programming over the whole reference: no seeds, no filter,
// no core. Other programs are checked with it.
//
// A piece is the bases [begin, end) of a strand. With x edits it may leave out at most most_clipped[x] bases of the
// read, at both ends together. An alignment of a piece is a path through nodes (i, j): i bases of the strand and j
// letters of the contig lie before it. Its steps are a match or mismatch, an insertion, a deletion; x is the number of
// its edits. Alignments that share a node, and all that are connected in this way, are one locus. Its piece has the
// smallest penalty, (bases left out) + 5 x; of equal ones it is the longest, then the one with the smallest begin.
//
//   contig TTACGTACGGTT, read ACGTACGGCA, at most 3 bases left out, e = 0
//       ->   + one locus: the piece [0, 8), which ends at 10, penalty 2
//
// Letters other than A, C, G, T, U match nothing: each costs one edit.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/clip_points.hpp"

namespace trawl::bench {

/// A read and the pieces that it may have. `most_clipped` [x]: the most bases left out with x edits, never ascending;
/// empty: the read has no loci.
struct ClippedQuery {
  std::string_view bases;
  std::vector<std::uint32_t> most_clipped;
};

struct ClippedLocus {
  std::uint64_t read = 0;    // number of the read, from 0
  std::uint32_t contig = 0;  // number of the contig, from 0
  bool reverse = false;
  std::uint64_t end = 0;         // 1-based position of the last matched base: the leftmost one in the locus
  std::uint32_t begin_base = 0;  // the piece, in the order of the strand
  std::uint32_t end_base = 0;
  std::uint32_t edits = 0;
  std::uint64_t run_end = 0;  // last end of the run that the piece alone has, if its limit is `max_edits`

  std::uint32_t length() const { return end_base - begin_base; }
  std::uint32_t penalty(std::uint64_t read_length) const {
    return static_cast<std::uint32_t>(read_length) - length() + kEditPoints * edits;
  }

  /// Sorted by read, contig, strand (+ first), end.
  auto operator<=>(const ClippedLocus&) const = default;
};

/// The limits of `trawl map -e max_edits --clip clip` for a read of this length.
std::vector<std::uint32_t> most_clipped(std::uint64_t length, const MaxEdits& max_edits, const MaxEdits& clip);

/// All clipped loci of all queries in all contigs, sorted. The runs' ends are those of pieces with `max_edits`.
std::vector<ClippedLocus> all_clipped_loci(const std::vector<ClippedQuery>& queries, const MaxEdits& max_edits,
                                           const std::vector<std::string_view>& contigs, unsigned threads);

/// The same by following every single path. Only for a dozen bases and few edits. `run_end` is 0.
std::vector<ClippedLocus> clipped_loci_by_paths(const std::vector<ClippedQuery>& queries,
                                                const std::vector<std::string_view>& contigs);

}  // namespace trawl::bench
