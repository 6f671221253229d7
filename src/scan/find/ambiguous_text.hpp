// Ambiguous letters of a reference: how many there are in any window of a stretch of it, in constant time, which says
// where a match would have more of them than is allowed (sequence/ambiguous_limit.hpp); and where there is nothing
// else.
//
//   with: const sequence::Reference reference = reference_of("ACGTACGTNNNNACGT")
//   AmbiguousCounts counts;
//   counts.load(reference, 4, 6)                                     // words of 64 positions: 256 to 383
//   counts.view().in_window(sequence::kContigGap + 9, 8) == 2        // the 8 letters up to here: GTACGTNN
#pragma once

#include <cstdint>
#include <vector>

#include "base/bits.hpp"
#include "base/host_device.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

struct AmbiguousCountsView {
  const std::uint64_t* is_ambiguous = nullptr;  // by word of the reference; bit i of word w: position 64 w + i
  const std::uint32_t* before = nullptr;        // of a word: ambiguous letters before it

  TRAWL_HOST_DEVICE std::uint32_t until(std::uint64_t position) const {
    return before[position / 64] + popcount(is_ambiguous[position / 64] & ((std::uint64_t{1} << (position % 64)) - 1));
  }
  /// The number of them among the `length` positions up to `end`, or from the beginning of the reference to `end`.
  TRAWL_HOST_DEVICE std::uint32_t in_window(std::uint64_t end, std::uint32_t length) const {
    return until(end + 1) - until(end + 1 < length ? 0 : end + 1 - length);
  }
};

/// It takes 12 bytes for 64 positions and is copied to the device.
struct AmbiguousCounts {
  std::uint64_t first = 0;  // the first word
  std::vector<std::uint64_t> is_ambiguous;
  std::vector<std::uint32_t> before;

  /// Counts in the words [first, last) of 64 positions. Returns whether any letter in them is ambiguous; if none is,
  /// nothing is held.
  bool load(const sequence::Reference& reference, std::uint64_t first, std::uint64_t last);
  bool any() const { return !is_ambiguous.empty(); }
  AmbiguousCountsView view() const { return {is_ambiguous.data() - first, before.data() - first}; }
};

/// Stretches of a reference that need no scan: the inside of long gaps and of long runs of ambiguous letters. The text
/// before such a run no longer changes the result there. Call it with ascending positions.
///
///   with: const sequence::Reference reference = reference_of("ACGT" + std::string(10'000, 'N') + "ACGT")
///   bool all_match = false;
///   UniformText uniform(reference, false, 100);
///   uniform.from(0, 64, all_match) == 0            // ACGT comes soon
///   uniform.from(1024, 64, all_match) == 9216      // this many positions need no scan
class UniformText {
 public:
  /// `reach`: no match is longer than this.
  UniformText(const sequence::Reference& reference, bool ambiguous_matches, std::uint64_t reach)
      : reference_(reference), ambiguous_matches_(ambiguous_matches), reach_(reach) {}

  /// Number of positions from `begin` on, in whole blocks of `block`, that need no scan. In them and in the `reach`
  /// positions before them nothing matches or, with `all_match`, everything matches (a run of N, if ambiguous letters
  /// match). In the second case the last `reach` positions of the run are not among them, because a match that leaves
  /// the run may have parts in it.
  std::uint64_t from(std::uint64_t begin, std::uint64_t block, bool& all_match);

 private:
  struct UniformRun {
    std::uint64_t begin;
    std::uint64_t end;
    char letter;  // '\0': a gap or, if ambiguous letters match nothing, any ambiguous letter
  };

  UniformRun run_at(std::uint64_t position);
  UniformRun narrow(const UniformRun& run, std::uint64_t position) const;

  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  std::uint64_t reach_;
  UniformRun run_{0, 0, '\0'};
};

}  // namespace trawl::scan
