#include "scan/report/site.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "base/parallel_sort.hpp"
#include "base/stop.hpp"
#include "scan/report/guide_sites.hpp"

namespace trawl::scan {

namespace {

// About how many ends one thread looks at, at a time.
constexpr std::size_t kEndsAPiece = 512;

}  // namespace

std::uint64_t SiteFinder::reach() const {
  std::uint64_t longest = 0;
  for (const Query& query : queries_) {
    longest = std::max<std::uint64_t>(longest, query.length());
  }
  return longest + options_.max_edits;
}

std::uint64_t SiteFinder::overlap() const { return reach() + 2 * options_.max_edits; }

std::uint64_t SiteFinder::look_back() const {
  // Only if the PAM comes first, the key of a site is not one of its ends; see GuideSites::find().
  return !options_.pam.is_given() ? 0 : options_.max_edits + options_.max_bulges;
}

std::uint64_t SiteFinder::first_position(const sequence::TextChunk& chunk) {
  if (chunk.slices.empty()) {
    return 0;
  }
  const SliceRange slice(chunk, 0);
  return slice.fresh + slice.offset;
}

std::vector<Site> SiteFinder::find(const sequence::TextChunk& chunk, const Region& region, std::span<const Hit> ends) {
  std::vector<Site> sites;
  if (queries_.empty() || !queries_.front().has_pam()) {
    SliceOfPosition slices(chunk);
    for (const Hit& hit : ends) {
      const SliceRange& slice = slices.at(hit.end);
      if (const std::uint64_t key = hit.end - slice.offset; slice.has(region, key)) {
        sites.push_back({hit.id, slices.number(), key, hit.distance, {}, 0});
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
  const auto find_piece = Stop::carry([&](std::size_t p) {
    GuideSites finder(queries_, options_, chunk, region);
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
  tbb::parallel_for(std::size_t{0}, pieces.size(), find_piece);
  concatenate(found, sites);
  return sites;
}

}  // namespace trawl::scan
