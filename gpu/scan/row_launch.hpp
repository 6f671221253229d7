// What row_search.cu and its kernels share. Only .cu files include this.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/scan/hit_search.hpp"
#include "gpu/scan/row_text.hpp"
#include "sequence/ambiguous_limit.hpp"

namespace trawl::gpu {

/// A list of rows in device memory.
struct DeviceList {
  std::uint32_t id;
  std::uint32_t first;  // index of its first row
  std::uint32_t length;
};
static_assert(sizeof(DeviceList) == DevicePlan::kBytesAList);

struct RowSearchView {
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
struct RowLaunch {
  RowTextView text;
  RowSearchView search;
  scan::Region region;
  BlockRange blocks;    // they cover the region
  std::uint64_t strip;  // number of blocks that a warp scans, one after the other
  std::uint64_t tasks;  // lists * strips
  HitsView out;
  cudaStream_t stream;
};

/// For programs of at most kLevels - 1 edits with rows of kKinds. With one level it is always RowKinds::edits, whatever
/// the rows are.
template <unsigned kLevels, RowKinds kKinds>
void launch_rows(const RowLaunch& launch);

}  // namespace trawl::gpu
