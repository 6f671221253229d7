// Aligns a guide to the bases next to its PAM: the best alignment, with separate limits on mismatches and bulges.
//
//   GuideAligner aligner(4, 2, 2);                       // at most: edits, mismatches, bulges
//   if (const auto score = aligner.align(guide, text)) { // sets of bases, from the PAM outwards
//     score->mismatches ...
//     aligner.trace(guide, text, *score, true, steps);
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "match/fewest_gaps.hpp"

namespace trawl::scan {

struct GuideScore {
  std::uint16_t mismatches = 0;
  std::uint16_t bulges = 0;       // bases in bulges of either kind
  std::uint32_t text_length = 0;  // number of text bases in the alignment, counted from the PAM

  std::uint16_t distance() const { return static_cast<std::uint16_t>(mismatches + bulges); }
};

class GuideAligner {
 public:
  GuideAligner(std::uint32_t max_edits, std::uint32_t max_mismatches, std::uint32_t max_bulges)
      : max_edits_(max_edits), max_mismatches_(max_mismatches), max_bulges_(max_bulges) {}

  /// Aligns the whole guide to the beginning of the text. Both start with the base next to the PAM; each element is the
  /// set of bases that it matches (bit 0 = A .. bit 3 = T). Finds the alignment with the fewest edits; of those the one
  /// with the fewest bulges; of those the one with the shortest text. Returns nothing if no alignment is within the
  /// limits.
  std::optional<GuideScore> align(std::span<const std::uint8_t> guide, std::span<const std::uint8_t> text);

  /// The steps of the alignment that align() found last, from the PAM outwards. If several are equally good, it takes
  /// the one with gaps as near to the PAM as possible, or as far from it as possible.
  void trace(std::span<const std::uint8_t> guide, std::span<const std::uint8_t> text, const GuideScore& score,
             bool gaps_near_pam, std::vector<match::Step>& steps) const;

 private:
  static constexpr std::uint16_t kNever = 30000;

  // Fewest mismatches of the first i guide bases with the first j text bases, with b bases in bulges.
  std::uint16_t& cell(std::size_t i, std::size_t j, std::size_t b) {
    return cells_[(i * (columns_ + 1) + j) * (max_bulges_ + 1) + b];
  }
  std::uint16_t cell(std::size_t i, std::size_t j, std::size_t b) const {
    return cells_[(i * (columns_ + 1) + j) * (max_bulges_ + 1) + b];
  }

  std::uint32_t max_edits_;
  std::uint32_t max_mismatches_;
  std::uint32_t max_bulges_;
  std::size_t columns_ = 0;
  std::vector<std::uint16_t> cells_;
};

}  // namespace trawl::scan
