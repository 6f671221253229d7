// The reference: all contigs in one coordinate space, as bit planes.
//
// Contigs are stored one after the other, with gaps of kContigGap positions before, between and after them. Gap
// positions count as ambiguous, and nothing matches there. So no match with fewer than kContigGap edits crosses the
// border of a contig.
//
//   const NamedText texts[] = {{"chr1", "ACGTN"}};
//   const Reference reference = pack_texts(texts);    // packed_letters.hpp
//   reference.contigs()[0].offset == kContigGap
//   reference.letter(kContigGap) == 'A'
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sequence/huge_array.hpp"

namespace trawl::sequence {

/// The length of the gap before each contig and after the last one. Edit distances must be smaller than this.
inline constexpr std::uint64_t kContigGap = 256;

/// 64 consecutive positions: bit i of `high` and `low` is the 2-bit code of position i (0 where ambiguous).
struct PlaneBlock {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
};

/// Whether a sequence is circular, and what is repeated of it.
struct Topology {
  bool circular = false;
  std::uint64_t repeated = 0;  // its last letters stand before it again, and its first ones after it, as many of each
  bool operator==(const Topology&) const = default;
};

/// A FASTA sequence.
struct Contig {
  std::string name;          // the FASTA header up to the first white space
  std::uint64_t offset = 0;  // of its first base, in the coordinate space
  std::uint64_t length = 0;  // with letters that are repeated
  Topology topology = {};

  /// Without letters that are repeated: where the first base lies, and the position after the last one.
  std::uint64_t origin() const { return offset + topology.repeated; }
  std::uint64_t origin_again() const { return offset + length - topology.repeated; }
  /// The length of the circle if letters are repeated; 0: they are not.
  std::uint64_t circle() const { return topology.repeated > 0 ? length - 2 * topology.repeated : 0; }
  /// Whether a place that ends at `end` is no repetition of another one.
  bool is_own(std::uint64_t end) const { return topology.repeated == 0 || (end >= origin() && end < origin_again()); }
};

/// A run of the same ambiguous letter.
struct AmbiguousRun {
  std::uint64_t begin = 0;  // in the coordinate space
  std::uint64_t length = 0;
  char letter = 'N';
};

/// Reference::Parts::summary of Reference::Parts::ambiguous.
HugeArray<std::uint64_t> summarise(std::span<const std::uint64_t> ambiguous);

class Reference {
 public:
  /// What a reference is made of. The arrays have a word for each 64 positions of the coordinate space.
  struct Parts {
    std::vector<Contig> contigs;         // ascending, with gaps of at least kContigGap; offsets are multiples of 64
    HugeArray<PlaneBlock> planes;        // see Reference::planes()
    HugeArray<std::uint64_t> ambiguous;  // see Reference::ambiguous()
    std::vector<AmbiguousRun> runs;      // see Reference::ambiguous_runs()
    HugeArray<std::uint64_t> summary;    // bit b % 64 of word b / 64: ambiguous[b] is not 0
  };

  Reference() = default;
  explicit Reference(Parts parts);

  /// A reference without what is repeated of circular contigs. It shares the arrays of `text`, whose contigs have the
  /// letters that are repeated, too; that is searched(). The coordinates of both are the same.
  static Reference without_repeats(Reference text);
  /// The reference in which reads are searched: that of without_repeats(), or this one.
  const Reference& searched() const { return text_ ? *text_ : *this; }

  const std::vector<Contig>& contigs() const { return parts_.contigs; }
  /// Size of the coordinate space, with gaps; a multiple of 64.
  std::uint64_t size() const { return parts_.ambiguous.size() * 64; }
  /// The number of bases in all contigs, without those that are repeated.
  std::uint64_t bases() const { return bases_; }
  /// Whether letters of a contig are repeated.
  bool has_repeats() const { return has_repeats_; }

  /// size() / 64 blocks.
  std::span<const PlaneBlock> planes() const { return {parts_.planes.data(), parts_.planes.size()}; }
  /// Bit i of word w is 1 if position 64 w + i is ambiguous or in a gap. size() / 64 words.
  std::span<const std::uint64_t> ambiguous() const { return {parts_.ambiguous.data(), parts_.ambiguous.size()}; }
  /// Whether any of the 64 positions of block b is ambiguous or in a gap.
  bool block_has_ambiguous(std::uint64_t b) const { return (parts_.summary[b / 64] >> (b % 64)) & 1; }
  /// The same for the 64 blocks from block b - b % 64 on. Unlike the summary, this stays in the cache.
  bool stretch_has_ambiguous(std::uint64_t b) const { return (stretches_[b / 4096] >> (b / 64 % 64)) & 1; }
  /// The same for `count` blocks from block b on. `count` must divide 64 and b.
  bool any_has_ambiguous(std::uint64_t b, unsigned count) const {
    return ((parts_.summary[b / 64] >> (b % 64)) & (~std::uint64_t{0} >> (64 - count))) != 0;
  }
  /// The runs of ambiguous letters in the contigs (without gaps), ascending.
  const std::vector<AmbiguousRun>& ambiguous_runs() const { return parts_.runs; }

  /// The letter at a position, in upper case. In a gap it is '\0'.
  char letter(std::uint64_t position) const;

  /// The index of the contig that holds `position`. For a position in a gap it is the contig before the gap, and 0
  /// before the first contig.
  std::size_t contig_at(std::uint64_t position) const;

 private:
  Parts parts_;
  std::vector<std::uint64_t> stretches_;  // bit w % 64 of word w / 64: parts_.summary[w] is not 0
  std::uint64_t bases_ = 0;
  bool has_repeats_ = false;
  std::shared_ptr<const Reference> text_;  // null: it is this one
};

}  // namespace trawl::sequence
