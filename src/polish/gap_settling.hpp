// Settles an alignment: the best one by the rule of penalties near it takes its place, with gaps as events and ends
// left out (AffineBand). Its bases are aligned anew along its diagonals and up to kBeside beside them
//   - if it has a gap and another edit,
//   - if it has a gap, and the bases of one of its diagonals alone are better,
//   - if one gap, of up to as many bases as a gap that is joined has, makes it better: then along that diagonal, too.
//
//   by edits    ACGTTGCAGATT-C-GGCATGTTCGAACT      2 edits, 2 gaps               27 - 7 - 7 = 13
//   reference   ACGTTGCAGATTACAGGCATGTTCGAACT
//   settled     ACGTTGCAGATT--CGGCATGTTCGAACT      3 edits, 1 gap, 1 mismatch    26 - 8 - 4 = 14
//
// How many edits it then has does not matter. It does not leave the contig.
//
//   with: const sequence::Reference reference = reference_of("ACGTTGCAGATTACAGGCATGTTCGAACT")
//   with: const sequence::EncodedRead read = read_of("ACGTTGCAGATTCGGCATGTTCGAACT")
//   with: const align::AlignedRun deletion = {match::Step::deletion, 1}, base = {match::Step::diagonal, 1}
//   TextAround text(reference, map::MapOptions());
//   text.enter(0);
//   Chain chain{{{base.step, 12}, deletion, base, deletion, {base.step, 14}}, sequence::kContigGap};  // 12M1D1M1D14M
//   GapSettling(20).settle({text, read}, chain, 0) == true
//   chain.runs.size() == 3                                          // 12M2D15M
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "align/cigar.hpp"
#include "polish/affine_band.hpp"
#include "polish/chain.hpp"

namespace trawl::polish {

class GapSettling {
 public:
  /// Diagonals beside those of an alignment on which its gaps may be settled.
  static constexpr std::int64_t kBeside = 8;

  /// `longest`: the most bases of a gap that is looked for beyond kBeside.
  explicit GapSettling(std::uint32_t longest) : longest_(std::max<std::int64_t>(longest, kBeside)) {}

  /// `most_left_out`: the most bases of the read that may be left out. Returns whether the chain is another one now.
  bool settle(const View& view, Chain& chain, std::uint32_t most_left_out);

 private:
  // A base of a chain.
  struct Base {
    std::int32_t diagonal;  // position in text_sets_ minus base; kInserted: it lies on none
    std::int32_t before;    // the penalty of the bases before it, with gaps as events
    std::int32_t after;     // and of those after it
  };
  // The penalty before a base becomes larger with this one.
  struct PenaltyStep {
    std::int32_t base;
    std::int32_t penalty;
  };
  static constexpr std::int32_t kInserted = INT32_MIN;

  // Loads the bases of the chain and the text for gaps of up to `around` bases beside its diagonals.
  void load(const View& view, const Chain& chain, std::int64_t around);
  void follow(const Chain& chain);
  // The penalty of a base on a diagonal. What is turned counts bases from the last one on.
  template <bool kTurned>
  std::int32_t penalty_of(std::int32_t base, std::int32_t diagonal) const {
    const std::int32_t i = kTurned ? static_cast<std::int32_t>(read_sets_.size()) - 1 - base : base;
    const std::uint8_t set = read_sets_[static_cast<std::size_t>(i)];
    const bool matches = (set & text_sets_[static_cast<std::size_t>(i + diagonal)]) != 0;
    return matches ? 0 : kMatch - (set == 0 ? kUnknown : kMismatch);
  }
  // The diagonal on which the first bases, or the last ones, fit best, if one gap from there to the chain makes it
  // better. Of equal ones the nearest, then the leftmost.
  template <bool kTurned>
  std::optional<std::int32_t> better_diagonal();
  // By how much the penalty becomes smaller if the first bases lie on this diagonal.
  template <bool kTurned>
  std::int32_t gain_on(std::int32_t diagonal);
  std::int32_t distance_of(std::int32_t diagonal) const { return std::max({first_ - diagonal, diagonal - last_, 0}); }
  // The most points of bases that lie on one diagonal of the chain.
  std::int32_t points_on_a_diagonal(AffineBand::Ends ends) const;

  std::int64_t longest_;
  std::vector<std::uint8_t> read_sets_, text_sets_;
  std::int64_t text_begin_ = 0;  // the text position of text_sets_[0]
  std::int32_t around_ = 0;
  std::vector<Base> bases_;
  std::int32_t first_ = 0, last_ = 0;  // diagonal of them
  std::int32_t penalty_ = 0;           // of all
  std::vector<PenaltyStep> events_;
  std::vector<std::int32_t> differing_;  // [i]: the penalty of the first i bases on a diagonal
  AffineBand band_;
};

/// Whether the gaps of an alignment may be settled: it has a gap, or two mismatches.
inline bool may_be_settled(const align::AlignmentBatch& results, const align::Alignment& alignment) {
  return alignment.edits >= 2 || align::has_gap(results, alignment);
}

}  // namespace trawl::polish
