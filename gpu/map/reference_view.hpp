// The reference as device code sees it: blocks of bit planes, the places of the contigs, the ambiguous letters.
#pragma once

#include <cstdint>

#include "gpu/map/block.hpp"
#include "sequence/reference.hpp"

namespace trawl::gpu {

TRAWL_HOST_DEVICE constexpr char base_letter(unsigned code) {
  return static_cast<char>((std::uint32_t{0x54474341} >> (8 * code)) & 0xff);  // "ACGT"
}

struct ContigSpan {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t repeated = 0;  // sequence::Topology::repeated
};

struct ReferenceView {
  const BaseBlock* blocks = nullptr;  // positions in gaps are ambiguous
  std::int64_t block_count = 0;
  const ContigSpan* contigs = nullptr;
  std::uint64_t contig_count = 0;
  bool has_circles = false;  // a contig has repeated letters
  const sequence::AmbiguousRun* runs = nullptr;
  std::uint64_t run_count = 0;

  TRAWL_HOST_DEVICE BaseBlock block(std::int64_t b) const {
    if (b < 0 || b >= block_count) {
      return {0, 0, ~std::uint32_t{0}};
    }
    return blocks[b];
  }

  /// Positions [position, position + 32) of the coordinate space; positions outside of it are ambiguous.
  TRAWL_HOST_DEVICE BaseBlock at(std::int64_t position) const {
    const std::int64_t b = position >> 5;
    return funnel(block(b), block(b + 1), static_cast<unsigned>(position & 31));
  }

  /// The same as sets: what the letters there may stand for.
  TRAWL_HOST_DEVICE SetBlock sets_at(std::int64_t position) const {
    const BaseBlock block = at(position);
    SetBlock sets = sets_of(block);
    if (block.ambiguous != 0) {
      for (std::uint64_t r = first_run(position); r < run_count; ++r) {
        const auto begin = static_cast<std::int64_t>(runs[r].begin) - position;
        if (begin >= 32) {
          break;
        }
        const std::int64_t after = begin + static_cast<std::int64_t>(runs[r].length);
        sets.add(letter_set(runs[r].letter), low_bits(after < 32 ? static_cast<unsigned>(after) : 32) &
                                                 ~low_bits(begin > 0 ? static_cast<unsigned>(begin) : 0));
      }
    }
    return sets;
  }

  /// Same as sequence::count_ambiguous(), for begin < end.
  TRAWL_HOST_DEVICE std::uint64_t count_ambiguous(std::int64_t begin, std::int64_t end) const {
    std::uint64_t count = 0;
    for (std::uint64_t r = first_run(begin); r < run_count && static_cast<std::int64_t>(runs[r].begin) < end; ++r) {
      const auto from = static_cast<std::int64_t>(runs[r].begin);
      const std::int64_t to = from + static_cast<std::int64_t>(runs[r].length);
      count += static_cast<std::uint64_t>((to < end ? to : end) - (from > begin ? from : begin));
    }
    return count;
  }

  /// Same as Reference::contig_at().
  TRAWL_HOST_DEVICE std::uint32_t contig_at(std::uint64_t position) const {
    const ContigSpan* spans = contigs;
    const std::uint64_t after =
        first_where(contig_count, [spans, position](std::uint64_t c) { return spans[c].offset > position; });
    return after == 0 ? 0 : static_cast<std::uint32_t>(after - 1);
  }

  /// Same as Reference::letter(), for a position in a contig.
  TRAWL_HOST_DEVICE char letter(std::uint64_t position) const {
    const BaseBlock& here = blocks[position / 32];
    const unsigned bit = position % 32;
    if (((here.ambiguous >> bit) & 1) == 0) {
      return base_letter((here.high >> bit & 1) << 1 | (here.low >> bit & 1));
    }
    const sequence::AmbiguousRun* all = runs;
    const std::uint64_t after =
        first_where(run_count, [all, position](std::uint64_t r) { return all[r].begin > position; });
    if (after == 0) {
      return '\0';
    }
    const sequence::AmbiguousRun& run = all[after - 1];
    return position < run.begin + run.length ? run.letter : '\0';
  }

 private:
  // The first run of ambiguous letters that ends after a position.
  TRAWL_HOST_DEVICE std::uint64_t first_run(std::int64_t position) const {
    const sequence::AmbiguousRun* all = runs;
    return first_where(run_count, [all, position](std::uint64_t r) {
      return static_cast<std::int64_t>(all[r].begin + all[r].length) > position;
    });
  }
};

/// Bit i: base 32 w + i of a read does not match the reference if base 0 is at `diagonal` and there is no gap before
/// it.
TRAWL_HOST_DEVICE inline std::uint32_t differences(const ReferenceView& reference, const BaseBlock* read,
                                                   std::int64_t diagonal, std::uint32_t w) {
  return differ(reference.at(diagonal + 32 * static_cast<std::int64_t>(w)), read[w]);
}
/// The same where ambiguous letters match what they may stand for.
TRAWL_HOST_DEVICE inline std::uint32_t differences(const ReferenceView& reference, const SetBlock* read,
                                                   std::int64_t diagonal, std::uint32_t w) {
  return differ(reference.sets_at(diagonal + 32 * static_cast<std::int64_t>(w)), read[w]);
}

/// A strand of a read and the reference, for the functions of align/record_writer.hpp.
struct DeviceComparison {
  const ReferenceView& reference;
  const BaseBlock* strand;
  const SetBlock* sets = nullptr;  // of the strand: ambiguous letters match; null: they match nothing

  TRAWL_HOST_DEVICE char letter(std::uint64_t position) const { return reference.letter(position); }
  TRAWL_HOST_DEVICE char base(std::uint32_t i) const {
    const BaseBlock& here = strand[i / 32];
    const unsigned bit = i % 32;
    return (here.ambiguous >> bit & 1) != 0 ? '\0' : base_letter((here.high >> bit & 1) << 1 | (here.low >> bit & 1));
  }

  template <class Visit>
  TRAWL_HOST_DEVICE void differences(std::uint32_t i, std::uint64_t position, std::uint32_t length,
                                     const Visit& visit) const {
    const std::int64_t diagonal = static_cast<std::int64_t>(position) - i;
    for (std::uint32_t w = i / 32; 32 * w < i + length; ++w) {
      if (!visit(differences(diagonal, w) & range_bits(i, i + length, w), 32 * w)) {
        return;
      }
    }
  }
  /// See gpu::differences().
  TRAWL_HOST_DEVICE std::uint32_t differences(std::int64_t diagonal, std::uint32_t w) const {
    return sets == nullptr ? gpu::differences(reference, strand, diagonal, w)
                           : gpu::differences(reference, sets, diagonal, w);
  }
};

/// Converts planes of 64 positions to blocks; item i is a block.
struct MakeBlocks {
  const sequence::PlaneBlock* planes;
  const std::uint64_t* ambiguous;
  BaseBlock* blocks;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const unsigned shift = 32 * (i % 2);
    blocks[i] = {static_cast<std::uint32_t>(planes[i / 2].high >> shift),
                 static_cast<std::uint32_t>(planes[i / 2].low >> shift),
                 static_cast<std::uint32_t>(ambiguous[i / 2] >> shift)};
  }
};

}  // namespace trawl::gpu
