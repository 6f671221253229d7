// Statistics of `trawl primers`, for `--stats FILE.json`.
//
//   AmpliconStats stats;
//   stats.amplicons = 3;
//   const std::string json = stats_json(stats);
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "io/stats/scan_stats.hpp"

namespace trawl::io {

/// Those of the primers, whose records are their loci, and of the products.
struct AmpliconStats : ScanStats {
  bool is_table_of_pairs = true;
  std::uint64_t amplicons = 0;           // products
  std::uint64_t expected_amplicons = 0;  // of them
  std::uint64_t other_places = 0;        // loci that are not where a scheme has the primer
  std::optional<std::uint64_t> dimers;   // none: they were not searched
};

/// The text of the JSON file.
std::string stats_json(const AmpliconStats& stats);

}  // namespace trawl::io
