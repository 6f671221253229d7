// Which alignment of a guide is written, of all that have the fewest edits within the limits. It is the rule of
// align/locus_path.hpp: the fewest gaps (a bulge of three bases is one gap), then none at the end of the guide that is
// far from the PAM, then the gaps leftmost.
//
//   GuideLetters guide, text;                                       // in the direction of the reference
//   guide.assign(std::vector<std::uint8_t>{1, 2, 4, 8, 1});         // ACGTA
//   text.assign(std::vector<std::uint8_t>{1, 2, 8, 1, 1, 1, 1});    // ACTAAAA
//   std::vector<match::Step> steps;
//   GuidePathFinder finder({4, 0, 2});                              // at most: edits, mismatches, bulges
//   finder.find(guide, text, 1, true, steps);
//   steps[2] == match::Step::insertion                              // G is in a bulge
//
// Nearly always one gap is enough. Then each is tried that is short enough. In general:
//
// As for the number of edits (guide_alignment.hpp), one number says all of a diagonal: the most guide bases that an
// alignment with at most g gaps, x mismatches and b bases in bulges places, from the left. The numbers are computed for
// one gap more, until a whole guide is placed. The steps are found from the right end. Limits of one kind of bulges are
// about the diagonals on which the guide begins and ends, and the bases in bulges: these say how many are of each kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "match/fewest_gaps.hpp"
#include "scan/report/guide_alignment.hpp"

namespace trawl::scan {

class GuidePathFinder {
 public:
  explicit GuidePathFinder(const GuideLimits& limits);

  /// Finds the steps of the best alignment, from left to right. `pam_first`: it begins with the text, otherwise it ends
  /// with the text. `edits`: the fewest that are possible within the limits; an alignment without bulges has more.
  void find(const GuideLetters& guide, const GuideLetters& text, std::uint32_t edits, bool pam_first,
            std::vector<match::Step>& steps);

 private:
  static constexpr std::int32_t kNone = -1;

  // Before base i of the guide, on diagonal d; and what an alignment of the bases before it may have.
  struct Place {
    std::int32_t i, d;
    std::uint32_t x, b, gaps;
  };

  bool has_both(const Place& at) const { return at.i > 0 && column(at) > 0; }
  std::int64_t column(const Place& at) const { return at.i + at.d + shift_; }
  bool find_one_gap(bool may_begin_with_gap, std::vector<match::Step>& steps) const;
  // Where the number of diagonal 0 is; those of the others are beside it.
  std::size_t row(std::uint32_t gaps, std::uint32_t x, std::uint32_t b) const;
  std::int32_t begin_of(std::int32_t d) const;
  std::int32_t most_shift(std::uint32_t b) const;
  void compute(std::uint32_t gaps);
  void compute(std::uint32_t gaps, std::uint32_t x, std::uint32_t b);
  void compute_up_to(std::uint32_t gaps, bool from_zero);
  bool take_best(std::uint32_t gaps, std::vector<match::Step>& steps);
  bool take_best_within(std::uint32_t gaps, std::vector<match::Step>& steps);
  bool reaches(const Place& at) const;
  bool reaches_gap(const Place& at, match::Step step) const;
  void trace(Place at);

  GuideLimits limits_;
  std::uint32_t most_mismatches_, bulges_;
  std::int32_t most_shift_;  // of all diagonals: from -most_shift_ to most_shift_
  std::size_t width_;        // of a row; the diagonals beyond those that are compared have none
  std::vector<std::int32_t> reached_;
  GuideDiagonals diagonals_;
  // The current guide:
  std::int32_t guide_size_ = 0;
  std::int64_t text_size_ = 0;
  std::int64_t shift_ = 0;  // base i of the guide lies beside base i + d + shift_ of the text
  std::uint32_t edits_ = 0;
  bool pam_first_ = false;
  bool may_begin_with_gap_ = false;
  std::optional<std::int32_t> begin_;  // where the PAM comes last: the only diagonal on which the guide begins
  std::vector<match::Step> path_;      // from right to left
};

}  // namespace trawl::scan
