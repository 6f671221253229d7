// How much memory a scan takes.
//
//   const PatternList patterns{{"p", "GATTACA"}};
//   scan_memory(patterns, ScanOptions(), false) > scan_memory_without_patterns(ScanOptions())
//
// For ten million patterns of 32 letters it is 4.9e9.
#pragma once

#include <algorithm>
#include <cstdint>

#include "scan/options.hpp"
#include "sequence/pattern.hpp"

namespace trawl::scan {

/// About how many bytes may wait to be written: ends, their sites and records. Larger regions keep many threads busy.
constexpr std::uint64_t held_bytes(unsigned threads) {
  return (std::uint64_t{64} << 20) * std::clamp(threads / 4, 1u, 4u);
}

/// What a scan takes besides its patterns, in bytes: chunks of the reference, ends and records that wait, threads.
std::uint64_t scan_memory_without_patterns(const ScanOptions& options);

/// The most bytes of memory that a scan of the patterns takes: the former, and for each pattern its letters, queries
/// and tables; with `counts` also the numbers for --stats. It is an upper limit: a large set uses
/// two thirds of it with k = 0, and a third with k = 2.
std::uint64_t scan_memory(const PatternList& patterns, const ScanOptions& options, bool counts);

}  // namespace trawl::scan
