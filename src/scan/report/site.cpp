#include "scan/report/site.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>

#include "scan/find/dead_text.hpp"

namespace trawl::scan {

namespace {

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

void load_guide(const Query& query, bool outwards, GuideLetters& guide) {
  std::vector<std::uint8_t> sets;
  for (std::uint32_t i = query.pam_first; i < query.length() - query.pam_last; ++i) {
    sets.push_back(query.set(i));
  }
  if (outwards && query.pam_last > 0) {
    std::reverse(sets.begin(), sets.end());
  }
  guide.assign(sets);
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

// The sites of one query's ends.
void SiteFinder::find_guides(const sequence::TextChunk& chunk, const Region& region, std::span<const Hit> ends,
                             std::vector<Site>& sites) const {
  const Query& query = queries_[ends.front().id];
  GuideLetters guide, text;
  load_guide(query, true, guide);
  GuideAligner aligner(options_.max_edits, options_.max_mismatches, options_.max_bulges);
  sequence::TextWindow window;
  const std::optional<PamSites> relaxed =
      options_.pam.is_relaxed() ? std::optional(PamSites(options_.pam, query.reverse)) : std::nullopt;
  const auto try_site = [&](std::size_t p, std::uint64_t key) {
    Site site{ends.front().id, static_cast<std::uint32_t>(p), key, 0, {}, 0};
    if (relaxed) {
      const auto mismatches = pam_mismatches(chunk.reference, *relaxed, options_.ambiguous_matches,
                                             pam_position(chunk, query, options_, site), window);
      if (!mismatches) {
        return;
      }
      site.pam_mismatches = static_cast<std::uint8_t>(*mismatches);
    }
    if (options_.ambiguous_matches &&
        !is_allowed(chunk.reference, range_of(chunk, p), query, pam_position(chunk, query, options_, site),
                    options_.ambiguous_limit())) {
      return;
    }
    load_guide_text(chunk, query, options_, site, true, window, text);
    const auto score = aligner.align(guide, text);
    if (!score) {
      return;
    }
    site.score = *score;
    site.distance = score->distance();
    sites.push_back(site);
  };
  std::uint64_t tried = 0;  // coordinates below this are done
  for (const Hit& hit : ends) {
    const std::size_t p = chunk.reference.contig_at(hit.end);
    const SliceRange slice = range_of(chunk, p);
    if (query.pam_last > 0) {
      if (const std::uint64_t key = hit.end - slice.offset; is_fresh(slice, region, key)) {
        try_site(p, key);
      }
      continue;
    }
    // The guide may be longer or shorter by as many bases as there may be bulges.
    const std::uint64_t most = query.length() + options_.max_bulges;
    const std::uint64_t least = query.length() - std::min(query.guide_length(), options_.max_bulges);
    const std::uint64_t begin = slice.begin + slice.offset;
    std::uint64_t pam = std::max({tried, begin, hit.end + 1 > most ? hit.end + 1 - most : 0});
    for (; pam + least <= hit.end + 1; ++pam) {
      const std::uint64_t key = pam - slice.offset + query.length() + options_.max_edits - 1;
      if (is_fresh(slice, region, key) &&
          pam_matches(chunk.reference, query, options_.ambiguous_matches, pam, window)) {
        try_site(p, key);
      }
    }
    tried = std::max(tried, pam);
  }
}

std::uint64_t SiteFinder::first_position(const sequence::TextChunk& chunk) {
  if (chunk.slices.empty()) {
    return 0;
  }
  const SliceRange slice = range_of(chunk, 0);
  return slice.fresh + slice.offset;
}

std::vector<Site> SiteFinder::find(const sequence::TextChunk& chunk, const Region& region,
                                   std::span<const Hit> ends) const {
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
  std::vector<std::span<const Hit>> by_query;
  for (std::size_t first = 0; first < ends.size();) {
    std::size_t last = first;
    while (last < ends.size() && ends[last].id == ends[first].id) {
      ++last;
    }
    by_query.push_back(ends.subspan(first, last - first));
    first = last;
  }
  std::vector<std::vector<Site>> found(by_query.size());
  tbb::parallel_for(std::size_t{0}, by_query.size(),
                    [&](std::size_t q) { find_guides(chunk, region, by_query[q], found[q]); });
  std::vector<std::size_t> begins{0};
  for (const auto& of_query : found) {
    begins.push_back(begins.back() + of_query.size());
  }
  sites.resize(begins.back());
  tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t q) {
    std::copy(found[q].begin(), found[q].end(), sites.begin() + static_cast<std::ptrdiff_t>(begins[q]));
    found[q] = {};
  });
  return sites;
}

}  // namespace trawl::scan
