// Verification of many candidate windows at once: banded Myers, one window a SIMD lane (Highway, chosen at run time).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::map {

/// A band of diagonals to verify: row i of the read against reference positions begin + i .. begin + i + band - 1.
struct Window {
  std::int64_t begin = 0;
  std::uint32_t strand = 0;  // index into the strands that verification is given
  bool clear = true;         // neither the read nor the reference around the band holds an ambiguous base
};

/// D at the ends of a band: `distance` at bit 0 (end position begin + read length - 1), then step by step
/// +1 where `vp` has a bit, -1 where `vn` has it (see match/banded_myers.hpp).
struct BandDistances {
  std::uint32_t window = 0;  // index into the windows given
  std::uint32_t distance = 0;
  std::uint64_t vp = 0;
  std::uint64_t vn = 0;
};

/// One strand of a read, as verification needs it.
struct Strand {
  const sequence::EncodedRead* read = nullptr;
  std::uint32_t max_edits = 0;      // what is searched for
  std::uint32_t allowed_edits = 0;  // the read's e, by which ends form loci: max_edits, or more (map/search_depth.hpp)
};

/// Diagonals that one window can hold for `max_edits`, 16, 32 or 64; 0 where the band (2 e + 1) is wider than that.
unsigned band_width(std::uint32_t max_edits);

/// The longest read that the SIMD lanes can count.
inline constexpr std::size_t kMaxLaneRead = 32767;

/// Verifies windows of the same `band`; appends to `found`, in order, those with some end of D <= max_edits. Windows
/// that are not clear are verified one at a time, as `ambiguous_matches` says.
void verify_windows(const sequence::Reference& reference, const Strand* strands, const std::vector<Window>& windows,
                    unsigned band, bool ambiguous_matches, std::vector<BandDistances>& found);

/// The instruction set in use, for `trawl info`.
const char* simd_target();

namespace detail {

/// One window in plain 64-bit words, for reads and reference stretches with ambiguous bases.
BandDistances verify_one(const sequence::Reference& reference, const sequence::EncodedRead& read, const Window& window,
                         bool ambiguous_matches, sequence::TextWindow& text);

/// Whether any of the first `band` ends has D <= max_edits.
bool any_within(const BandDistances& distances, unsigned band, std::uint32_t max_edits);

}  // namespace detail

}  // namespace trawl::map
