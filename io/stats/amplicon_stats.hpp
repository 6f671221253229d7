// Statistics of `trawl scan --amplicons`, for `--stats FILE.json`.
//
//   AmpliconStats stats;
//   stats.amplicons = 3;
//   const std::string json = stats_json(stats);
#pragma once

#include <cstdint>
#include <string>

#include "io/stats/scan_stats.hpp"

namespace trawl::io {

/// Those of the primers, whose records are their loci, and of the products.
struct AmpliconStats : ScanStats {
  std::uint64_t amplicons = 0;
};

/// The text of the JSON file.
std::string stats_json(const AmpliconStats& stats);

}  // namespace trawl::io
