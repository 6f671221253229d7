// The best alignment of a read, or of a part of it, in a band of diagonals, by the rule of penalties: a match counts 1,
// a mismatch -4, an N of the read -1, a gap of n bases -6 - n but never less than -15, and an end of the read that is
// reached 5 (Gotoh, J. Mol. Biol. 162, 1982; with bands, and two costs of a gap). It begins and ends with a base on a
// diagonal.
//
//   const std::uint8_t read[] = {1, 2, 4, 8}, text[] = {1, 2, 4, 8, 8};     // ACGT, ACGTT
//   AffineBand band;
//   band.align(read, text).bases == 4
//
//   by edits      92M1D1M1D57M    2 gaps               150 - 7 - 7 = 136
//   here          91M2D59M        1 gap, 1 mismatch    149 - 4 - 8 = 137
//
//   at the end of a contig
//   by edits      48M3I12M        1 gap                60 - 9 + 5 = 56
//   here          60M3S           an end left out      60
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "align/aligner.hpp"

namespace trawl::polish {

// The points of bases.
inline constexpr std::int32_t kMatch = 1;
inline constexpr std::int32_t kMismatch = -4;  // also of an inserted base, where it is an edit
inline constexpr std::int32_t kUnknown = -1;   // of a base of the read that matches nothing: N
/// What a gap costs beside 1 for each base, and at most: random bases near a piece do not match so well.
inline constexpr std::int32_t kGapOpening = 6;
inline constexpr std::int32_t kLongGap = 15;
/// What it costs to leave out an end of the read, beside its bases. With 0, every base less than 5 from an end that
/// differs is left out: of pairs of 150 on human chromosome 20 with a depth of 6, a caller found 5% fewer SNPs.
inline constexpr std::int32_t kEndLeftOut = 5;
/// Alignments are ranked by twice their score, and of equal ones by the ends that they reach, less their gaps.
inline constexpr std::int32_t kPointsOfEnd = 2 * kEndLeftOut + 1;
inline constexpr std::int32_t kPointsOfGap = 1;

/// In the text: a position outside the contig, where no base may lie.
inline constexpr std::uint8_t kOutside = 0x80;

/// The best alignment in a band.
struct AffineAlignment {
  std::int32_t points = 0;
  std::size_t begin = 0;  // its first base
  std::size_t bases = 0;
  std::size_t start = 0;  // where in the text its first base lies
  std::vector<align::AlignedRun> runs;
};

class AffineBand {
 public:
  /// Which ends of `read` are ends of the whole read.
  struct Ends {
    bool left = true;
    bool right = true;
  };

  /// `read` and `text`: sets of bases (bit 0 = A .. bit 3 = T); two match if they share one. Base i may lie at the
  /// positions i .. i + text.size() - read.size(). `read` has a base or more, and no more than `text`. Of equal
  /// alignments the one that ends first, then the one whose last gap is leftmost; a deletion goes before an insertion;
  /// then the one that begins last. Takes O(|read| (|text| - |read| + 1)) time. Valid until the next call.
  const AffineAlignment& align(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text,
                               Ends ends = {true, true});

  // The last step of an alignment: on a diagonal, or in a gap that costs more with each base, or in a long one.
  enum AffineState : std::uint8_t { none, diagonal, deletion, long_deletion, insertion, long_insertion };

  // What the lanes work on (affine_band_simd.cpp). Arrays are longer than the lanes by this.
  static constexpr std::size_t kLanePad = 64;

  // A cell: the state before its base on the diagonal, in the lowest bits; those above say which gaps go on there.
  static constexpr int kStateBits = 3;
  static constexpr int kStateMask = (1 << kStateBits) - 1;
  static constexpr int bit_of(int state) { return kStateBits + state - 2; }

  // Less than any score. With a state, and less a gap, it still fits into a lane.
  template <class T>
  static constexpr T kNever = std::numeric_limits<T>::min() / (2 * (kStateMask + 1));

 private:
  template <class T>
  void run(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text, Ends ends, std::vector<T>& memory);
  void trace(std::size_t base, std::size_t d);

  std::vector<std::int16_t> memory_16_;
  std::vector<std::int32_t> memory_32_;
  std::vector<std::uint8_t> cells_;
  std::size_t stride_ = 0;  // of a wave in cells_
  AffineAlignment best_;
};

// For every second diagonal, [1 + number]: the best scores of alignments whose last step was there; the best one of the
// diagonal with its state; the most points so far, and the last base of that alignment.
template <class T>
struct AffineRow {
  T *diagonal, *deletion, *long_deletion, *insertion, *long_insertion;
  T *best, *points, *last;
};
template <class T>
struct AffineLanes {
  AffineRow<T> rows[2];      // of even and of odd diagonals
  std::size_t diagonals[2];  // their number; the first is not smaller
  std::size_t stride = 0;    // of waves in the cells
  std::size_t waves = 0;
  std::size_t bases = 0;
  AffineBand::Ends ends;
  const T* read = nullptr;    // sets, backwards; kOutside around them
  std::size_t read_zero = 0;  // where base 0 lies
  const T* text = nullptr;
  std::uint8_t* cells = nullptr;
};

/// Fills in the cells and the rows.
void find_cells(const AffineLanes<std::int16_t>& lanes);
void find_cells(const AffineLanes<std::int32_t>& lanes);

}  // namespace trawl::polish
