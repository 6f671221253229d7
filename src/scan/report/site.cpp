#include "scan/report/site.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "base/bits.hpp"
#include "scan/find/dead_text.hpp"
#include "scan/report/guide_lanes.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

namespace {

// About how many ends one thread looks at, at a time.
constexpr std::size_t kEndsAPiece = 512;

struct SliceRange {
  std::uint64_t begin;  // in the contig
  std::uint64_t end;
  bool is_last;
  std::uint64_t fresh;
  std::uint64_t offset;  // coordinate of contig position 0; may wrap around, differences are still right
};

SliceRange range_of(const sequence::TextChunk& chunk, std::size_t slice) {
  const auto& p = chunk.slices[slice];
  const auto& contig = chunk.reference.contigs()[slice];
  return {p.begin, p.begin + contig.length, p.is_last, p.fresh, contig.offset - p.begin};
}

bool is_fresh(const SliceRange& slice, const Region& region, std::uint64_t key) {
  const std::uint64_t position = key + slice.offset;
  return key >= slice.fresh && (slice.is_last || key < slice.end) && position >= region.begin && position < region.end;
}

bool pam_matches(const sequence::Reference& reference, const Query& query, bool ambiguous_matches,
                 std::uint64_t position, sequence::TextWindow& window) {
  window.load(reference, static_cast<std::int64_t>(position), query.pam_first, ambiguous_matches);
  for (std::uint32_t i = 0; i < query.pam_first; ++i) {
    if ((window.set_at(i) & query.set(i)) == 0) {
      return false;
    }
  }
  return true;
}

// The mismatches in the PAM that begins at `position`; nothing: it is none that is allowed.
std::optional<std::uint32_t> pam_mismatches(const sequence::Reference& reference, const PamSites& pam,
                                            bool ambiguous_matches, std::uint64_t position,
                                            sequence::TextWindow& window) {
  window.load(reference, static_cast<std::int64_t>(position), pam.length(), ambiguous_matches);
  return pam.mismatches([&](std::uint32_t i) { return window.set_at(i); });
}

// Whether a site leans on no more ambiguous letters than is allowed. They are counted from the outer side of the PAM
// on.
bool is_allowed(const sequence::Reference& reference, const SliceRange& slice, const Query& query, std::uint64_t pam,
                const sequence::AmbiguousLimit& limit) {
  const std::uint64_t begin = slice.begin + slice.offset;
  const std::uint64_t end = slice.end + slice.offset;
  const std::uint64_t first =
      query.pam_last > 0 ? pam + query.pam_last - std::min<std::uint64_t>(query.length(), pam + query.pam_last - begin)
                         : pam;
  const std::uint64_t stop = query.pam_last > 0 ? pam + query.pam_last : first + query.length();
  return limit.allows(sequence::count_ambiguous(reference, first, std::min<std::uint64_t>(stop, end)), query.length());
}

}  // namespace

std::vector<std::uint8_t> guide_sets(const Query& query, bool outwards) {
  std::vector<std::uint8_t> sets;
  for (std::uint32_t i = query.pam_first; i < query.length() - query.pam_last; ++i) {
    sets.push_back(query.set(i));
  }
  if (outwards && query.pam_last > 0) {
    std::reverse(sets.begin(), sets.end());
  }
  return sets;
}

std::uint64_t SiteFinder::reach() const {
  std::uint64_t longest = 0;
  for (const Query& query : queries_) {
    longest = std::max<std::uint64_t>(longest, query.length());
  }
  return longest + options_.max_edits;
}

std::uint64_t SiteFinder::overlap() const { return reach() + 2 * options_.max_edits; }

std::uint64_t SiteFinder::look_back() const {
  // Only if the PAM comes first, the key of a site is not one of its ends; see find_guides().
  return !options_.pam.is_given() ? 0 : options_.max_edits + options_.max_bulges;
}

std::uint64_t SiteFinder::pam_position(const sequence::TextChunk& chunk, const Query& query, const Options& options,
                                       const Site& site) {
  const SliceRange slice = range_of(chunk, site.slice);
  const std::uint64_t first =
      query.pam_last > 0 ? site.key + 1 - query.pam_last : site.key + 1 - query.length() - options.max_edits;
  return first + slice.offset;
}

void SiteFinder::load_guide_text(const sequence::TextChunk& chunk, const Query& query, const Options& options,
                                 const Site& site, bool outwards, sequence::TextWindow& window, GuideLetters& text) {
  const SliceRange slice = range_of(chunk, site.slice);
  const std::uint64_t pam = pam_position(chunk, query, options, site);
  const std::uint64_t longest = query.guide_length() + options.max_bulges;
  const bool is_before = query.pam_last > 0;
  const std::uint64_t first = pam + query.pam_first;
  const std::uint64_t there = is_before ? pam - slice.offset - slice.begin : slice.end + slice.offset - first;
  const std::uint64_t length = std::min(longest, there);
  window.load(chunk.reference, static_cast<std::int64_t>(is_before ? pam - length : first), length,
              options.ambiguous_matches);
  text.assign(window, outwards && is_before);
}

bool SiteFinder::letters_at(const sequence::TextChunk& chunk, const Query& query, const Options& options,
                            std::uint64_t pam, sequence::PlaneBlock& letters) {
  const sequence::Reference& reference = chunk.reference;
  const std::uint64_t count = query.length() + std::uint64_t{options.max_bulges};
  const std::uint64_t before = query.pam_last > 0 ? query.guide_length() + std::uint64_t{options.max_bulges} : 0;
  const std::uint64_t begin = pam - before;
  if (options.ambiguous_matches || count > 64 || pam < before || begin + 128 > reference.size()) {
    return false;
  }
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - count);
  if ((sequence::bits_at(reference.ambiguous().data(), begin) & mask) != 0) {
    return false;
  }
  letters = sequence::planes_at(reference.planes().data(), begin);
  letters.high &= mask;
  letters.low &= mask;
  return true;
}

sequence::PlaneBlock SiteFinder::without_pam(const sequence::PlaneBlock& letters, const Query& query,
                                             const Options& options) {
  if (query.pam_first > 0) {
    return {letters.high >> query.pam_first, letters.low >> query.pam_first};
  }
  const std::uint64_t guide = (std::uint64_t{1} << (query.guide_length() + options.max_bulges)) - 1;
  return {letters.high & guide, letters.low & guide};
}

// Finds the sites of guides at some ends.
class SiteFinder::GuideSites {
 public:
  GuideSites(const SiteFinder& finder, const sequence::TextChunk& chunk, const Region& region)
      : queries_(finder.queries_),
        options_(finder.options_),
        most_mismatches_(std::min(options_.max_mismatches, options_.max_edits)),
        chunk_(chunk),
        region_(region),
        aligner_(guide_limits(options_)),
        lanes_(guide_limits(options_)) {}

  // `ends`: of one query. Of some of the sites it is only known in finish() whether they are any.
  void find(std::span<const Hit> ends, std::vector<Site>& sites) {
    begin(ends.front().id);
    if (query_->pam_last > 0) {
      for (const Hit& hit : ends) {
        enter_contig(hit.end);
        if (const std::uint64_t key = hit.end - slice_.offset; is_fresh(slice_, region_, key)) {
          add(key, hit.distance, sites);
        }
      }
      return;
    }
    std::uint64_t tried = 0;  // coordinates below this are done
    std::size_t near = 0;     // the first end that a site may have
    for (const Hit& hit : ends) {
      enter_contig(hit.end);
      // The guide may be longer or shorter by as many bases as there may be bulges.
      const std::uint64_t most = query_->length() + options_.max_bulges;
      const std::uint64_t least = query_->length() - std::min(query_->guide_length(), options_.max_bulges);
      const std::uint64_t begin = slice_.begin + slice_.offset;
      const std::uint64_t first = std::max({tried, begin, hit.end + 1 > most ? hit.end + 1 - most : 0});
      const std::uint64_t last = hit.end + 1 > least ? hit.end + 2 - least : 0;  // before this
      for_each_pam(first, last, [&](std::uint64_t pam) {
        const std::uint64_t key = pam - slice_.offset + query_->length() + options_.max_edits - 1;
        if (is_fresh(slice_, region_, key)) {
          add(key, least_edits(ends, near, pam + query_->length() - 1), sites);
        }
      });
      tried = std::max({tried, first, last});
    }
  }

  // Must follow the last find().
  void finish(std::vector<Site>& sites) {
    align_lanes(sites);
    if (has_dead_sites_) {
      std::erase_if(sites, [](const Site& site) { return site.distance == kNoSite; });
    }
  }

 private:
  static constexpr std::uint16_t kNoSite = GuideScore::kNone;

  void begin(std::uint32_t id) {
    id_ = id;
    query_ = &queries_[id];
    has_guide_ = false;
    guide_sets_.clear();
    relaxed_ = options_.pam.is_relaxed() ? std::make_unique<PamSites>(options_.pam, query_->reverse) : nullptr;
    guide_at_ = query_->pam_last > 0 ? options_.max_bulges : query_->pam_first;
    std::fill(std::begin(planes_), std::end(planes_), 0);
    for (std::uint32_t i = 0; i < query_->guide_length() && guide_at_ + i < 64; ++i) {
      for (unsigned code = 0; code < 4; ++code) {
        planes_[code] |= std::uint64_t{(query_->set(query_->pam_first + i) >> code) & 1u} << (guide_at_ + i);
      }
    }
  }

  void enter_contig(std::uint64_t position) {
    if (position >= contig_begin_ && position < contig_end_) {
      return;
    }
    p_ = chunk_.reference.contig_at(position);
    slice_ = range_of(chunk_, p_);
    const auto& contigs = chunk_.reference.contigs();
    contig_begin_ = p_ == 0 ? 0 : contigs[p_].offset;
    contig_end_ = p_ + 1 < contigs.size() ? contigs[p_ + 1].offset : UINT64_MAX;
  }

  // Calls use(pam) for the positions from `first` to before `last` where a PAM begins.
  template <class Use>
  void for_each_pam(std::uint64_t first, std::uint64_t last, Use&& use) {
    const sequence::Reference& reference = chunk_.reference;
    const std::uint64_t at_once = query_->pam_first < 48 ? 64 - query_->pam_first : 1;
    for (std::uint64_t pam = first; pam < last;) {
      const std::uint64_t count = std::min(at_once, last - pam);
      if (at_once == 1 || options_.ambiguous_matches || pam + 128 > reference.size()) {
        if (pam_matches(reference, *query_, options_.ambiguous_matches, pam, window_)) {
          use(pam);
        }
        ++pam;
        continue;
      }
      const std::uint64_t unknown = sequence::bits_at(reference.ambiguous().data(), pam);
      const auto text = sequence::planes_at(reference.planes().data(), pam);
      std::uint64_t begins = ~std::uint64_t{0} >> (64 - count);
      for (std::uint32_t i = 0; i < query_->pam_first; ++i) {
        const unsigned set = query_->set(i);
        const std::uint64_t same = (set & 1 ? ~text.high & ~text.low : 0) | (set & 2 ? ~text.high & text.low : 0) |
                                   (set & 4 ? text.high & ~text.low : 0) | (set & 8 ? text.high & text.low : 0);
        begins &= (same & ~unknown) >> i;
      }
      for (; begins != 0; begins &= begins - 1) {
        use(pam + lowest_bit(begins));
      }
      pam += count;
    }
  }

  // The fewest edits that a guide can have whose alignment without bulges would end at `end`: with b bases in bulges it
  // ends at most b positions from there. `near`: for the next call, whose `end` is not before this one.
  std::uint32_t least_edits(std::span<const Hit> ends, std::size_t& near, std::uint64_t end) const {
    const std::uint64_t bulges = options_.max_bulges;
    while (near < ends.size() && ends[near].end + bulges < end) {
      ++near;
    }
    std::uint64_t least = UINT32_MAX;
    for (std::size_t e = near; e < ends.size() && ends[e].end <= end + bulges; ++e) {
      const std::uint64_t moved = std::max(ends[e].end, end) - std::min(ends[e].end, end);
      least = std::min(least, std::max(moved, std::uint64_t{ends[e].distance}));
    }
    return static_cast<std::uint32_t>(least);
  }

  // Adds the site with this key if it is one. It has `least` edits or more.
  void add(std::uint64_t key, std::uint32_t least, std::vector<Site>& sites) {
    Site site{id_, static_cast<std::uint32_t>(p_), key, 0, {}, 0};
    const std::uint64_t pam = pam_position(chunk_, *query_, options_, site);
    if (sequence::PlaneBlock letters; letters_at(chunk_, *query_, options_, pam, letters)) {
      if (!pam_is_allowed(letters, site)) {
        return;
      }
      if (!score_mismatches(letters, least, site)) {
        if (options_.max_bulges == 0 || least > options_.max_edits) {
          return;
        }
        if (lanes_.takes(query_->guide_length())) {
          add_to_lanes(letters, sites);
        } else if (!align(site, pam)) {
          return;
        }
      }
    } else if (!align(site, pam)) {
      return;
    }
    site.distance = site.score.distance();
    sites.push_back(site);
  }

  // Puts the site that is added next into a lane.
  void add_to_lanes(const sequence::PlaneBlock& letters, std::vector<Site>& sites) {
    if (lanes_.must_wait(query_->guide_length())) {
      align_lanes(sites);
    }
    sequence::PlaneBlock text = without_pam(letters, *query_, options_);
    if (query_->pam_last > 0) {
      const unsigned unused = 64 - query_->guide_length() - options_.max_bulges;
      text = {reverse_bits(text.high) >> unused, reverse_bits(text.low) >> unused};
    }
    lanes_.add(guide(), text);
    in_lanes_.push_back(sites.size());
  }

  void align_lanes(std::vector<Site>& sites) {
    if (in_lanes_.empty()) {
      return;
    }
    lanes_.align();
    for (std::size_t lane = 0; lane < in_lanes_.size(); ++lane) {
      Site& site = sites[in_lanes_[lane]];
      const auto score = lanes_.score(lane);
      site.score = score.value_or(GuideScore{});
      site.distance = score ? score->distance() : kNoSite;
      has_dead_sites_ = has_dead_sites_ || !score;
    }
    in_lanes_.clear();
    lanes_.clear();
  }

  bool pam_is_allowed(const sequence::PlaneBlock& letters, Site& site) const {
    if (!relaxed_) {
      return true;
    }
    const std::uint32_t first = query_->pam_last > 0 ? query_->guide_length() + options_.max_bulges : 0;
    const auto mismatches = relaxed_->mismatches([&](std::uint32_t i) {
      return 1u << ((letters.high >> (first + i) & 1) << 1 | (letters.low >> (first + i) & 1));
    });
    site.pam_mismatches = static_cast<std::uint8_t>(mismatches.value_or(0));
    return mismatches.has_value();
  }

  // Whether the mismatches say all.
  bool score_mismatches(const sequence::PlaneBlock& letters, std::uint32_t least, Site& site) const {
    const auto [high, low] = letters;
    const std::uint64_t same = (planes_[0] & ~high & ~low) | (planes_[1] & ~high & low) | (planes_[2] & high & ~low) |
                               (planes_[3] & high & low);
    const auto mismatches = query_->guide_length() - popcount(same);
    // With one mismatch the guide and the text differ: no alignment has fewer edits.
    if (mismatches > most_mismatches_ || (options_.max_bulges > 0 && mismatches > std::max(least, 1u))) {
      return false;
    }
    const auto count = static_cast<std::uint16_t>(mismatches);
    site.score = {count, 0, count};
    return true;
  }

  // From the PAM outwards.
  const std::vector<std::uint8_t>& guide() {
    if (guide_sets_.empty()) {
      guide_sets_ = guide_sets(*query_, true);
    }
    return guide_sets_;
  }

  // Compares the guide and the PAM with the text, whatever letters it has; false if they are not within the limits.
  bool align(Site& site, std::uint64_t pam) {
    if (relaxed_) {
      const auto mismatches = pam_mismatches(chunk_.reference, *relaxed_, options_.ambiguous_matches, pam, window_);
      if (!mismatches) {
        return false;
      }
      site.pam_mismatches = static_cast<std::uint8_t>(*mismatches);
    }
    if (options_.ambiguous_matches && !is_allowed(chunk_.reference, slice_, *query_, pam, options_.ambiguous_limit())) {
      return false;
    }
    if (!has_guide_) {
      guide_.assign(guide());
      has_guide_ = true;
    }
    SiteFinder::load_guide_text(chunk_, *query_, options_, site, true, window_, text_);
    const auto score = aligner_.align(guide_, text_);
    if (score) {
      site.score = *score;
    }
    return score.has_value();
  }

  const std::vector<Query>& queries_;
  const Options& options_;
  std::uint32_t most_mismatches_;
  const sequence::TextChunk& chunk_;
  const Region& region_;
  GuideAligner aligner_;
  GuideLanes lanes_;
  std::vector<std::size_t> in_lanes_;  // the sites that are in the lanes
  bool has_dead_sites_ = false;        // some in the lanes were none
  // The query:
  std::uint32_t id_ = 0;
  const Query* query_ = nullptr;
  std::unique_ptr<const PamSites> relaxed_;
  std::uint32_t guide_at_ = 0;     // the first of letters_at() beside the guide, without bulges
  std::uint64_t planes_[4] = {0};  // by base: the letters there that may be this base
  bool has_guide_ = false;
  GuideLetters guide_, text_;
  std::vector<std::uint8_t> guide_sets_;  // empty: not known yet
  sequence::TextWindow window_;
  // The contig, with the gap after it:
  std::size_t p_ = 0;
  SliceRange slice_{};
  std::uint64_t contig_begin_ = 1, contig_end_ = 0;
};

std::uint64_t SiteFinder::first_position(const sequence::TextChunk& chunk) {
  if (chunk.slices.empty()) {
    return 0;
  }
  const SliceRange slice = range_of(chunk, 0);
  return slice.fresh + slice.offset;
}

std::vector<Site> SiteFinder::find(const sequence::TextChunk& chunk, const Region& region, std::span<const Hit> ends) {
  std::vector<Site> sites;
  if (queries_.empty() || !queries_.front().has_pam()) {
    for (const Hit& hit : ends) {
      const auto p = chunk.reference.contig_at(hit.end);
      const SliceRange slice = range_of(chunk, p);
      if (const std::uint64_t key = hit.end - slice.offset; is_fresh(slice, region, key)) {
        sites.push_back({hit.id, static_cast<std::uint32_t>(p), key, hit.distance, {}, 0});
      }
    }
    return sites;
  }
  // A piece ends with a query, or where no position belongs to the ends on both sides.
  std::vector<std::span<const Hit>> pieces;
  const std::uint64_t reach = 2 * std::uint64_t{options_.max_bulges} + 1;
  for (std::size_t first = 0, last; first < ends.size(); first = last) {
    last = std::min(first + kEndsAPiece, ends.size());
    while (last < ends.size() && ends[last].id == ends[last - 1].id && ends[last].end - ends[last - 1].end <= reach) {
      ++last;
    }
    pieces.push_back(ends.subspan(first, last - first));
  }
  std::vector<std::vector<Site>> found(pieces.size());
  tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t p) {
    GuideSites finder(*this, chunk, region);
    found[p].reserve(pieces[p].size());
    const std::span<const Hit> piece = pieces[p];
    for (std::size_t first = 0, last; first < piece.size(); first = last) {
      last = first + 1;
      while (last < piece.size() && piece[last].id == piece[first].id) {
        ++last;
      }
      finder.find(piece.subspan(first, last - first), found[p]);
    }
    finder.finish(found[p]);
  });
  std::vector<std::size_t> begins{0};
  for (const auto& of_piece : found) {
    begins.push_back(begins.back() + of_piece.size());
  }
  sites.resize(begins.back());
  tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t p) {
    std::copy(found[p].begin(), found[p].end(), sites.begin() + static_cast<std::ptrdiff_t>(begins[p]));
    found[p] = {};
  });
  return sites;
}

}  // namespace trawl::scan
