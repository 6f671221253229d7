#include <algorithm>
#include <cub/device/device_scan.cuh>

#include "lab/kernels/device_text_state.hpp"
#include "lab/kernels/end_groups.hpp"
#include "match/warp.hpp"

namespace trawl::gpu {

namespace {

constexpr unsigned kThreads = 256;

struct Sum {
  __host__ __device__ unsigned long long operator()(unsigned long long a, unsigned long long b) const { return a + b; }
};

// The counts and, after them, a 0: so the last offset is the number of all ends.
cudaError_t scan_counts(void* scratch, std::size_t& bytes, const std::uint32_t* counts, unsigned long long* offsets,
                        std::uint64_t groups, cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveScan(scratch, bytes, counts, offsets, Sum(), 0ull,
                                        static_cast<std::int64_t>(groups + 1), stream);
}

// A warp has 32 groups. It looks at those that have ends only; there, every lane has one word.
__global__ void __launch_bounds__(kThreads)
    write_list(EndTiles tiles, std::uint64_t groups, const unsigned long long* offsets, EndsView out) {
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t first = (std::uint64_t{blockIdx.x} * (kThreads / 32) + threadIdx.x / 32) * 32;
  if (first == 0 && lane == 0) {
    *out.count = offsets[groups];
  }
  if (first >= groups) {
    return;
  }
  const unsigned long long offset = offsets[min(first + lane, groups)];
  const unsigned long long next = offsets[min(first + lane + 1, groups)];
  unsigned filled = __ballot_sync(match::kAllLanes, next != offset);
  while (filled != 0) {
    const unsigned g = __ffs(filled) - 1;
    filled &= filled - 1;
    const std::uint64_t group = first + g;
    std::uint32_t word = out.groups.bits[group * kGroupWords + lane];
    const unsigned found = __popc(word);
    unsigned before = found;
    for (unsigned step = 1; step < 32; step *= 2) {
      const unsigned left = __shfl_up_sync(match::kAllLanes, before, step);
      before += lane >= step ? left : 0;
    }
    unsigned long long at = __shfl_sync(match::kAllLanes, offset, g) + before - found;
    const std::uint64_t tile = group / tiles.groups_per_tile;
    const std::uint64_t begin = tiles.first + tile * tiles.tile_ends +
                                (group - tile * tiles.groups_per_tile) * kGroupEnds + std::uint64_t{lane} * 32;
    for (; word != 0 && at < out.capacity; word &= word - 1, ++at) {
      out.list[at] = begin + __ffs(word) - 1;
    }
  }
}

}  // namespace

void EndGroups::reserve(std::uint64_t groups) {
  if (counts_.size() >= groups + 1) {
    return;
  }
  groups += groups / 8 + 16;  // a shorter text, in other tiles, may need a few more
  bits_ = DeviceBuffer<std::uint32_t>(groups * kGroupWords);
  counts_ = DeviceBuffer<std::uint32_t>(groups + 1);
  offsets_ = DeviceBuffer<unsigned long long>(groups + 1);
  std::size_t bytes = 0;
  check(scan_counts(nullptr, bytes, counts_.data(), offsets_.data(), groups, nullptr), "cub::DeviceScan, its memory");
  scratch_ = DeviceBuffer<char>(std::max<std::size_t>(bytes, 1));
}

void EndGroups::clear(std::uint64_t groups, const Stream& stream) {
  check(cudaMemsetAsync(counts_.data(), 0, (groups + 1) * sizeof(std::uint32_t), stream), "cudaMemsetAsync");
}

void EndGroups::make_list(const EndTiles& tiles, const EndsView& out, const Stream& stream) {
  const std::uint64_t groups = tiles.groups();
  std::size_t bytes = scratch_.size();
  check(scan_counts(scratch_.data(), bytes, counts_.data(), offsets_.data(), groups, stream), "cub::DeviceScan");
  write_list<<<static_cast<unsigned>(std::max<std::uint64_t>(1, (groups + kThreads - 1) / kThreads)), kThreads, 0,
               stream>>>(tiles, groups, offsets_.data(), out);
  check_launch("write_list");
}

void EndGroups::spoil(const Stream& stream) {
  if (counts_.size() > 0) {
    bits_.fill(0xFF, stream);
    counts_.fill(0xFF, stream);
  }
}

}  // namespace trawl::gpu
