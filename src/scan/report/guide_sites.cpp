#include "scan/report/guide_sites.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::scan {

namespace {

// The distance of a site that is none.
constexpr std::uint16_t kNoSite = GuideScore::kNone;

}  // namespace

const SliceRange& SliceOfPosition::at(std::uint64_t position) {
  if (position < begin_ || position >= end_) {
    const auto& contigs = chunk_.reference.contigs();
    number_ = chunk_.reference.contig_at(position);
    range_ = SliceRange(chunk_, number_);
    begin_ = number_ == 0 ? 0 : contigs[number_].offset;
    end_ = number_ + 1 < contigs.size() ? contigs[number_ + 1].offset : UINT64_MAX;
  }
  return range_;
}

void GuideSites::find(std::span<const Hit> ends, std::vector<Site>& sites) {
  begin(ends.front().id);
  const Query& query = *guide_.query;
  if (query.pam_last > 0) {
    for (const Hit& hit : ends) {
      const SliceRange& slice = slice_.at(hit.end);
      if (const std::uint64_t key = hit.end - slice.offset; slice.has(region_, key)) {
        add(key, hit.distance, sites);
      }
    }
    return;
  }
  std::uint64_t tried = 0;  // coordinates below this are done
  std::size_t near = 0;     // the first end that a site may have
  // The guide may be longer or shorter by as many bases as there may be bulges.
  const std::uint64_t most = query.length() + std::uint64_t{options_.max_bulges};
  const std::uint64_t least = query.length() - std::min(query.guide_length(), options_.max_bulges);
  for (const Hit& hit : ends) {
    const SliceRange& slice = slice_.at(hit.end);
    const std::uint64_t first =
        std::max({tried, slice.begin + slice.offset, hit.end + 1 > most ? hit.end + 1 - most : 0});
    const std::uint64_t last = hit.end + 1 > least ? hit.end + 2 - least : 0;  // before this
    for_each_pam(first, last, [&](std::uint64_t pam) {
      const std::uint64_t key = pam - slice.offset + query.length() + options_.max_edits - 1;
      if (slice.has(region_, key)) {
        add(key, least_edits(ends, near, pam + query.length() - 1), sites);
      }
    });
    tried = std::max({tried, first, last});
  }
}

void GuideSites::finish(std::vector<Site>& sites) {
  align_lanes(sites);
  std::erase_if(sites, [](const Site& site) { return site.distance == kNoSite; });
}

void GuideSites::begin(std::uint32_t id) {
  const Query& query = queries_[id];
  guide_.id = id;
  guide_.query = &query;
  guide_.letters.clear();
  if (options_.pam.is_relaxed()) {
    guide_.relaxed.emplace(options_.pam, query.reverse);
  }
  const std::uint32_t at = query.pam_last > 0 ? options_.max_bulges : query.pam_first;
  std::fill(std::begin(guide_.planes), std::end(guide_.planes), 0);
  for (std::uint32_t i = 0; i < query.guide_length() && at + i < 64; ++i) {
    for (unsigned code = 0; code < 4; ++code) {
      guide_.planes[code] |= std::uint64_t{(query.set(query.pam_first + i) >> code) & 1u} << (at + i);
    }
  }
}

std::span<const std::uint8_t> GuideSites::guide_letters() {
  if (guide_.letters.empty()) {
    guide_.letters = guide_sets(*guide_.query, true);
  }
  return guide_.letters;
}

// Calls use(pam) for the positions from `first` to before `last` where a PAM begins.
template <class Use>
void GuideSites::for_each_pam(std::uint64_t first, std::uint64_t last, Use&& use) {
  const sequence::Reference& reference = chunk_.reference;
  const Query& query = *guide_.query;
  const std::uint64_t at_once = query.pam_first < 48 ? 64 - query.pam_first : 1;
  for (std::uint64_t pam = first; pam < last;) {
    if (at_once == 1 || options_.ambiguous_matches || pam + 128 > reference.size()) {
      window_.load(reference, static_cast<std::int64_t>(pam), query.pam_first, options_.ambiguous_matches);
      std::uint32_t same = 0;
      while (same < query.pam_first && (window_.set_at(same) & query.set(same)) != 0) {
        ++same;
      }
      if (same == query.pam_first) {
        use(pam);
      }
      ++pam;
      continue;
    }
    const std::uint64_t count = std::min(at_once, last - pam);
    const std::uint64_t unknown = sequence::bits_at(reference.ambiguous().data(), pam);
    const auto text = sequence::planes_at(reference.planes().data(), pam);
    std::uint64_t begins = ~std::uint64_t{0} >> (64 - count);
    for (std::uint32_t i = 0; i < query.pam_first; ++i) {
      begins &= (sequence::letters_of_set(text, query.set(i)) & ~unknown) >> i;
    }
    for (; begins != 0; begins &= begins - 1) {
      use(pam + lowest_bit(begins));
    }
    pam += count;
  }
}

// The fewest edits that a guide can have whose alignment without bulges would end at `end`: with b bases in bulges it
// ends at most b positions from there. `near`: for the next call, whose `end` is not before this one.
std::uint32_t GuideSites::least_edits(std::span<const Hit> ends, std::size_t& near, std::uint64_t end) const {
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
void GuideSites::add(std::uint64_t key, std::uint32_t least, std::vector<Site>& sites) {
  const Query& query = *guide_.query;
  Site site{guide_.id, slice_.number(), key, 0, {}, 0};
  const std::uint64_t pam = pam_of_key(query, options_, key) + slice_.range().offset;
  if (const auto letters = text_.plain_letters(query, pam)) {
    const std::uint32_t first = query.pam_last > 0 ? query.guide_length() + options_.max_bulges : 0;
    const auto set_at = [&](std::uint32_t i) {
      return 1u << ((letters->high >> (first + i) & 1) << 1 | (letters->low >> (first + i) & 1));
    };
    if (!has_pam(set_at, site)) {
      return;
    }
    if (!has_few_mismatches(*letters, least, site)) {
      if (options_.max_bulges == 0 || least > options_.max_edits) {
        return;
      }
      if (lanes_.takes(query.guide_length())) {
        add_to_lanes(*letters, sites);
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

// Whether a PAM that matches Pam::bases is one. It counts the mismatches.
template <class SetAt>
bool GuideSites::has_pam(const SetAt& set_at, Site& site) const {
  if (!guide_.relaxed) {
    return true;
  }
  const auto mismatches = guide_.relaxed->mismatches(set_at);
  site.pam_mismatches = static_cast<std::uint8_t>(mismatches.value_or(0));
  return mismatches.has_value();
}

// Whether the mismatches say all.
bool GuideSites::has_few_mismatches(const sequence::PlaneBlock& letters, std::uint32_t least, Site& site) const {
  std::uint64_t same = 0;
  for (unsigned code = 0; code < 4; ++code) {
    same |= guide_.planes[code] & sequence::letters_of_set(letters, 1u << code);
  }
  const std::uint32_t mismatches = guide_.query->guide_length() - popcount(same);
  // With one mismatch the guide and the text differ: no alignment has fewer edits.
  if (mismatches > std::min(options_.max_mismatches, options_.max_edits) ||
      (options_.max_bulges > 0 && mismatches > std::max(least, 1u))) {
    return false;
  }
  const auto count = static_cast<std::uint16_t>(mismatches);
  site.score = {count, 0, count};
  return true;
}

// Puts the site that is added next into a lane.
void GuideSites::add_to_lanes(const sequence::PlaneBlock& letters, std::vector<Site>& sites) {
  const Query& query = *guide_.query;
  if (lanes_.must_wait(query.guide_length())) {
    align_lanes(sites);
  }
  sequence::PlaneBlock text = text_.without_pam(letters, query);
  if (query.pam_last > 0) {
    const unsigned unused = 64 - query.guide_length() - options_.max_bulges;
    text = {reverse_bits(text.high) >> unused, reverse_bits(text.low) >> unused};
  }
  lanes_.add(guide_letters(), text);
  in_lanes_.push_back(sites.size());
}

void GuideSites::align_lanes(std::vector<Site>& sites) {
  if (in_lanes_.empty()) {
    return;
  }
  lanes_.align();
  for (std::size_t lane = 0; lane < in_lanes_.size(); ++lane) {
    Site& site = sites[in_lanes_[lane]];
    const auto score = lanes_.score(lane);
    site.score = score.value_or(GuideScore{});
    site.distance = score ? score->distance() : kNoSite;
  }
  in_lanes_.clear();
  lanes_.clear();
}

// Compares the guide and the PAM with the text, whatever letters it has; false if they are not within the limits.
bool GuideSites::align(Site& site, std::uint64_t pam) {
  if (guide_.relaxed) {
    window_.load(chunk_.reference, static_cast<std::int64_t>(pam), guide_.relaxed->length(),
                 options_.ambiguous_matches);
    if (!has_pam([&](std::uint32_t i) { return window_.set_at(i); }, site)) {
      return false;
    }
  }
  if (options_.ambiguous_matches && !has_few_ambiguous(pam)) {
    return false;
  }
  const auto score = aligner_.align(guide_letters(), text_.beside(*guide_.query, site, true));
  site.score = score.value_or(GuideScore{});
  return score.has_value();
}

// Whether a site has no more ambiguous letters than are allowed. They are counted from the outer side of the PAM
// on.
bool GuideSites::has_few_ambiguous(std::uint64_t pam) const {
  const Query& query = *guide_.query;
  const SliceRange& slice = slice_.range();
  const std::uint64_t begin = slice.begin + slice.offset, end = slice.end + slice.offset;
  std::uint64_t first = pam, stop = pam + query.length();
  if (query.pam_last > 0) {
    stop = pam + query.pam_last;
    first = stop - std::min<std::uint64_t>(query.length(), stop - begin);
  }
  return options_.ambiguous_limit().allows(sequence::count_ambiguous(chunk_.reference, first, std::min(stop, end)),
                                           query.length());
}

}  // namespace trawl::scan
