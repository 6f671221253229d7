// Which reads are duplicates: copies of one fragment, made by PCR or seen twice by the sequencer. The rule is that of
// `samtools markdup` in its default mode. Reads are compared by where their ends would lie if no base were left out.
//
//   const UnclippedEnds first = {.contig = 0, .first = 95, .last = 199};                       // 5S100M at 100
//   const UnclippedEnds second = {.contig = 0, .first = 300, .last = 399, .reverse = true};    // 100M at 300
//   lies_left(first, second) && !lies_left(second, first)
//   key_of_pair(first, second, true) == DuplicateKey{0, 95, 0, 399, DuplicateStrands::fr}
//   key_of_read(second) == DuplicateKey{0, 399, 0, 0, DuplicateStrands::reverse}
//   duplicate_score("I+5", 3) == 60                       // qualities 40, 10 and 20: those below 15 do not count
//
// Pairs with both mates mapped, and the same key: the one with the largest score of both mates is no duplicate; of
// equal ones that with the smallest name. Other reads with the same key: if a mate of such a pair has it, too, all are
// duplicates; otherwise the one with the largest score is none; of equal ones that with the smallest start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "align/alignment.hpp"
#include "align/cigar.hpp"

namespace trawl::align {

/// The positions of the first and the last base of a read on its contig, 0-based, if the bases that are left out lay
/// beside the others. They can lie before or after the contig.
struct UnclippedEnds {
  std::uint32_t contig = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool reverse = false;

  /// The position of the base that was sequenced first.
  std::int64_t start_of_read() const { return reverse ? last : first; }
};

inline UnclippedEnds unclipped_ends(const AlignmentBatch& batch, const Alignment& a) {
  const ClippedEnds clipped = clipped_ends(batch, a);
  const auto start = static_cast<std::int64_t>(a.start);
  return {a.contig, start - clipped.left, start + a.span + clipped.right - 1, a.reverse};
}

/// For a read alone: its strand. For a pair, from left to right: the strands of its mates (fr, rf), or for mates on one
/// strand, which of them comes first in its direction (ff: the first mate; rr: the second one).
enum class DuplicateStrands : std::uint8_t { forward, reverse, ff, rr, fr, rf };

/// Duplicates have the same one. Positions are taken modulo 2^32, because they can be negative.
struct DuplicateKey {
  std::uint32_t contig = 0;
  std::uint32_t at = 0;
  std::uint32_t other_contig = 0;  // of the right mate; 0 for a read alone
  std::uint32_t other_at = 0;
  DuplicateStrands strands = DuplicateStrands::forward;

  bool operator==(const DuplicateKey&) const = default;
};

inline DuplicateKey key_of_read(const UnclippedEnds& read) {
  return {read.contig, static_cast<std::uint32_t>(read.start_of_read()), 0, 0,
          read.reverse ? DuplicateStrands::reverse : DuplicateStrands::forward};
}

/// Whether a mate is the left one of its pair. If both begin at one position, both are.
inline bool lies_left(const UnclippedEnds& mate, const UnclippedEnds& other) {
  if (mate.contig != other.contig) {
    return mate.contig < other.contig;
  }
  if (mate.reverse == other.reverse) {
    return mate.reverse ? mate.last <= other.last : mate.first <= other.first;
  }
  return mate.start_of_read() <= other.start_of_read();
}

/// The key of a pair, of which `left` is the left mate. Mates on one strand are compared by the outer ends of the pair,
/// others by where the sequencing of each began.
inline DuplicateKey key_of_pair(const UnclippedEnds& left, const UnclippedEnds& right, bool left_is_first_mate) {
  using enum DuplicateStrands;
  const auto key = [&](std::int64_t at, std::int64_t other_at, DuplicateStrands strands) {
    return DuplicateKey{left.contig, static_cast<std::uint32_t>(at), right.contig, static_cast<std::uint32_t>(other_at),
                        strands};
  };
  return left.reverse == right.reverse ? key(left.first, right.last, left_is_first_mate != left.reverse ? ff : rr)
                                       : key(left.start_of_read(), right.start_of_read(), left.reverse ? rf : fr);
}

/// The sum of the qualities of a read that are at least 15. Phred+33; without qualities (FASTA) each counts as 255.
inline std::uint32_t duplicate_score(std::string_view qualities, std::size_t bases) {
  if (qualities.empty()) {
    return static_cast<std::uint32_t>(255 * bases);
  }
  std::uint32_t sum = 0;
  for (const char letter : qualities) {
    constexpr unsigned least = 15;
    const auto quality = static_cast<unsigned>(static_cast<unsigned char>(letter)) - 33;
    sum += quality >= least ? quality : 0;
  }
  return sum;
}

}  // namespace trawl::align
