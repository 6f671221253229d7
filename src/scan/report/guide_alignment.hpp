// Aligns a guide to the bases next to its PAM: the fewest edits, with separate limits on mismatches and bulges, and the
// alignment with that number of edits that is written. Most guides are aligned many at once (guide_lanes.hpp).
//
//   const std::vector<std::uint8_t> guide{1, 2, 4, 8, 1};           // ACGTA; from the PAM outwards
//   const std::vector<std::uint8_t> text{1, 2, 2, 8, 1, 1, 1};      // ACCTAAA
//   GuideAligner aligner({4, 2, 2});                                // at most: edits, mismatches, bulges
//   aligner.align(guide, text)->mismatches == 1
//
//   const std::vector<std::uint8_t> shorter{1, 2, 8, 1, 1, 1, 1};   // ACTAAAA; from left to right
//   std::vector<match::Step> steps;
//   GuideAligner({4, 0, 2}).find_steps(guide, shorter, 1, true, steps);
//   steps[2] == match::Step::insertion                              // G is in a bulge
//
// A cell (i, r, d) has i bases of the guide, r of them in bulges, and d letters of the text in bulges, so i - r + d
// letters of the text.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "match/fewest_gaps.hpp"
#include "scan/options.hpp"

namespace trawl::scan {

/// How many edits an alignment may have.
struct GuideLimits {
  std::uint32_t edits = 0, mismatches = 0, bulges = 0;  // bulges: bases of both kinds together
  std::uint32_t dna = ~std::uint32_t{0}, rna = ~std::uint32_t{0};

  GuideLimits(std::uint32_t most_edits, std::uint32_t most_mismatches, std::uint32_t most_bulges,
              std::uint32_t most_dna = ~std::uint32_t{0}, std::uint32_t most_rna = ~std::uint32_t{0})
      : edits(most_edits),
        mismatches(std::min(most_mismatches, most_edits)),
        bulges(std::min(most_bulges, most_edits)),
        dna(std::min(most_dna, bulges)),
        rna(std::min(most_rna, bulges)) {}
};

inline GuideLimits guide_limits(const ScanOptions& options) {
  return {options.max_edits, options.max_mismatches, options.max_bulges, options.max_dna_bulges,
          options.max_rna_bulges};
}

/// How a table of alignments came to a cell: its last step, and the step before a base in a bulge that ends there.
inline constexpr unsigned kInsertionShift = 2, kDeletionShift = 4, kStepMask = 3;

/// Replaces `steps` by those of a path from base i and cell `at`, from right to left. `direction(i, at)`: as above;
/// `insertion` and `deletion`: what such a step adds to `at`.
template <class Direction>
void trace_guide(std::size_t i, std::ptrdiff_t at, std::ptrdiff_t insertion, std::ptrdiff_t deletion,
                 const Direction& direction, std::vector<match::Step>& steps) {
  steps.clear();
  unsigned step = direction(i, at) & kStepMask;
  while (i > 0 || step != 0) {
    steps.push_back(static_cast<match::Step>(step));
    const unsigned here = direction(i, at);
    if (steps.back() == match::Step::diagonal) {
      step = direction(--i, at) & kStepMask;
    } else if (steps.back() == match::Step::insertion) {
      --i;
      at += insertion;
      step = here >> kInsertionShift & kStepMask;
    } else {
      at += deletion;
      step = here >> kDeletionShift & kStepMask;
    }
  }
}

struct GuideScore {
  static constexpr std::uint16_t kNone = 0xffff;

  std::uint16_t mismatches = 0;
  std::uint16_t bulges = 0;        // bases in bulges of either kind
  std::uint16_t ungapped = kNone;  // mismatches of the alignment without bulges; kNone: more than allowed

  std::uint16_t distance() const { return static_cast<std::uint16_t>(mismatches + bulges); }
};

/// Guides and texts are sets of bases, letter by letter (bit 0 = A .. bit 3 = T); an empty set matches nothing.
class GuideAligner {
 public:
  using Letters = std::span<const std::uint8_t>;

  explicit GuideAligner(const GuideLimits& limits) : limits_(limits) {}

  /// Aligns the whole guide to the beginning of the text: the fewest edits, and of the alignments with that number the
  /// fewest bases in bulges. Returns nothing if no alignment is within the limits.
  std::optional<GuideScore> align(Letters guide, Letters text);

  /// Finds the steps of the alignment that is written, from left to right. It is the rule of align/locus_path.hpp: the
  /// fewest gaps (a bulge of three bases is one gap), then none at the end of the guide that is far from the PAM, then
  /// the gaps leftmost. `pam_first`: it begins with the text, otherwise it ends with the text. `edits`: the fewest that
  /// are possible within the limits; an alignment without bulges has more.
  void find_steps(Letters guide, Letters text, std::uint32_t edits, bool pam_first, std::vector<match::Step>& steps);

 private:
  static constexpr std::uint32_t kNever = std::uint32_t{1} << 31;

  // With a margin of cells that are never reached.
  std::size_t width() const { return limits_.dna + std::size_t{3}; }
  std::size_t cells() const { return (limits_.rna + std::size_t{3}) * width(); }
  std::size_t cell(std::uint32_t r, std::uint32_t d) const { return (r + std::size_t{1}) * width() + d + 1; }
  std::uint32_t most_dna(std::uint32_t r) const { return std::min(limits_.dna, limits_.bulges - r); }

  using Costs = std::array<std::uint32_t, 3>;  // by last step

  GuideLimits limits_;
  std::vector<std::uint32_t> mismatches_;    // of align(): the fewest, by cell of a base
  std::vector<Costs> costs_, costs_before_;  // of find_steps(): by cell of a base and of the base before
  std::vector<std::uint8_t> directions_;     // by base and cell: the last step, and that before a bulge that ends there
  std::vector<match::Step> path_;
};

}  // namespace trawl::scan
