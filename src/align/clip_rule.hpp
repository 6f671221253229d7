// The rule for clipped ends: which pieces of a read may match where the whole read does not.
//
//   read      AGGTTCACCGTACGATTACAGGACCTTA|agatcggaagagc     13 bases of an adapter at its end
//   piece    [----------- 28M ------------]               13 bases are left out
//   CIGAR     28M13S
//
// A piece is the bases [begin, end) of a strand. With `--clip N` it leaves out at most N bases, at both ends together,
// and it matches with at most e edits; a share e is one of the piece. Its penalty is the number of bases left out plus
// 5 for each edit: the score of SAM's AS is the length of the read minus the penalty.
//
// An alignment of a piece is a path through the matrix of read and reference: a row of nodes (i, j), with i bases of
// the read and j positions of the reference before it. Alignments that meet, that is, that have a node in common, and
// all that meet these, are one **clipped locus**. It is represented by its piece with the smallest penalty; of equal
// ones by the longest, then by the one that begins first on the strand. Every alignment holds the core [N, length - N)
// of the read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/host_device.hpp"

namespace trawl::align {

/// What an edit costs, in bases left out.
inline constexpr std::uint32_t kEditPoints = 5;

/// The most bases that are left out of a long read.
inline constexpr std::uint32_t kMostClipped = 32767;

/// Which reads are clipped.
enum class ClipWhen : std::uint8_t {
  unmapped,  // those without a locus of the whole read
  poor,      // the default (rescue/default_engine.hpp): none; ends are trimmed, reads placed by their words
  always,    // all; a whole read is then one of its pieces. If N is 0, the loci are those of whole reads
};

/// The largest penalty with which a read of `length` bases fits well at its primary locus, when its ends are trimmed.
inline constexpr std::uint32_t most_well_penalty(std::size_t length) { return static_cast<std::uint32_t>(length / 5); }

/// Bases [begin, end) of a strand that match with `edits` edits; the others are left out.
struct Piece {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::uint32_t edits = 0;

  std::uint32_t length() const { return end - begin; }
  /// `read_length`: of the whole read.
  std::uint32_t penalty(std::uint32_t read_length) const { return read_length - length() + kEditPoints * edits; }
  /// The same bases on the other strand of a read of `read_length` bases.
  Piece turned(std::uint32_t read_length) const { return {read_length - end, read_length - begin, edits}; }
  bool operator==(const Piece&) const = default;
};

/// Whether only one of two pieces of a read can be right, both as on one strand. Pieces that share less than half of
/// their bases may both be: parts of a read with a long gap, or of a chimera.
inline bool exclude_each_other(const Piece& a, const Piece& b) {
  const std::uint32_t begin = std::max(a.begin, b.begin);
  const std::uint32_t end = std::min(a.end, b.end);
  return end > begin && 2 * (end - begin) >= std::min(a.length(), b.length());
}

/// Which pieces of a read of one length are allowed.
struct PieceLimits {
  std::uint32_t length = 0;  // of the read
  /// [x]: a piece with x edits leaves out at most this number of bases. Never ascending; the first is N. Never empty.
  std::vector<std::uint32_t> most_clipped;

  std::uint32_t max_edits() const { return static_cast<std::uint32_t>(most_clipped.size()) - 1; }
  std::uint32_t clip() const { return most_clipped.front(); }  // N
  bool allows(const Piece& piece) const {
    return piece.edits <= max_edits() && length - piece.length() <= most_clipped[piece.edits];
  }
  /// e of a piece of `bases` bases; it must be allowed.
  std::uint32_t max_edits_of(std::uint32_t bases) const {
    std::uint32_t edits = max_edits();
    while (edits > 0 && most_clipped[edits] < length - bases) {
      --edits;
    }
    return edits;
  }
  /// No allowed piece has a larger penalty.
  std::uint32_t most_penalty() const {
    std::uint32_t most = 0;
    for (std::uint32_t edits = 0; edits <= max_edits(); ++edits) {
      most = std::max(most, most_clipped[edits] + kEditPoints * edits);
    }
    return most;
  }
  /// Whether all pieces with this penalty, or a smaller one, are allowed; without clipping, all whole reads.
  bool allows_all(std::uint32_t penalty) const {
    if (clip() == 0) {
      return penalty / kEditPoints <= max_edits();
    }
    for (std::uint32_t edits = 0; kEditPoints * edits <= penalty; ++edits) {
      if (edits > max_edits() || most_clipped[edits] < penalty - kEditPoints * edits) {
        return false;
      }
    }
    return true;
  }
};

/// The limits of reads of `length` bases. `clip`: N as the user gives it for them, in bases; it is lowered to less than
/// half of the read and to kMostClipped. `max_edits(n)`: e of a read of n bases; must not fall with n. A piece must
/// have more bases than edits. A read of 0 bases has no piece; its limits are {0, {0}}.
///
///   const PieceLimits limits = piece_limits(100, 30, [](std::uint32_t n) { return n / 20; });   // --clip 30, e = 5%
///   limits.most_clipped == {30, 30, 30, 30, 20, 0}                    // 4 edits need 80 bases, 5 all 100
///   limits.max_edits_of(75) == 3
inline PieceLimits piece_limits(std::uint32_t length, std::uint32_t clip,
                                const std::function<std::uint32_t(std::uint32_t)>& max_edits) {
  const std::uint32_t most = length == 0 ? 0 : std::min({clip, (length - 1) / 2, kMostClipped});
  PieceLimits limits{length, {most}};
  // The smallest length for x edits only grows with x.
  std::uint32_t smallest = length - most;
  for (std::uint32_t x = 1;; ++x) {
    while (smallest <= length && (smallest <= x || max_edits(smallest) < x)) {
      ++smallest;
    }
    if (smallest > length) {
      return limits;
    }
    limits.most_clipped.push_back(length - smallest);
  }
}

}  // namespace trawl::align
