// The sites of guides at some ends.
//
//   with: const std::vector<Query>& queries, const ScanOptions& options, const sequence::TextChunk& chunk
//   with: const Region& region, std::span<const Hit> ends
//   std::vector<Site> sites;
//   GuideSites guides(queries, options, chunk, region);
//   guides.find(ends, sites);                               // those of one query
//   guides.finish(sites);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/report/guide_alignment.hpp"
#include "scan/report/guide_lanes.hpp"
#include "scan/report/guide_text.hpp"
#include "scan/report/site.hpp"

namespace trawl::scan {

/// Where an end is.
class SliceOfPosition {
 public:
  explicit SliceOfPosition(const sequence::TextChunk& chunk) : chunk_(chunk) {}

  /// Looks at the slice with this position, or that before the gap with it.
  const SliceRange& at(std::uint64_t position);
  std::uint32_t number() const { return static_cast<std::uint32_t>(number_); }
  const SliceRange& range() const { return range_; }

 private:
  const sequence::TextChunk& chunk_;
  std::size_t number_ = 0;
  SliceRange range_;
  std::uint64_t begin_ = 1, end_ = 0;  // in the coordinate space, with the gap after the slice
};

class GuideSites {
 public:
  GuideSites(const std::vector<Query>& queries, const ScanOptions& options, const sequence::TextChunk& chunk,
             const Region& region)
      : queries_(queries),
        options_(options),
        chunk_(chunk),
        region_(region),
        slice_(chunk),
        text_(chunk, options),
        aligner_(guide_limits(options)),
        lanes_(guide_limits(options)) {}

  /// Appends the sites of one query. Whether some of them are sites is only known in finish().
  void find(std::span<const Hit> ends, std::vector<Site>& sites);
  /// Must follow the last find().
  void finish(std::vector<Site>& sites);

 private:
  // A query, and what its sites are compared with.
  struct ComparedGuide {
    std::uint32_t id = 0;
    const Query* query = nullptr;
    std::optional<PamSites> relaxed;    // the PAM, if it is several motifs or may have mismatches
    std::uint64_t planes[4] = {0};      // by base: the letters of plain_letters() that may be this base, without bulges
    std::vector<std::uint8_t> letters;  // guide_sets(), from the PAM outwards; empty: not known yet
  };

  void begin(std::uint32_t id);
  std::span<const std::uint8_t> guide_letters();
  template <class Use>
  void for_each_pam(std::uint64_t first, std::uint64_t last, Use&& use);
  std::uint32_t least_edits(std::span<const Hit> ends, std::size_t& near, std::uint64_t end) const;
  void add(std::uint64_t key, std::uint32_t least, std::vector<Site>& sites);
  bool has_few_mismatches(const sequence::PlaneBlock& letters, std::uint32_t least, Site& site) const;
  template <class SetAt>
  bool has_pam(const SetAt& set_at, Site& site) const;
  void add_to_lanes(const sequence::PlaneBlock& letters, std::vector<Site>& sites);
  void align_lanes(std::vector<Site>& sites);
  bool align(Site& site, std::uint64_t pam);
  bool has_few_ambiguous(std::uint64_t pam) const;

  const std::vector<Query>& queries_;
  const ScanOptions& options_;
  const sequence::TextChunk& chunk_;
  const Region& region_;
  SliceOfPosition slice_;
  GuideText text_;
  ComparedGuide guide_;
  GuideAligner aligner_;
  GuideLanes lanes_;
  std::vector<std::size_t> in_lanes_;  // the sites that are in the lanes
  sequence::TextWindow window_;        // of a PAM
};

}  // namespace trawl::scan
