// Places where a query occurs, before their alignments are written down: ends, or for guides the sites of their PAM.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/options.hpp"
#include "scan/query.hpp"
#include "scan/report/guide_alignment.hpp"
#include "sequence/text_chunk.hpp"
#include "sequence/text_window.hpp"

namespace trawl::scan {

/// An end, or a guide's PAM site. Neighbouring places make a run, and a run a locus.
struct Site {
  std::uint32_t query = 0;
  std::uint32_t slice = 0;  // of the chunk
  std::uint64_t key = 0;  // place in the contig that runs are made of: the end, or, where the PAM comes first, the last
                          // position that the guide could reach
  std::uint16_t distance = 0;
  GuideScore score;  // with a PAM

  /// Better sites are smaller; equal ones are not ordered.
  std::uint32_t rank() const { return std::uint32_t{distance} << 16 | score.bulges; }
};

/// From the ends in a region of a chunk to its sites: those whose key lies in it, and is fresh.
class SiteFinder {
 public:
  SiteFinder(const std::vector<Query>& queries, const Options& options) : queries_(queries), options_(options) {}

  /// Letters that a chunk must repeat of the one before.
  std::uint64_t overlap() const;
  /// The largest distance between the key of a site and its first letter.
  std::uint64_t reach() const;

  /// How far the ends of a site lie before its key: so many positions before a region its ends are needed, too.
  std::uint64_t look_back() const;

  /// Where the first key of a chunk's sites may lie, in the coordinate space: what the chunk before had comes earlier.
  static std::uint64_t first_position(const sequence::TextChunk& chunk);

  /// `ends` as Finder::find() gives them, of the region and look_back() positions before; sites by query, contig, key.
  std::vector<Site> find(const sequence::TextChunk& chunk, const Region& region, std::span<const Hit> ends) const;

  /// Where a guide lies, as the alignment needs it: what the text matches, from the base next to the PAM outwards.
  static void load_guide_text(const sequence::TextChunk& chunk, const Query& query, const Options& options,
                              const Site& site, sequence::TextWindow& window, std::vector<std::uint8_t>& sets);
  /// Coordinate (of the chunk's reference) of a site's first PAM base.
  static std::uint64_t pam_position(const sequence::TextChunk& chunk, const Query& query, const Options& options,
                                    const Site& site);

 private:
  void find_guides(const sequence::TextChunk& chunk, const Region& region, std::span<const Hit> ends,
                   std::vector<Site>& sites) const;

  const std::vector<Query>& queries_;
  const Options& options_;
};

/// A guide's sets, from the base next to the PAM outwards.
std::vector<std::uint8_t> guide_sets(const Query& query);

}  // namespace trawl::scan
