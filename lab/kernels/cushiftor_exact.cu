// The exact cascade of lab/matchers/cushiftor_exact.hpp, chunk by chunk.
#include <algorithm>

#include "gpu/device/device_memory.hpp"
#include "lab/kernels/paper_kernels.hpp"
#include "lab/kernels/warp_io.cuh"
#include "lab/matchers/cushiftor_exact.hpp"

namespace trawl::gpu {

namespace {

using matchers::kExactAlpha;
using matchers::kExactGroup;
using matchers::kExactTile;
using matchers::Limbs;

// Of the values (blocks, tiles) = (2, 4), (2, 2), (3, 4), (3, 2), (4, 2), these reached the largest part of an H100's
// copy bandwidth: 99.9% with m = 32 and 98.6% with m = 64. The others reached 93 to 99%.
constexpr unsigned kThreads = 512;
constexpr unsigned kBlocksPerMultiprocessor = 3;
constexpr unsigned kTiles = 2;  // tiles per warp in a chunk

// The tables of exact_tables() in shared memory. Two limbs are neighbours and are read together.
template <unsigned kLimbs>
struct SharedTables {
  static constexpr unsigned kEntries = kExactGroup * 256;
  std::uint32_t single[kLimbs % 2 == 1 ? kEntries : 1];
  uint2 pair[kLimbs >= 2 ? kEntries : 1];

  __device__ void fill(const std::uint32_t* tables) {
    for (unsigned e = threadIdx.x; e < kEntries; e += blockDim.x) {
      if constexpr (kLimbs >= 2) {
        pair[e] = make_uint2(tables[e], tables[kEntries + e]);
      }
      if constexpr (kLimbs % 2 == 1) {
        single[e] = tables[(kLimbs - 1) * kEntries + e];
      }
    }
  }
  __device__ Limbs<kLimbs> mask(unsigned shift, unsigned c) const {
    const unsigned e = shift * 256 + c;
    if constexpr (kLimbs == 1) {
      return {single[e]};
    } else if constexpr (kLimbs == 2) {
      return {pair[e].x, pair[e].y};
    } else {
      return {pair[e].x, pair[e].y, single[e]};
    }
  }
};

// A block takes one chunk of the text after another, in the order in which blocks ask for them. So the places that the
// whole device reads and writes at a time are close together; on an H100 this gains 5% of the memory's speed. In a
// chunk every warp has kTiles tiles in a row. A warp starts with its last tile, because its right neighbour in the
// block needs the columns of that tile.
template <unsigned kHalves, unsigned kGroupLimbs>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    exact_kernel(const std::uint8_t* text, std::uint64_t size, const std::uint32_t* tables, unsigned m,
                 unsigned long long* chunks_taken, EndsView out) {
  using Cascade = matchers::ExactCascade<match::DeviceWarp, kHalves>;
  using Column = typename Cascade::Column;
  constexpr unsigned kWarps = kThreads / match::kWarpLanes;
  constexpr unsigned kFirstLane = match::kWarpLanes - Cascade::kLanesBefore;
  __shared__ SharedTables<kGroupLimbs> table;
  __shared__ MatchBytes bytes;
  __shared__ Column last_columns[2][kWarps][Cascade::kLanesBefore];
  __shared__ std::uint64_t next_chunk[2];
  table.fill(tables);
  bytes.fill();
  __syncthreads();

  const unsigned lane = threadIdx.x % match::kWarpLanes;
  const unsigned w = threadIdx.x / match::kWarpLanes;
  const std::uint64_t tiles = (size + kExactTile - 1) / kExactTile;
  const std::uint64_t chunks = (tiles + kWarps * kTiles - 1) / (kWarps * kTiles);
  const match::DeviceWarp warp;
  const auto* characters = reinterpret_cast<const uint4*>(text) + lane;
  const auto load = [&](std::uint64_t tile) { return __ldcs(characters + min(tile, tiles - 1) * match::kWarpLanes); };
  const auto columns_of = [&](const uint4& v) {
    const std::uint32_t words[4] = {v.x, v.y, v.z, v.w};
    return matchers::exact_lane_column<Cascade::kLimbs, kGroupLimbs>(
        [&](unsigned shift, unsigned i) { return table.mask(shift, (words[i / 4] >> (8 * (i % 4))) & 255); });
  };
  const auto first_of = [&](std::uint64_t chunk) { return (chunk * kWarps + w) * kTiles; };

  uint4 text_of[kTiles];
#pragma unroll
  for (unsigned t = 0; t < kTiles; ++t) {
    text_of[t] = load(first_of(blockIdx.x) + t);
  }
  unsigned parity = 0;
  for (std::uint64_t chunk = blockIdx.x; chunk < chunks; parity ^= 1) {
    const std::uint64_t first = first_of(chunk);
    if (threadIdx.x == 0) {
      next_chunk[parity] = gridDim.x + atomicAdd(chunks_taken, 1ull);
    }
    const Column last = columns_of(text_of[kTiles - 1]);
    if (lane >= kFirstLane) {
      last_columns[parity][w][lane - kFirstLane] = last;
    }
    Column before = matchers::exact_nothing<Cascade::kLimbs>();
    if (w == 0 && chunk > 0) {
      before = columns_of(load(first - 1));
    }
    __syncthreads();
    if (w > 0 && lane >= kFirstLane) {
      before = last_columns[parity][w - 1][lane - kFirstLane];
    }
    chunk = next_chunk[parity];
    const std::uint64_t next_first = first_of(chunk);
    text_of[kTiles - 1] = load(next_first + kTiles - 1);
#pragma unroll
    for (unsigned t = 0; t < kTiles; ++t) {
      Column columns = last;
      if (t + 1 < kTiles) {
        columns = columns_of(text_of[t]);
        text_of[t] = load(next_first + t);
      }
      write_misses<kExactAlpha>(out, bytes, (first + t) * kExactTile, Cascade::misses(warp, columns, before, m), true,
                                size);
      before = columns;
    }
  }
}

template <unsigned kHalves, unsigned kGroupLimbs>
void launch(const DeviceText& text, const std::uint32_t* tables, unsigned m, unsigned long long* chunks_taken,
            unsigned most_blocks, const EndsView& out, const Stream& stream) {
  auto* kernel = exact_kernel<kHalves, kGroupLimbs>;
  const unsigned blocks = std::min(most_blocks, resident_blocks(reinterpret_cast<const void*>(kernel), kThreads));
  check(cudaMemsetAsync(chunks_taken, 0, sizeof *chunks_taken, stream), "cudaMemsetAsync");
  kernel<<<blocks, kThreads, 0, stream>>>(text.data(), text.size(), tables, m, chunks_taken, out);
  check_launch("exact_kernel");
}

}  // namespace

std::vector<double> run_cushiftor_exact(const DeviceText& text, const CuShiftOrSettings& s, DeviceEnds& ends,
                                        unsigned repeats, unsigned most_blocks) {
  const auto m = static_cast<unsigned>(s.pattern.size());
  const auto host_tables = matchers::exact_tables(s.pattern);
  const Stream stream;
  DeviceBuffer<std::uint32_t> tables(host_tables.size());
  DeviceBuffer<unsigned long long> chunks_taken(1);
  tables.copy_from(host_tables.data(), host_tables.size(), stream);
  auto& state = ends.state();
  return state.time(text, stream, repeats, [&] {
    matchers::with_exact_shape(m, [&](auto halves, auto group_limbs) {
      launch<halves(), group_limbs()>(text, tables.data(), m, chunks_taken.data(), most_blocks, state.view(), stream);
    });
  });
}

template <class Word>
std::vector<double> run_cushiftor_words(const DeviceText& text, const CuShiftOrSettings& s, DeviceEnds& ends,
                                        unsigned repeats);

std::vector<double> run_cushiftor(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                  unsigned repeats) {
  const CuShiftOrSettings s = matchers::resolve(settings);
  return s.word_bits == matchers::kExactBits ? run_cushiftor_exact(text, s, ends, repeats)
         : s.word_bits == 32                 ? run_cushiftor_words<std::uint32_t>(text, s, ends, repeats)
                                             : run_cushiftor_words<std::uint64_t>(text, s, ends, repeats);
}

}  // namespace trawl::gpu
