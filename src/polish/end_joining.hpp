// Joins the clipped ends of an alignment to it by long gaps.
//
//   reference   ...ACGTTGCATTAG [20 bases] CCATGGTTACGTAACC...
//   read           ACGTTGCATTAG            CCATGGTTACGTAACC
//   clipped        90M60S                                        the 60 bases are left out
//   joined         90M20D60M
//
// A gap of more than e bases is too many edits for a locus, so such a read is clipped. But it is one event, and variant
// callers look for it in the CIGAR. The join is the one with the best score: bases aligned, minus 5 for each edit in
// them, minus kLongGap for the long gap. Of equal ones it has the shortest gap, then the leftmost. It is made if its
// score is better than without it. The part after the gap has no further gap, may itself be clipped, and lies on the
// same contig. In the end all gaps are moved to the left.
//
// Where ends are trimmed (polish/chain.hpp), joins are chosen by the same points: all gaps are events, and an
// end of the read that is reached counts kEndLeftOut. So 11 bases behind 20D are joined there, and the score becomes 4
// smaller. What is still left out is joined again in the same way.
//
//   with: const sequence::Reference reference = reference_of("ACGTTGCATTAGGACCATGG" "CCCCCCCC" "TTACGTAACCGATTACAGGA")
//   with: const sequence::EncodedRead read = read_of("ACGTTGCATTAGGACCATGGTTACGTAACCGATTACAGGA")
//   TextAround text(reference, map::MapOptions());
//   text.enter(0);
//   Chain chain{{{match::Step::diagonal, 20}}, sequence::kContigGap, 0, 20};        // 20M20S
//   EndJoining({.join = 20}).join({text, read}, chain) == 5                         // 20 - 15
//   chain.runs[1].length == 8                                                       // 20M8D20M
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "map/options.hpp"
#include "polish/chain.hpp"

namespace trawl::polish {

class EndJoining {
 public:
  /// The longest gap has options.join bases.
  explicit EndJoining(const map::ClipOptions& options)
      : longest_(options.join), by_events_(options.when == align::ClipWhen::poor) {}

  /// Joins what a chain leaves out at both ends, where that is better. The gain is in the points by which joins are
  /// chosen.
  Gain join(const View& view, Chain& chain);

 private:
  // Where a chain may be cut: after any base on a diagonal.
  struct ChainCut {
    std::uint32_t base;     // bases of the read before the cut, the left out ones included
    std::int64_t diagonal;  // text position minus `base`
    std::int32_t points;    // of the part before
    std::size_t run;        // of the last step before it
    std::uint32_t steps;    // of this run, up to the cut
  };
  // What lies after a cut is moved to another diagonal.
  struct Join {
    ChainCut cut;
    std::int64_t diagonal;
    std::int32_t points;  // of all

    std::int64_t gap() const { return diagonal - cut.diagonal; }  // an insertion: negative
    std::uint32_t next() const { return base_after(cut, gap()); }
  };
  // Which bases at the end of a view match, diagonal by diagonal.
  class EndBits {
   public:
    // For bases from `first_base` on, and these diagonals (text position minus base).
    void load(const View& view, std::uint32_t first_base, std::int64_t first_diagonal, std::int64_t last_diagonal);
    // Finds the matches on a diagonal. Returns whether kShortestRun bases in a row match.
    bool find_matches(std::int64_t diagonal);
    // Whether base i surely matches on this diagonal.
    bool matches(std::uint32_t i) const {
      return ((matches_[(i - first_base_) / 64] >> ((i - first_base_) % 64)) & 1) != 0;
    }

   private:
    std::uint32_t first_base_ = 0;
    std::int64_t first_diagonal_ = 0;
    std::size_t words_ = 0;
    std::array<std::vector<std::uint64_t>, 4> read_, text_;  // [code]: a bit for each base, or position
    std::vector<std::uint64_t> matches_;
  };

  // The base with which the part after a gap begins.
  static std::uint32_t base_after(const ChainCut& cut, std::int64_t gap) {
    return static_cast<std::uint32_t>(cut.base - std::min<std::int64_t>(gap, 0));
  }
  // Joins the right end by one gap. The part before the gap has at least `runs` runs.
  Gain join_right(const View& view, Chain& chain, std::size_t runs);
  // Finds all cuts of a chain. Returns one after its last step.
  ChainCut find_cuts(const View& view, const Chain& chain);
  // The best join at one of the cuts, if it has more than `unbroken` points.
  std::optional<Join> best_join(const View& view, std::uint32_t first_base, std::int32_t unbroken);
  // Where the part after a gap ends: the last place with the most points.
  std::uint32_t end_after(const View& view, const Join& join) const;
  // The points of base i, if it does not match. An N costs less than an edit only where joins are chosen by events.
  std::int32_t points_of_other(const View& view, std::uint32_t i) const {
    return by_events_ && view.read_set(i) == 0 ? kUnknown : kMismatch;
  }
  std::int32_t end_points() const { return by_events_ ? kEndLeftOut : 0; }

  std::uint32_t longest_;
  bool by_events_;
  std::vector<ChainCut> cuts_;
  std::vector<std::int32_t> suffix_;  // [i]: the best score of bases that begin at i, on a diagonal
  EndBits end_bits_;
};

}  // namespace trawl::polish
