// Guides with a PAM, searched from their sites: the PAM is exact, or nearly, so it is found first; then only the text
// beside it is compared with all guides at once.
//
//   with: const std::vector<Query>& queries, const ScanOptions& options, const sequence::Reference& reference
//   std::vector<Hit> hits;
//   double cost = 0;
//   if (const auto guides = GuideSet::choose(queries, options)) {
//     guide_scan(reference, *guides, {}, 0, reference.size(), hits, cost);    // hits of the queries that it has
//   }
//
// A guide is read from its PAM on, and cut into a near half and a far half. Take a match with k edits. With e and f
// edits allowed in the halves and e + f + 1 = k, the near half has at most e edits, or the far half has at most f. In
// the second case the near half has more than e. It moves the far half by s letters, so it has |s| edits or more: at
// most k of them, and of the far half's edits k - |s| are left. So it is enough to look up the first letters of the
// text beside the PAM among all words that are like a near half, and, for every s from -k to k, the letters where the
// far half would begin among all words that are like a far half. What is found is compared with the guide.
//
// A word w of q letters is like a half h if w or a start of it is within the number of edits from h, or w from a start
// of h: whatever comes after the q letters cannot make the half's alignment cheaper than that. An ambiguous letter of
// the text is looked up as A. As it matches nothing, this finds more, never less.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "scan/find/query.hpp"
#include "scan/find/search_plan.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// The words that are like one half of a guide, of all guides of one length.
struct GuideTable {
  static constexpr unsigned kLongestGram = 11;
  static constexpr std::uint32_t kCosts = 4;  // an entry has a cost below this

  /// Letters that are looked up; bit i of a word is the low bit of letter i, bit gram + i the high one.
  unsigned gram = 0;
  std::vector<std::uint64_t> bitmaps;  // the words that are like a half with at most 0 edits, then with at most 1, ..
  // Word w has the entries [starts[w], starts[w + 1]), in the order of the guides.
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> entries;  // guide times kCosts, plus the edits
};

/// On which side of the PAM a guide is, in the direction of the text.
enum class Side : unsigned { right = 0, left = 1 };

/// The guides of one length, and how they are searched.
struct GuideGroup {
  /// A guide in the direction of the text, on both sides of its PAM.
  struct GuidePlanes {
    sequence::PlaneBlock right;  // it begins after the PAM
    sequence::PlaneBlock left;   // it ends before the PAM
  };
  /// A look-up of the far half.
  struct Shift {
    std::uint32_t offset;  // where it would begin, in letters from the PAM
    std::uint32_t edits;   // that it may have
  };

  /// The queries that a guide has on one side.
  struct Queries {
    std::vector<std::uint32_t> first;  // guide g has [first[g], first[g + 1]) of `ids`
    std::vector<std::uint32_t> ids;
  };

  std::uint32_t length = 0;  // letters of a guide
  std::uint32_t near_edits = 0;
  std::vector<Shift> shifts;
  GuideTable near_table;
  GuideTable far_table;
  std::vector<GuidePlanes> guides;
  Queries queries[2];  // by side
};

class GuideSet {
 public:
  /// Longer guides, and their edits, do not fit in the 64 letters that are compared at once.
  static constexpr std::uint32_t kLongestGuide = 48;
  static constexpr std::uint32_t kMostEdits = 7;
  static constexpr std::uint32_t kLongestPam = 16;

  /// The most bytes that the tables of this number of guides take, also while they are made.
  static std::uint64_t most_memory(std::uint64_t guides, const ScanOptions& options);

  /// The queries for which this is faster than rows, or all that it can search with Search::pieces. Null: none.
  static std::unique_ptr<const GuideSet> choose(const std::vector<Query>& queries, const ScanOptions& options,
                                                const SearchCosts& costs = kCpuCosts);

  /// About what searching all queries in this way would take, in nanoseconds for a position of the text; infinity if it
  /// cannot be used.
  static double estimated_cost(const std::vector<Query>& queries, const ScanOptions& options,
                               const SearchCosts& costs = kCpuCosts);

  /// Which queries it has.
  const std::vector<bool>& has() const { return has_; }
  /// What a row-wise scan of these queries costs, in nanoseconds for a position of the text.
  double cost_by_rows() const { return cost_by_rows_; }

  const std::vector<GuideGroup>& groups() const { return groups_; }
  std::uint32_t max_edits() const { return max_edits_; }
  bool no_gaps() const { return no_gaps_; }
  /// The PAM of guides on this side if it is several motifs, or one with mismatches.
  const std::optional<PamSites>& relaxed_pam(Side side) const { return relaxed_[static_cast<unsigned>(side)]; }
  /// The sets of bases that it may have, in the direction of the text. With several motifs or mismatches not all such
  /// places have one; their ends may be found as well.
  const std::vector<std::uint8_t>& pam(Side side) const { return pams_[static_cast<unsigned>(side)]; }

 private:
  GuideSet() = default;

  std::vector<bool> has_;
  double cost_by_rows_ = 0;
  std::uint32_t max_edits_ = 0;
  bool no_gaps_ = false;
  std::vector<std::uint8_t> pams_[2];  // by side
  std::optional<PamSites> relaxed_[2];
  std::vector<GuideGroup> groups_;
};

/// As literal_scan(), for the guides: appends every end in [begin, end) with at most max_edits edits, as rows find it.
/// Some come several times; the smallest distance of an end is the right one. Adds what the comparisons have
/// cost to `cost`, in nanoseconds.
std::uint64_t guide_scan(const sequence::Reference& reference, const GuideSet& guides, const HitRoom& options,
                         std::uint64_t begin, std::uint64_t end, std::vector<Hit>& hits, double& cost);

}  // namespace trawl::scan
