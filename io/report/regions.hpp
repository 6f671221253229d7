// The regions that --report-regions names.
//
//   const std::vector<NamedRegion> regions = parse_regions("chr1:1,001-2,000,chr2:5-40");    // or of "genes.bed"
//   regions[0].contig == "chr1"
//   regions[0].begin == 1000
//   regions[1].end == 40
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sequence/reference.hpp"

namespace trawl::io {

/// Most bases in all regions together, and most regions.
inline constexpr std::uint64_t kMostRegionBases = 100'000;
inline constexpr std::size_t kMostRegions = 100;

/// A region as the user names it; positions from 0, without `end`.
struct NamedRegion {
  std::string contig;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// `text`: a BED file, not compressed, or regions as CONTIG:BEGIN-END, counted from 1, with commas between them.
/// Numbers may have commas. Throws UsageError, IoError, InputError.
std::vector<NamedRegion> parse_regions(const std::string& text);

/// A part of a contig; `contig` is its number.
struct Region {
  std::uint64_t contig = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  auto operator<=>(const Region&) const = default;
};

/// The regions in a reference, cut at the ends of their contigs. Throws UsageError if there is no such contig, or if a
/// region lies beyond its end.
std::vector<Region> find_regions(const std::vector<NamedRegion>& regions, const std::vector<sequence::Contig>& contigs);

}  // namespace trawl::io
