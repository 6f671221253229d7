// The path of a global alignment of two strings whose distance is known.
//
//   std::vector<std::uint32_t> cigar;
//   append_path("GATTACA", "GATTCA", 1, false, cigar);
//   cigar == std::vector<std::uint32_t>{4 << 4 | 0, 1 << 4 | 1, 2 << 4 | 0}      // 4M1I2M
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace trawl::api {

/// Appends the elements of its CIGAR; with `eqx`, = and X instead of M. Time: |target| for each 64 rows of a band of
/// `distance` rows. Memory: at most about 64 MB.
void append_path(std::string_view query, std::string_view target, std::int64_t distance, bool eqx,
                 std::vector<std::uint32_t>& cigar);

}  // namespace trawl::api
