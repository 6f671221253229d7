#include "io/write/sort/sorted_ranges.hpp"

namespace trawl::io {

SortedRanges::Size SortedRanges::size() {
  Size size;
  for (const SortedRun* run : sorter_.runs()) {
    size.record_bytes += run->record_bytes();
  }
  const MergeOptions& merging = sorter_.merging();
  size.threads = merging.threads;
  // More than in one process: some wait for their parts.
  constexpr std::uint64_t kWaiting = 2;
  size.pieces = pieces_for(merging.threads) + kWaiting;
  size.range_bytes = range_bytes_of(merging.memory, size.pieces + servers());
  return size;
}

void SortedRanges::end() {
  merge_.reset();
  sorter_.clear();
}

}  // namespace trawl::io
