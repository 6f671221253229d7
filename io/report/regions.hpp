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

#include "io/read/bed_regions.hpp"

namespace trawl::io {

/// Most bases in all regions together, and most regions.
inline constexpr std::uint64_t kMostRegionBases = 100'000;
inline constexpr std::size_t kMostRegions = 100;

/// `text`: a BED file, or regions as CONTIG:BEGIN-END, counted from 1, with commas between them.
/// Numbers may have commas. Throws UsageError, IoError, InputError.
std::vector<NamedRegion> parse_regions(const std::string& text);

}  // namespace trawl::io
