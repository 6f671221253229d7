// Highway includes this file once for every instruction set that it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scan/find/guide_scan_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "base/stop.hpp"
#include "match/band_lanes_simd.hpp"
#include "scan/find/guide_set.hpp"
#include "scan/find/guide_steps.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::scan::HWY_NAMESPACE {

// Ends that are searched at a time.
constexpr std::uint64_t kEnds = 4096;
// Pairs of a guide and a site that are compared at a time.
constexpr std::size_t kMostPairs = std::size_t{1} << 16;
// What is looked up or compared is fetched this many steps ahead.
constexpr std::size_t kAhead = 12;

class GuideScan {
 public:
  // As guide_scan().
  std::uint64_t run(const sequence::Reference& reference, const GuideSet& guides, const HitRoom& options,
                    std::uint64_t begin, std::uint64_t end, std::vector<Hit>& hits, double& cost) {
    reference_ = &reference;
    hits_ = &hits;
    first_hit_ = hits.size();
    room_ = options.room;
    looked_up_ = compared_ = 0;
    std::uint64_t at = begin;
    while (at < end && hits.size() - first_hit_ < options.most_hits) {
      const std::uint64_t next = std::min(end, at / kEnds * kEnds + kEnds);
      const std::size_t before = hits.size();
      Stop::look();
      region_ = {at, next};
      for (const GuideGroup& group : guides.groups()) {
        search<Side::right>({guides, group, Side::right}, guides.relaxed_pam(Side::right));
        search<Side::left>({guides, group, Side::left}, guides.relaxed_pam(Side::left));
      }
      if (is_full()) {
        hits.resize(before);
        break;
      }
      at = next;
    }
    cost += kCpuCosts.site * static_cast<double>(at - begin) + kCpuCosts.word * static_cast<double>(looked_up_) +
            (guides.no_gaps() ? kCpuCosts.guide_no_gaps : kCpuCosts.guide) * static_cast<double>(compared_);
    return at;
  }

 private:
  using Band = match::HWY_NAMESPACE::BandLanes<std::uint16_t>;
  static_assert(2 * GuideSet::kMostEdits + 1 <= Band::kBand);

  struct PamSite {
    std::uint64_t position;
    Beside beside;
  };
  struct SiteWord {
    std::uint32_t site;  // index
    std::uint32_t word;
  };
  struct SiteEntries {
    std::uint32_t site;
    std::uint32_t first, last;  // entries
  };
  struct GuideAtSite {
    std::uint32_t guide;
    std::uint32_t site;  // index
  };

  // Appends the hits with an end in the region.
  template <Side kSide>
  void search(const GuideView& view, const std::optional<PamSites>& relaxed) {
    if (view.pam_length == 0) {
      return;
    }
    find_sites<kSide>(view, relaxed);
    for (std::uint32_t l = 0; l < view.look_ups; ++l) {
      look_up<kSide>(view, l);
    }
    compare<kSide>(view);
  }

  template <Side kSide>
  void find_sites(const GuideView& view, const std::optional<PamSites>& relaxed) {
    sites_.clear();
    const TextView text(*reference_);
    const auto [first, last] = words_of_sites<kSide>(text, region_, view);
    for (std::uint64_t w = first; w < last; ++w) {
      std::uint64_t is_site = sites_in_word<kSide>(text, view, w);
      if (relaxed) {
        is_site = relaxed_sites(*relaxed, text, 64 * w - (kSide == Side::right ? view.pam_length : 0), is_site);
      }
      for (; is_site != 0; is_site &= is_site - 1) {
        const std::uint64_t position = 64 * w + static_cast<std::uint64_t>(std::countr_zero(is_site));
        sites_.push_back({position, letters_beside<kSide>(text, position)});
      }
    }
  }

  // Of the 64 places `among`, the first of which is `from`, those that have one of the motifs.
  static std::uint64_t relaxed_sites(const PamSites& pam, const TextView& text, std::uint64_t from,
                                     std::uint64_t among) {
    std::uint64_t found = 0;
    std::uint64_t at_most[GuideSet::kLongestPam + 1];  // [j]: the places with at most j mismatches until now
    for (const auto& motif : pam.motifs()) {
      std::fill_n(at_most, pam.max_mismatches() + 1, among);
      for (std::size_t i = 0; i < motif.size(); ++i) {
        const std::uint64_t same = sequence::letters_of_set(text.planes_at(from + i), motif[i]);
        for (std::uint32_t j = pam.max_mismatches(); j > 0; --j) {
          at_most[j] = (at_most[j] & same) | at_most[j - 1];
        }
        at_most[0] &= same;
      }
      found |= at_most[pam.max_mismatches()];
    }
    return found;
  }

  // More hits than wanted: those of this region are dropped, so there is no need to find the others.
  bool is_full() const { return hits_->size() - first_hit_ > room_; }

  // Appends to pairs_ the guides whose half is like the letters at this offset beside each site. Where there are many,
  // it compares them. The same pair may come from several look-ups.
  template <Side kSide>
  void look_up(const GuideView& view, std::uint32_t l) {
    const GuideTableView table = view.table(l);
    const auto [offset, edits] = view.look_up[l];
    looked_up_ += sites_.size();
    words_.resize(sites_.size());
    std::size_t count = 0;
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      const std::uint32_t word = sites_[s].beside.word(offset, table.gram);
      words_[count] = {static_cast<std::uint32_t>(s), word};
      count += table.may_have(word, edits);
    }
    ranges_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      __builtin_prefetch(&table.starts[words_[std::min(i + kAhead, count - 1)].word]);
      ranges_[i] = {words_[i].site, table.starts[words_[i].word], table.starts[words_[i].word + 1]};
      __builtin_prefetch(&table.entries[ranges_[i].first]);
    }
    for (std::size_t i = 0; i < count && !is_full(); ++i) {
      for (std::uint32_t e = ranges_[i].first; e < ranges_[i].last; ++e) {
        if (table.entries[e] % GuideTable::kCosts <= edits) {
          pairs_.push_back({table.entries[e] / GuideTable::kCosts, ranges_[i].site});
          if (pairs_.size() == kMostPairs) {
            compare<kSide>(view);
          }
        }
      }
    }
  }

  void add(const GuideView& view, std::uint32_t guide, std::uint64_t end, std::uint32_t distance) {
    if (end >= region_.begin && end < region_.end) {
      for (std::uint32_t i = view.first_query[guide]; i < view.first_query[guide + 1]; ++i) {
        hits_->push_back({end, view.queries[i], static_cast<std::uint16_t>(distance)});
      }
    }
  }

  // With gaps, pairs near ambiguous letters are compared one by one, the others in lanes.
  template <Side kSide>
  __attribute__((flatten)) void compare(const GuideView& view) {
    compared_ += pairs_.size();
    const TextView text(*reference_);
    std::size_t kept = 0;
    for (const GuideAtSite& pair : pairs_) {
      const std::uint64_t site = sites_[pair.site].position;
      const std::uint64_t word = band_begin<kSide>(view, site) / 64;
      if (!view.no_gaps && !reference_->block_has_ambiguous(word) && !reference_->block_has_ambiguous(word + 1)) {
        pairs_[kept++] = pair;
      } else {
        compare_guide<kSide>(text, view, site, pair.guide,
                             [&](std::uint64_t end, std::uint32_t distance) { add(view, pair.guide, end, distance); });
      }
    }
    pairs_.resize(kept);
    compare_in_lanes<kSide>(view);
    pairs_.clear();
  }

  // Bit k of the band is the diagonal without gaps.
  template <Side kSide>
  static std::uint64_t band_begin(const GuideView& view, std::uint64_t site) {
    return site - view.max_edits - (kSide == Side::right ? 0 : view.length);
  }

  template <Side kSide>
  void compare_in_lanes(const GuideView& view) {
    const std::uint32_t k = view.max_edits;
    const sequence::PlaneBlock* planes = reference_->planes().data();
    const auto letters_of = [&](const GuideAtSite& pair) -> const sequence::PlaneBlock& {
      const GuideGroup::GuidePlanes& guide = view.guides[pair.guide];
      return kSide == Side::right ? guide.right : guide.left;
    };
    for (std::size_t first = 0; first < pairs_.size(); first += Band::lanes()) {
      const std::size_t count = std::min(Band::lanes(), pairs_.size() - first);
      band_.begin(view.length);
      for (std::size_t l = 0; l < count; ++l) {
        const GuideAtSite& pair = pairs_[first + l];
        __builtin_prefetch(&letters_of(pairs_[std::min(first + l + kAhead, pairs_.size() - 1)]));
        const auto text = sequence::planes_at(planes, band_begin<kSide>(view, sites_[pair.site].position));
        const auto& letters = letters_of(pair);
        band_.set_length(l, view.length);
        band_.set_text(l, text.high, text.low);
        band_.set_read(l, letters.high, letters.low);
      }
      band_.end_words(0);
      band_.compute<kSide == Side::right>(true, k);
      for (std::size_t l = 0; l < count; ++l) {
        if (band_.smallest(l) > k) {
          continue;
        }
        const GuideAtSite& pair = pairs_[first + l];
        const std::uint64_t site = sites_[pair.site].position;
        match::for_each_end(band_.distance(l), band_.vp(l), band_.vn(l), 2 * k + 1, k,
                            [&](std::uint32_t bit, std::uint32_t distance) {
                              if (kSide == Side::right) {
                                add(view, pair.guide, site + view.length - 1 - k + bit, distance);
                              } else if (bit == k) {
                                add(view, pair.guide, site + view.pam_length - 1, distance);
                              }
                            });
      }
    }
  }

  const sequence::Reference* reference_ = nullptr;
  std::vector<Hit>* hits_ = nullptr;
  std::size_t first_hit_ = 0, room_ = 0;
  std::uint64_t looked_up_ = 0, compared_ = 0;
  Region region_;  // of the ends
  std::vector<PamSite> sites_;
  std::vector<SiteWord> words_;
  std::vector<SiteEntries> ranges_;
  std::vector<GuideAtSite> pairs_;
  Band band_;
};

std::uint64_t guide_scan(const sequence::Reference& reference, const GuideSet& guides, const HitRoom& options,
                         std::uint64_t begin, std::uint64_t end, std::vector<Hit>& hits, double& cost) {
  static thread_local GuideScan scan;
  return scan.run(reference, guides, options, begin, end, hits, cost);
}

}  // namespace trawl::scan::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::scan {

HWY_EXPORT(guide_scan);

std::uint64_t guide_scan(const sequence::Reference& reference, const GuideSet& guides, const HitRoom& options,
                         std::uint64_t begin, std::uint64_t end, std::vector<Hit>& hits, double& cost) {
  return HWY_DYNAMIC_DISPATCH(guide_scan)(reference, guides, options, begin, end, hits, cost);
}

}  // namespace trawl::scan

#endif  // HWY_ONCE
