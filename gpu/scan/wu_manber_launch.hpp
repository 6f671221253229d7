// What wu_manber_scan.cu and the files that compile its kernels share. Only .cu files include this.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/scan/hit_list.hpp"
#include "gpu/scan/text_planes.hpp"
#include "scan/find/wu_manber_program.hpp"
#include "sequence/ambiguous_limit.hpp"

namespace trawl::gpu {

/// Warps per block.
inline constexpr unsigned kWuManberWarps = 4;

/// A list of rows in device memory.
struct DeviceList {
  std::uint32_t id;
  std::uint32_t first;  // index of its first row
  std::uint32_t length;
};

struct SearchView {
  const DeviceList* lists;
  const std::uint8_t* rows;
  std::uint32_t list_count;
  std::uint32_t longest;
  std::uint32_t max_edits;
  sequence::AmbiguousLimit limit;
};

/// Which rows a program has.
enum class RowKinds { edits, mismatches, mixed };

/// With more levels, rows of mismatches are run as mixed ones: they are rare, and each kernel takes long to compile.
inline constexpr unsigned kMostMismatchLevels = 7;

/// One launch of the scan, on `stream`.
struct WuManberLaunch {
  ScanTextView text;
  SearchView search;
  scan::Region region;
  BlockRange blocks;    // they cover the region
  std::uint64_t strip;  // number of blocks that a warp scans, one after the other
  std::uint64_t tasks;  // lists * strips
  HitsView out;
  cudaStream_t stream;
};

/// For programs of at most kLevels - 1 edits with rows of kKinds. With one level it is always RowKinds::edits, whatever
/// the rows are. The files wu_manber_kernels_N.cu compile these functions in several files, so that none takes long:
/// each file has those of up to N levels that no file with a smaller N has.
template <unsigned kLevels, RowKinds kKinds>
void launch_wu_manber(const WuManberLaunch& launch);

}  // namespace trawl::gpu
