// The steps of a search of guides from the sites of their PAM (scan/find/guide_set.hpp has the idea), as small
// functions for host and device. A site is the position after a PAM that is on the left of its guide, or the first
// position of a PAM that is on the right of it.
//
//   with: const GuideSet& guides, const GuideGroup& group, const TextView& text, std::uint64_t w, std::uint64_t site
//   const GuideView view(guides, group, Side::right);                   // guides that begin after their PAM
//   const std::uint64_t sites = sites_in_word<Side::right>(text, view, w);
//   const Beside beside = letters_beside<Side::right>(text, site);
//   if (view.table(0).may_have(word_of(view, beside, 0), view.look_up[0].edits)) { ... }    // look-up 0
//   compare_guide<Side::right>(text, view, site, 0, [](std::uint64_t end, std::uint32_t distance) { ... });
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/bits.hpp"
#include "base/host_device.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/guide_set.hpp"
#include "scan/find/text_view.hpp"

namespace trawl::scan {

/// As GuideTable.
struct GuideTableView {
  const std::uint64_t* bitmaps = nullptr;  // one after the other
  const std::uint32_t* starts = nullptr;
  const std::uint32_t* entries = nullptr;
  unsigned gram = 0;

  GuideTableView() = default;
  explicit GuideTableView(const GuideTable& table)
      : bitmaps(table.bitmaps.data()), starts(table.starts.data()), entries(table.entries.data()), gram(table.gram) {}

  TRAWL_HOST_DEVICE std::uint64_t bitmap_words() const { return words_of(gram); }
  static constexpr std::uint64_t words_of(unsigned gram) { return ((std::uint64_t{1} << (2 * gram)) + 63) / 64; }
  /// Whether the word is like a half with at most that many edits.
  TRAWL_HOST_DEVICE bool may_have(std::uint32_t word, std::uint32_t edits) const {
    return (bitmaps[edits * bitmap_words() + word / 64] >> (word % 64)) & 1;
  }
  /// Whether it is like this guide's half.
  TRAWL_HOST_DEVICE bool has(std::uint32_t word, std::uint32_t edits, std::uint32_t guide) const {
    if (!may_have(word, edits)) {
      return false;
    }
    std::uint32_t first = starts[word];
    for (std::uint32_t count = starts[word + 1] - first; count > 0;) {
      const std::uint32_t half = count / 2;
      if (entries[first + half] / GuideTable::kCosts < guide) {
        first += half + 1;
        count -= half + 1;
      } else {
        count = half;
      }
    }
    return first < starts[word + 1] && entries[first] / GuideTable::kCosts == guide &&
           entries[first] % GuideTable::kCosts <= edits;
  }
};

/// The guides of one length on one side of the PAM.
struct GuideView {
  static constexpr std::uint32_t kMostLookUps = 2 * GuideSet::kMostEdits + 2;

  std::uint32_t length = 0;
  std::uint32_t max_edits = 0;
  bool no_gaps = false;
  std::uint32_t pam_length = 0;
  std::uint8_t pam[GuideSet::kLongestPam] = {};  // sets of bases, in the direction of the text
  std::uint32_t look_ups = 0;                    // the first one is that of the near half
  GuideGroup::Shift look_up[kMostLookUps] = {};
  GuideTableView near, far;
  const GuideGroup::GuidePlanes* guides = nullptr;
  const std::uint32_t* first_query = nullptr;  // by guide, and one after the last
  const std::uint32_t* queries = nullptr;

  GuideView() = default;
  GuideView(const GuideSet& set, const GuideGroup& group, Side side)
      : length(group.length),
        max_edits(set.max_edits()),
        no_gaps(set.no_gaps()),
        near(group.near_table),
        far(group.far_table),
        guides(group.guides.data()),
        first_query(group.queries[static_cast<unsigned>(side)].first.data()),
        queries(group.queries[static_cast<unsigned>(side)].ids.data()) {
    for (const std::uint8_t bases : set.pam(side)) {
      pam[pam_length++] = bases;
    }
    look_up[look_ups++] = {0, group.near_edits};
    for (const auto& shift : group.shifts) {
      look_up[look_ups++] = shift;
    }
  }

  TRAWL_HOST_DEVICE const GuideTableView& table(std::uint32_t l) const { return l == 0 ? near : far; }
};

/// Bit i: position 64 w + i is a site. The words before and after w must be in the text.
template <Side kSide>
TRAWL_HOST_DEVICE inline std::uint64_t sites_in_word(const TextView& text, const GuideView& view, std::uint64_t w) {
  // The PAM of a site is before it or begins there.
  const std::uint64_t from = kSide == Side::right ? w - 1 : w;
  const unsigned offset = kSide == Side::right ? 64 - view.pam_length : 0;
  const sequence::PlaneBlock a = text.planes[from - text.first], b = text.planes[from + 1 - text.first];
  const std::uint64_t unknown_a = text.ambiguous[from - text.first], unknown_b = text.ambiguous[from + 1 - text.first];
  std::uint64_t sites = ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < view.pam_length; ++i) {
    const unsigned shift = offset + i;
    sites &= ~sequence::funnel_shift_right(unknown_a, unknown_b, shift);
    const std::uint8_t set = view.pam[i];
    if (set != 15) {
      const std::uint64_t high = sequence::funnel_shift_right(a.high, b.high, shift);
      const std::uint64_t low = sequence::funnel_shift_right(a.low, b.low, shift);
      sites &= sequence::letters_of_set({high, low}, set);
    }
  }
  return sites;
}

/// 64 letters from a site on, in the direction away from the PAM; on the left those of the other strand.
struct Beside {
  std::uint64_t high;
  std::uint64_t low;

  /// `gram` letters from an offset on, as in GuideTable.
  TRAWL_HOST_DEVICE std::uint32_t word(std::uint32_t offset, unsigned gram) const {
    const std::uint32_t mask = (1u << gram) - 1;
    return (static_cast<std::uint32_t>(low >> offset) & mask) | (static_cast<std::uint32_t>(high >> offset) & mask)
                                                                    << gram;
  }
};
static_assert(GuideTable::kLongestGram <= 16);

template <Side kSide>
TRAWL_HOST_DEVICE inline Beside letters_beside(const TextView& text, std::uint64_t site) {
  if constexpr (kSide == Side::right) {
    const auto letters = text.planes_at(site);
    return {letters.high, letters.low};
  } else {
    const auto letters = text.planes_at(site - 64);
    return {reverse_bits(~letters.high), reverse_bits(~letters.low)};
  }
}

/// The word of look-up l.
TRAWL_HOST_DEVICE inline std::uint32_t word_of(const GuideView& view, const Beside& beside, std::uint32_t l) {
  return beside.word(view.look_up[l].offset, view.table(l).gram);
}

/// Whether a look-up before l finds the guide, too. So each pair of a site and a guide is reported once.
TRAWL_HOST_DEVICE inline bool is_found_before(const GuideView& view, const Beside& beside, std::uint32_t guide,
                                              std::uint32_t l) {
  for (std::uint32_t before = 0; before < l; ++before) {
    if (view.table(before).has(word_of(view, beside, before), view.look_up[before].edits, guide)) {
      return true;
    }
  }
  return false;
}

/// Compares a guide with the text at a site: calls emit(end, distance) for each end with at most max_edits edits, all
/// of them within max_edits positions of one another.
template <Side kSide, class Emit>
TRAWL_HOST_DEVICE inline void compare_guide(const TextView& text, const GuideView& view, std::uint64_t site,
                                            std::uint32_t index, const Emit& emit) {
  const std::uint32_t k = view.max_edits;
  const std::uint32_t m = view.length;
  const auto& guide = view.guides[index];
  const sequence::PlaneBlock letters = kSide == Side::right ? guide.right : guide.left;
  const std::uint64_t end_of_site = kSide == Side::right ? site + m - 1 : site + view.pam_length - 1;
  const std::uint64_t without_gaps = kSide == Side::right ? site : site - m;
  if (view.no_gaps) {
    const auto here = text.planes_at(without_gaps);
    const std::uint64_t differ =
        (here.high ^ letters.high) | (here.low ^ letters.low) | text.ambiguous_at(without_gaps);
    if (const unsigned mismatches = popcount(differ << (64 - m)); mismatches <= k) {
      emit(end_of_site, mismatches);
    }
    return;
  }
  // Bit k of the band is the diagonal without gaps.
  Band band(m);
  if constexpr (kSide == Side::right) {
    band.anchor(k);
  }
  band.compare(text, without_gaps - k, m, [&](std::uint32_t first) {
    return Letters32{static_cast<std::uint32_t>(letters.high >> first),
                     static_cast<std::uint32_t>(letters.low >> first)};
  });
  band.for_each_end(2 * k + 1, k, [&](std::uint32_t bit, std::uint32_t distance) {
    if constexpr (kSide == Side::right) {
      emit(end_of_site - k + bit, distance);
    } else if (bit == k) {  // the guide ends at the site
      emit(end_of_site, distance);
    }
  });
}
static_assert(GuideSet::kLongestGuide <= 64 && 2 * GuideSet::kMostEdits < 32);

/// The words where the sites of ends in a region are. `text` must have been made with kGuideReach.
template <Side kSide>
inline WordRange words_of_sites(const TextView& text, const Region& region, const GuideView& view) {
  const std::uint64_t before = kSide == Side::right ? view.length + view.max_edits : view.pam_length;
  return {std::max(text.first + 1, (region.begin - std::min(region.begin, before)) / 64),
          std::min(text.last, (region.end + 63) / 64)};
}

/// The letters before an end that a search may read.
inline constexpr std::uint64_t kGuideReach = 128;
static_assert(kGuideReach >= GuideSet::kLongestGuide + GuideSet::kLongestPam + 2 * GuideSet::kMostEdits + 1);

}  // namespace trawl::scan
