// Sites: places where a query occurs, before their alignments are computed. A site is an end or, for a guide, its PAM
// site.
//
//   const Site bulge{.distance = 1, .score = {.bulges = 1}}, mismatch{.distance = 1, .score = {.mismatches = 1}};
//   mismatch.rank() < bulge.rank()
//   Site{.distance = 1, .pam_mismatches = 1}.rank() < Site{.distance = 2}.rank()
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "scan/report/guide_alignment.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::scan {

/// An end, or the PAM site of a guide. Neighbouring sites form a run, and a run is a locus; without gaps, each site is
/// one.
struct Site {
  std::uint32_t query = 0;
  std::uint32_t slice = 0;  // index in the chunk
  std::uint64_t key = 0;  // place in the contig by which runs are formed: the end or, if the PAM comes first, the last
                          // position that the guide can reach
  std::uint16_t distance = 0;
  GuideScore score;  // only with a PAM
  std::uint8_t pam_mismatches = 0;

  bool has_bulges() const { return score.bulges > 0; }
  /// A smaller rank is better. First the edits of the guide count, then whether there are bulges among them, then the
  /// mismatches in the PAM. Sites of equal rank are compared by their paths (LocusRecordMaker).
  std::uint32_t rank() const {
    return std::uint32_t{distance} << 16 | (has_bulges() ? std::uint32_t{1} << 8 : 0) | pam_mismatches;
  }
  /// Whether there is an alignment without bulges.
  bool has_ungapped() const { return score.ungapped != GuideScore::kNone; }
  /// The same place, with its alignment without bulges. Needs has_ungapped().
  Site ungapped() const {
    Site site = *this;
    site.distance = score.ungapped;
    site.score = {score.ungapped, 0, score.ungapped};
    return site;
  }
};

/// Finds the sites of a region from its ends: the sites whose key is in the region and that no earlier chunk had.
class SiteFinder {
 public:
  SiteFinder(const std::vector<Query>& queries, const ScanOptions& options) : queries_(queries), options_(options) {}

  /// Number of letters of a chunk that the next chunk must repeat.
  std::uint64_t overlap() const;
  /// The largest distance between the key of a site and its first letter.
  std::uint64_t reach() const;

  /// How far an end of a site can be before its key. The ends of this many positions before a region are needed, too.
  std::uint64_t look_back() const;

  /// The first possible key of this chunk's sites in the coordinate space. Earlier keys belong to the chunk before.
  static std::uint64_t first_position(const sequence::TextChunk& chunk);

  /// `ends`: the ends of the region and of look_back() positions before it, as Finder::find() gives them. Sites are
  /// sorted by query, contig, key.
  std::vector<Site> find(const sequence::TextChunk& chunk, const Region& region, std::span<const Hit> ends);

 private:
  const std::vector<Query>& queries_;
  const ScanOptions& options_;
};

}  // namespace trawl::scan
