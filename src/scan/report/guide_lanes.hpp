// Many guides beside their texts at once, one in each SIMD lane (Highway; the instruction set is chosen at run time):
// what GuideAligner does for one, of guides and texts of at most 64 letters.
//
//   GuideLanes lanes({2, 2, 2});                                      // at most: edits, mismatches, bulges
//   lanes.add(std::vector<std::uint8_t>{1, 2, 4, 8, 1}, sequence::planes_of("ACTAAAA"));     // ACGTA
//   lanes.align();                                                    // guide and text from the PAM outwards
//   lanes.score(0)->distance() == 1
//   std::vector<match::Step> steps;
//   lanes.find_paths(true);                                           // guide and text from left to right
//   lanes.path(0, 1, steps);
//   steps[2] == match::Step::insertion                                // G is in a bulge
//
// align(): X(i, r, d) is the fewest mismatches of the first i bases of the guide with r of them, and d letters of the
// text, in bulges: the smallest of X(i - 1, r, d), + 1 if base i and its letter differ, X(i, r, d - 1), and
// X(i - 1, r - 1, d).
// find_paths(): edits and then gaps, with one number for each last step (Gotoh 1982), on the diagonals that the bulges
// allow. The limits of each kind are checked afterwards: a path that is not within them is not given.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "match/fewest_gaps.hpp"
#include "scan/report/guide_alignment.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

struct LaneProblem;

class GuideLanes {
 public:
  /// Guides at a time.
  static constexpr std::size_t kMost = 64;

  explicit GuideLanes(const GuideLimits& limits);

  /// Whether a guide of this length can be taken: with its bulges at most 64 bases, and at most 14 edits.
  bool takes(std::size_t length) const;
  /// Whether what was added must be done first: the lanes are full, or their guides have another length.
  bool must_wait(std::size_t length) const { return size_ == kMost || (size_ > 0 && length != length_); }
  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }

  /// `guide`: a set of bases for each letter. `text`: as many letters, and as many more as there may be bases in
  /// bulges; after them, anything.
  void add(std::span<const std::uint8_t> guide, const sequence::PlaneBlock& text);

  void align();
  /// As GuideAligner::align().
  std::optional<GuideScore> score(std::size_t lane) const;

  /// `pam_first`: the alignments begin with the text, otherwise they end with it.
  void find_paths(bool pam_first);
  /// The steps of the best alignment, from left to right, as GuideAligner::find_steps(). False: it has another number
  /// of edits or is not within the limits, and GuideAligner must be asked.
  bool path(std::size_t lane, std::uint32_t edits, std::vector<match::Step>& steps);

 private:
  using Row = std::array<std::uint8_t, kMost>;

  std::size_t diagonals() const { return 2 * std::size_t{limits_.bulges} + 1; }
  std::size_t letters() const { return length_ + limits_.bulges; }
  LaneProblem problem();

  GuideLimits limits_;
  std::size_t size_ = 0;
  std::size_t length_ = 0;  // of the guides, in bases
  bool pam_first_ = false;
  std::array<std::array<Row, 8>, 2> planes_{};  // of the texts, high and low, in bytes
  std::vector<Row> guides_;                     // a set for each letter
  std::vector<Row> texts_, room_;
  std::vector<Row> directions_;  // by base, diagonal: how find_paths() came there
  std::vector<Row> results_;     // align(): mismatches, bulges, ungapped; find_paths(): by last diagonal
  std::vector<match::Step> steps_;
};

}  // namespace trawl::scan
