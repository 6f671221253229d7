// Highway includes this file once for every instruction set that it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scan/find/guide_scan_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "match/band_lanes_simd.hpp"
#include "match/banded_myers.hpp"
#include "scan/find/guide_set.hpp"
#include "sequence/plane_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::scan::HWY_NAMESPACE {

// Ends that are searched at a time. With the text around them this is what PackedText holds.
constexpr std::uint64_t kEnds = 3840;
// Pairs of a guide and a site that are compared at a time.
constexpr std::size_t kMostPairs = std::size_t{1} << 16;
// Letters before the first end that may be read, and after the last one.
constexpr std::uint64_t kLettersBefore = 128;
constexpr std::uint64_t kLettersAfter = 64;
static_assert(kEnds + kLettersBefore + 64 + kLettersAfter <= PackedText::kMost + 2 * PackedText::kBefore);
static_assert(kLettersBefore >= GuideSet::kLongestGuide + GuideSet::kLongestPam + 2 * GuideSet::kMostEdits);
// What is looked up or compared is fetched this many steps ahead.
constexpr std::size_t kAhead = 12;

// Letter i is bits 2 i and 2 i + 1; the letters of the other strand.
HWY_INLINE std::uint64_t reverse_complement(std::uint64_t letters) {
  letters = __builtin_bswap64(~letters);
  letters = (letters >> 4 & 0x0F0F0F0F0F0F0F0F) | (letters & 0x0F0F0F0F0F0F0F0F) << 4;
  return (letters >> 2 & 0x3333333333333333) | (letters & 0x3333333333333333) << 2;
}

// A stretch of the text, in both directions.
class BothStrands {
 public:
  void load(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t end) {
    begin_ = begin;
    text_.load(reference, begin, end);
    words_ = (end - begin + 31) / 32;
    for (std::size_t w = 0; w < words_; ++w) {
      reverse_[words_ - 1 - w] = reverse_complement(text_.letters(32 * w));
    }
    reverse_[words_] = 0;
  }
  // 29 letters from the PAM on: those after position `site`, or those before it in the other direction.
  template <bool kRight>
  HWY_INLINE std::uint64_t beside(std::uint64_t site, std::uint64_t offset) const {
    if constexpr (kRight) {
      return text_.letters(site - begin_ + offset);
    } else {
      const std::uint64_t i = 32 * words_ - (site - begin_) + offset;
      std::uint64_t word;
      std::memcpy(&word, reinterpret_cast<const char*>(reverse_) + i / 4, sizeof word);
      return word >> (2 * (i % 4));
    }
  }

 private:
  PackedText text_;
  std::uint64_t begin_ = 0;
  std::size_t words_ = 0;
  std::uint64_t reverse_[(PackedText::kMost + 2 * PackedText::kBefore) / 32 + 2] = {};
};

class GuideScan {
 public:
  // As guide_scan().
  std::uint64_t run(const sequence::Reference& reference, const GuideSet& guides, const LiteralScanOptions& options,
                    std::uint64_t begin, std::uint64_t end, std::vector<Hit>& hits, double& cost) {
    reference_ = &reference;
    guides_ = &guides;
    hits_ = &hits;
    first_hit_ = hits.size();
    room_ = options.room;
    looked_up_ = compared_ = 0;
    std::uint64_t at = begin;
    while (at < end && hits.size() - first_hit_ < options.most_hits) {
      const std::uint64_t next = std::min(end, at / kEnds * kEnds + kEnds);
      const std::size_t before = hits.size();
      find_in(at, next);
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

  struct Word {
    std::uint32_t site;  // index
    std::uint32_t word;
  };
  struct Range {
    std::uint32_t site;
    std::uint32_t first, last;  // entries
  };
  struct Pair {
    std::uint32_t guide;
    std::uint32_t site;  // index
  };

  // Appends the hits with an end in [at, next).
  void find_in(std::uint64_t at, std::uint64_t next) {
    // There is a gap before the first contig.
    if (next <= kLettersBefore + 64) {
      return;
    }
    first_ = std::max(at, kLettersBefore + 64);
    last_ = next;
    text_.load(*reference_, (first_ - kLettersBefore) / 64 * 64, last_ + kLettersAfter);
    const std::uint64_t k = guides_->max_edits();
    for (const GuideGroup& group : guides_->groups()) {
      // A guide after its PAM begins at a site and has its ends around the site's other side.
      find_sites(guides_->pam_of_right(), guides_->relaxed_of_right(), guides_->pam_of_right().size(),
                 first_ + 1 - group.length - k, last_ + 1 - group.length + k);
      search<true>(group);
    }
    // A guide before its PAM ends at a site, and the PAM's last letter is the end.
    const std::uint64_t pam = guides_->pam_of_left().size();
    find_sites(guides_->pam_of_left(), guides_->relaxed_of_left(), 0, first_ + 1 - pam, last_ + 1 - pam);
    for (const GuideGroup& group : guides_->groups()) {
      search<false>(group);
    }
  }

  // The positions from `first` to `last` that are `before` letters after the beginning of a PAM.
  void find_sites(const std::vector<std::uint8_t>& pam, const std::optional<PamSites>& relaxed, std::uint64_t before,
                  std::uint64_t first, std::uint64_t last) {
    sites_.clear();
    if (pam.empty()) {
      return;
    }
    const sequence::PlaneBlock* planes = reference_->planes().data();
    const std::uint64_t* ambiguous = reference_->ambiguous().data();
    for (std::uint64_t word = first / 64 * 64; word < std::min(last, reference_->size() - 128); word += 64) {
      std::uint64_t is_site = ~std::uint64_t{0};
      for (std::size_t i = 0; i < pam.size(); ++i) {
        const std::uint64_t from = word + i - before;
        const auto text = sequence::planes_at(planes, from);
        const std::uint64_t unknown =
            sequence::funnel_shift_right(ambiguous[from / 64], ambiguous[from / 64 + 1], from % 64);
        is_site &= matches(pam[i], text) & ~unknown;
      }
      if (relaxed) {
        is_site = relaxed_sites(*relaxed, planes, word - before, is_site);
      }
      if (word < first) {
        is_site &= ~std::uint64_t{0} << (first - word);
      }
      if (word + 64 > last) {
        is_site &= ~std::uint64_t{0} >> (word + 64 - last);
      }
      for (; is_site != 0; is_site &= is_site - 1) {
        sites_.push_back(word + static_cast<std::uint64_t>(std::countr_zero(is_site)));
      }
    }
  }

  // The positions of 64 whose letter is in the set.
  static std::uint64_t matches(unsigned set, const sequence::PlaneBlock& text) {
    return (set & 1 ? ~text.high & ~text.low : 0) | (set & 2 ? ~text.high & text.low : 0) |
           (set & 4 ? text.high & ~text.low : 0) | (set & 8 ? text.high & text.low : 0);
  }

  // Of the 64 places `among`, the first of which is `from`, those that have one of the motifs.
  static std::uint64_t relaxed_sites(const PamSites& pam, const sequence::PlaneBlock* planes, std::uint64_t from,
                                     std::uint64_t among) {
    std::uint64_t found = 0;
    std::uint64_t at_most[GuideSet::kLongestPam + 1];  // the places with at most so many mismatches until now
    for (const auto& motif : pam.motifs()) {
      std::fill_n(at_most, pam.max_mismatches() + 1, among);
      for (std::size_t i = 0; i < motif.size(); ++i) {
        const std::uint64_t same = matches(motif[i], sequence::planes_at(planes, from + i));
        for (std::uint32_t j = pam.max_mismatches(); j > 0; --j) {
          at_most[j] = (at_most[j] & same) | at_most[j - 1];
        }
        at_most[0] &= same;
      }
      found |= at_most[pam.max_mismatches()];
    }
    return found;
  }

  template <bool kRight>
  void search(const GuideGroup& group) {
    if (sites_.empty()) {
      return;
    }
    pairs_.clear();
    look_up<kRight>(group, group.near_table, 0, group.near_edits);
    for (const GuideGroup::Shift& shift : group.shifts) {
      look_up<kRight>(group, group.far_table, shift.offset, shift.edits);
    }
    compare<kRight>(group);
  }

  // The same pair may come from several tables.
  template <bool kRight>
  void compare(const GuideGroup& group) {
    compared_ += pairs_.size();
    if (guides_->no_gaps()) {
      compare_letters<kRight>(group);
    } else {
      compare_bands<kRight>(group);
    }
    pairs_.clear();
  }

  // More hits than wanted: those of these ends are dropped, so there is no need to find the others.
  bool is_full() const { return hits_->size() - first_hit_ > room_; }

  // Appends to pairs_ the guides whose half is like the letters at this offset beside each site. Where there are many,
  // it compares them.
  template <bool kRight>
  void look_up(const GuideGroup& group, const GuideTable& table, std::uint64_t offset, std::uint32_t edits) {
    looked_up_ += sites_.size();
    words_.resize(sites_.size());
    const std::uint64_t* bitmap = table.bitmaps[edits].data();
    const std::uint64_t mask = (std::uint64_t{1} << (2 * table.gram)) - 1;
    std::size_t count = 0;
    for (std::size_t s = 0; s < sites_.size(); ++s) {
      const auto word = static_cast<std::uint32_t>(text_.beside<kRight>(sites_[s], offset) & mask);
      words_[count] = {static_cast<std::uint32_t>(s), word};
      count += (bitmap[word / 64] >> (word % 64)) & 1;
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
            compare<kRight>(group);
          }
        }
      }
    }
  }

  template <bool kRight>
  void add(const GuideGroup& group, std::uint32_t guide, std::uint64_t end, std::uint32_t distance) {
    if (end >= first_ && end < last_) {
      for (const std::uint32_t id : (kRight ? group.right_queries : group.left_queries)[guide]) {
        hits_->push_back({end, id, static_cast<std::uint16_t>(distance)});
      }
    }
  }

  // The letters of the text from `begin` on that are ambiguous.
  HWY_INLINE std::uint64_t unknown_at(std::uint64_t begin) const {
    const std::uint64_t* ambiguous = reference_->ambiguous().data() + begin / 64;
    return sequence::funnel_shift_right(ambiguous[0], ambiguous[1], begin % 64);
  }

  template <bool kRight>
  void compare_letters(const GuideGroup& group) {
    const std::uint64_t mask = (std::uint64_t{1} << group.length) - 1;
    for (const Pair& pair : pairs_) {
      const GuideGroup::Guide& guide = group.guides[pair.guide];
      const auto& letters = kRight ? guide.right : guide.left;
      const std::uint64_t site = sites_[pair.site];
      const std::uint64_t begin = kRight ? site : site - group.length;
      const auto text = sequence::planes_at(reference_->planes().data(), begin);
      const std::uint64_t differ = (text.high ^ letters.high) | (text.low ^ letters.low) | unknown_at(begin);
      if (const auto mismatches = static_cast<std::uint32_t>(std::popcount(differ & mask));
          mismatches <= guides_->max_edits()) {
        const std::uint64_t end = kRight ? site + group.length - 1 : site + guides_->pam_of_left().size() - 1;
        add<kRight>(group, pair.guide, end, mismatches);
      }
    }
  }

  template <bool kRight>
  void compare_bands(const GuideGroup& group) {
    const std::uint32_t k = guides_->max_edits();
    const sequence::PlaneBlock* planes = reference_->planes().data();
    const auto begin_of = [&](const Pair& pair) {
      return sites_[pair.site] - k - (kRight ? 0 : group.length);  // bit k: the diagonal without gaps
    };
    const auto letters_of = [&](const Pair& pair) -> const sequence::PlaneBlock& {
      const GuideGroup::Guide& guide = group.guides[pair.guide];
      return kRight ? guide.right : guide.left;
    };
    std::size_t kept = 0;  // pairs without ambiguous letters
    for (const Pair& pair : pairs_) {
      const std::uint64_t begin = begin_of(pair);
      if (reference_->block_has_ambiguous(begin / 64) || reference_->block_has_ambiguous(begin / 64 + 1)) {
        compare_one<kRight>(group, pair, letters_of(pair), begin);
      } else {
        pairs_[kept++] = pair;
      }
    }
    pairs_.resize(kept);
    for (std::size_t first = 0; first < pairs_.size(); first += Band::lanes()) {
      const std::size_t count = std::min(Band::lanes(), pairs_.size() - first);
      band_.begin(group.length);
      for (std::size_t l = 0; l < count; ++l) {
        const Pair& pair = pairs_[first + l];
        __builtin_prefetch(&letters_of(pairs_[std::min(first + l + kAhead, pairs_.size() - 1)]));
        const auto text = sequence::planes_at(planes, begin_of(pair));
        const auto& letters = letters_of(pair);
        band_.set_length(l, group.length);
        band_.set_text(l, text.high, text.low);
        band_.set_read(l, letters.high, letters.low);
      }
      band_.end_words(0);
      band_.compute<kRight>(true, k);
      for (std::size_t l = 0; l < count; ++l) {
        if (band_.smallest(l) <= k) {
          add_band<kRight>(group, pairs_[first + l], band_.distance(l), band_.vp(l), band_.vn(l));
        }
      }
    }
  }

  // Near ambiguous letters: one guide at a time.
  template <bool kRight>
  void compare_one(const GuideGroup& group, const Pair& pair, const sequence::PlaneBlock& letters,
                   std::uint64_t begin) {
    const std::uint32_t k = guides_->max_edits();
    const auto text = sequence::planes_at(reference_->planes().data(), begin);
    const std::uint64_t unknown = unknown_at(begin);
    match::BandState<std::uint64_t> state;
    std::uint32_t distance = group.length;
    if (kRight) {
      state.vn = (std::uint64_t{1} << k) - 1;
      state.vp = ~state.vn;
      distance += k;
    }
    for (std::uint32_t i = 0; i < group.length; ++i) {
      const std::uint64_t high = (letters.high >> i & 1) != 0 ? text.high : ~text.high;
      const std::uint64_t low = (letters.low >> i & 1) != 0 ? text.low : ~text.low;
      const auto cells = match::banded_row(match::PlainOps<std::uint64_t>{}, state, (high & low & ~unknown) >> i);
      distance -= static_cast<std::uint32_t>(cells.d0 & 1);
    }
    add_band<kRight>(group, pair, distance, state.vp, state.vn);
  }

  // The ends in a band: `distance` is D in bit 0, and `vp` and `vn` are the differences along the band.
  template <bool kRight>
  void add_band(const GuideGroup& group, const Pair& pair, std::uint32_t distance, std::uint64_t vp, std::uint64_t vn) {
    const std::uint32_t k = guides_->max_edits();
    for (std::uint32_t bit = 0; bit <= 2 * k; ++bit) {
      if (distance <= k) {
        if constexpr (kRight) {
          add<true>(group, pair.guide, sites_[pair.site] + group.length - 1 - k + bit, distance);
        } else if (bit == k) {
          add<false>(group, pair.guide, sites_[pair.site] + guides_->pam_of_left().size() - 1, distance);
        }
      }
      distance += static_cast<std::uint32_t>((vp >> bit) & 1);
      distance -= static_cast<std::uint32_t>((vn >> bit) & 1);
    }
  }

  const sequence::Reference* reference_ = nullptr;
  const GuideSet* guides_ = nullptr;
  std::vector<Hit>* hits_ = nullptr;
  std::size_t first_hit_ = 0, room_ = 0;
  std::uint64_t first_ = 0, last_ = 0;
  std::uint64_t looked_up_ = 0, compared_ = 0;
  BothStrands text_;
  std::vector<std::uint64_t> sites_;
  std::vector<Word> words_;
  std::vector<Range> ranges_;
  std::vector<Pair> pairs_;
  Band band_;
};

std::uint64_t guide_scan(const sequence::Reference& reference, const GuideSet& guides,
                         const LiteralScanOptions& options, std::uint64_t begin, std::uint64_t end,
                         std::vector<Hit>& hits, double& cost) {
  static thread_local GuideScan scan;
  return scan.run(reference, guides, options, begin, end, hits, cost);
}

}  // namespace trawl::scan::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::scan {

HWY_EXPORT(guide_scan);

std::uint64_t guide_scan(const sequence::Reference& reference, const GuideSet& guides,
                         const LiteralScanOptions& options, std::uint64_t begin, std::uint64_t end,
                         std::vector<Hit>& hits, double& cost) {
  return HWY_DYNAMIC_DISPATCH(guide_scan)(reference, guides, options, begin, end, hits, cost);
}

}  // namespace trawl::scan

#endif  // HWY_ONCE
