// Verifies many candidate windows at once: banded Myers, one window per SIMD lane (Highway; the instruction set is
// chosen at run time).
//
//   with: const sequence::Reference reference = reference_of("GGCTAGATTACAGATTTCAGCATGCCA")
//   with: const sequence::EncodedRead read = read_of("GATTACAGATTACAGCATG")
//   const Strand strand{&read, 1, 1};
//   std::vector<BandDistances> found;
//   verify_windows(reference, &strand, {{sequence::kContigGap + 4, 0, false}}, band_width(1), false, found);
//   smallest_distance(found[0], band_width(1)) == 1
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

namespace trawl::map {

/// A band of diagonals to verify: row i of the read against reference positions begin + i .. begin + i + band - 1.
struct BandWindow {
  std::int64_t begin = 0;
  std::uint32_t strand = 0;  // index into the strands given to verification
  bool clear = true;         // no ambiguous base in the read, nor in the reference around the band
  std::uint8_t last = 63;    // bits of BandDistances after this one are not looked at
};

/// D at the ends in a band. At bit 0 (end position begin + read length - 1) it is `distance`. From there, each step to
/// the next end adds 1 where `vp` has a bit and subtracts 1 where `vn` has one (see match/banded_myers.hpp).
struct BandDistances {
  std::uint32_t window = 0;  // index into the windows given
  std::uint32_t distance = 0;
  std::uint64_t vp = 0;
  std::uint64_t vn = 0;
};

/// One strand of a read, with what verification must know.
struct Strand {
  const sequence::EncodedRead* read = nullptr;
  std::uint32_t max_edits = 0;      // the number of edits searched for
  std::uint32_t allowed_edits = 0;  // the read's e, which defines loci: max_edits or more (map/search_depth.hpp)
  // Strands s, s + 2, s + 4 ... may share their seeds: parts of `region`, which holds all of them, or lies in all.
  const sequence::EncodedRead* region = nullptr;  // no ambiguous base in it
  std::int64_t offset = 0;                        // where `read` begins, counted from the start of the region
  std::uint32_t seeds = 0;                        // how many
  std::uint32_t sharing = 0;                      // of the first one: how many strands share them; of the others 0
  bool is_searched = true;

  /// What its seeds are parts of.
  const sequence::EncodedRead& seeded_part() const { return region != nullptr ? *region : *read; }
  /// How many strands have its seeds, itself included; 0: they are those of a strand before.
  std::uint32_t with_its_seeds() const { return region != nullptr ? sharing : 1; }
};

/// The smallest D at the first `band` ends.
std::uint32_t smallest_distance(const BandDistances& distances, unsigned band);

/// How many diagonals a window has for `max_edits`: 16, 32 or 64. 0 if the band needs more (2 e + 1 > 64).
unsigned band_width(std::uint32_t max_edits);

/// Windows of one band width that wait for verification.
struct WindowQueue {
  unsigned band = 0;
  std::vector<BandWindow> windows;
};

/// One for each width.
struct WindowQueues : std::array<WindowQueue, 3> {
  WindowQueues() : array{WindowQueue{16, {}}, WindowQueue{32, {}}, WindowQueue{64, {}}} {}

  /// band_width(max_edits) must not be 0.
  std::vector<BandWindow>& of(std::uint32_t max_edits) {
    const unsigned band = band_width(max_edits);
    return std::find_if(begin(), end(), [band](const WindowQueue& queue) { return queue.band == band; })->windows;
  }
};

/// The longest read that the counters in the SIMD lanes can handle.
inline constexpr std::size_t kMaxLaneRead = 32767;

/// Verifies windows that all have the band width `band`. Appends to `found`, in order, those that have an end with D <=
/// max_edits. Windows that are not `clear` are verified one at a time; `ambiguous_matches` says whether ambiguous bases
/// match.
void verify_windows(const sequence::Reference& reference, const Strand* strands, const std::vector<BandWindow>& windows,
                    unsigned band, bool ambiguous_matches, std::vector<BandDistances>& found);

/// The SIMD instruction set in use, shown by `trawl info`.
const char* simd_target();

namespace detail {

/// Verifies one window with plain 64-bit words, for reads and stretches of the reference with ambiguous bases.
BandDistances verify_one(const sequence::Reference& reference, const sequence::EncodedRead& read,
                         const BandWindow& window, bool ambiguous_matches, sequence::TextWindow& text);

}  // namespace detail

}  // namespace trawl::map
