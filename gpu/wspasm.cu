#include <algorithm>
#include <array>

#include "gpu/device_text_state.hpp"
#include "gpu/write_ends.cuh"
#include "gpu/wspasm.hpp"

namespace trawl::gpu {

namespace {

constexpr unsigned kColumns = 1024;  // text positions of a block, its halo of m + k included; one a thread
constexpr unsigned kWarps = kColumns / match::kWarpLanes;
constexpr unsigned kLongest = 768;  // m + k
constexpr unsigned kAllLanes = 0xFFFFFFFFu;

struct Job {
  const std::uint8_t* text;
  std::uint64_t size;
  const std::uint8_t* pattern;    // for each row the index of its letter among the pattern's letters
  const std::uint8_t* letter_of;  // for each byte that index, or `letters`
  unsigned m;
  unsigned max_edits;
  unsigned letters;
  unsigned halo;
  std::uint16_t* last;  // X: [block][letter][column], 0 where the letter has not occurred; columns count from 1
};

__device__ inline std::int64_t block_begin(const Job& job) {
  return static_cast<std::int64_t>(std::uint64_t{blockIdx.x} * (kColumns - job.halo)) - job.halo;
}

// The index of the letter at this thread's column; `letters` for one that the pattern does not have, and outside.
__device__ inline unsigned letter_here(const Job& job) {
  const std::int64_t j = block_begin(job) + threadIdx.x;
  return j >= 0 && j < static_cast<std::int64_t>(job.size) ? job.letter_of[job.text[j]] : job.letters;
}

// The largest value of the lanes up to this one, then of all threads up to this one.
__device__ inline unsigned block_max_scan(unsigned value, std::uint16_t* warp_max) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned delta = 1; delta < 32; delta *= 2) {
    const unsigned left = __shfl_up_sync(kAllLanes, value, delta);
    value = lane >= delta ? max(value, left) : value;
  }
  if (lane == 31) {
    warp_max[warp] = static_cast<std::uint16_t>(value);
  }
  __syncthreads();
  unsigned before = lane < warp ? warp_max[lane] : 0;
  before = __reduce_max_sync(kAllLanes, before);
  __syncthreads();
  return max(value, before);
}

// X for the block's columns, to global or shared memory.
__device__ inline void fill_last(const Job& job, std::uint16_t* last) {
  __shared__ std::uint16_t warp_max[kWarps];
  const unsigned here = letter_here(job);
  for (unsigned letter = 0; letter < job.letters; ++letter) {
    const unsigned x = block_max_scan(here == letter ? threadIdx.x + 1 : 0, warp_max);
    last[letter * kColumns + threadIdx.x] = static_cast<std::uint16_t>(x);
  }
}

__global__ void __launch_bounds__(kColumns) last_kernel(Job job) {
  fill_last(job, job.last + std::uint64_t{blockIdx.x} * job.letters * kColumns);
}

__device__ inline void finish(const Job& job, unsigned distance, const EndsView& out) {
  const std::int64_t begin = block_begin(job) + threadIdx.x / 32 * 32;
  const bool valid = threadIdx.x >= job.halo;
  write_ends<1>(out, static_cast<std::uint64_t>(begin), distance <= job.max_edits, valid, job.size);
}

// Rows in shared memory, two of them in turn.
__global__ void __launch_bounds__(kColumns) pasm_kernel(Job job, EndsView out) {
  __shared__ std::uint16_t rows[2][kColumns + 1];  // column 0 is before the first position
  const unsigned j = threadIdx.x + 1;
  const unsigned here = letter_here(job);
  const std::uint16_t* last = job.last + std::uint64_t{blockIdx.x} * job.letters * kColumns + threadIdx.x;
  rows[0][j] = 0;
  if (threadIdx.x == 0) {
    rows[0][0] = 0;
  }
  __syncthreads();
  for (unsigned i = 1; i <= job.m; ++i) {
    const std::uint16_t* above = rows[(i - 1) % 2];
    const unsigned letter = job.pattern[i - 1];
    unsigned cell = above[j - 1];
    if (here != letter) {
      const unsigned x = last[letter * kColumns];
      const unsigned gap = x == 0 ? i + j - 1 : above[x - 1] + j - 1 - x;
      cell = 1 + min(min(cell, static_cast<unsigned>(above[j])), gap);
    }
    rows[i % 2][j] = static_cast<std::uint16_t>(cell);
    if (threadIdx.x == 0) {
      rows[i % 2][0] = static_cast<std::uint16_t>(i);
    }
    __syncthreads();
  }
  finish(job, rows[job.m % 2][j], out);
}

// Neighbours by shuffle; what lies in the warp to the left comes from the few cells at its right edge that can matter:
// a gap of more than k cells never leads to D <= k. kEdge cells are kept, so k <= kEdge - 2.
constexpr unsigned kEdge = 32;

template <bool kSharedLast>
__global__ void __launch_bounds__(kColumns) wspasm_kernel(Job job, EndsView out) {
  extern __shared__ std::uint16_t shared_last[];
  __shared__ std::uint16_t edges[2][kWarps + 1][kEdge];  // [warp + 1]: the row's cells of that warp
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned j = threadIdx.x + 1;
  const unsigned here = letter_here(job);
  const std::uint16_t* last = job.last + std::uint64_t{blockIdx.x} * job.letters * kColumns + threadIdx.x;
  if constexpr (kSharedLast) {
    fill_last(job, shared_last);
    last = shared_last + threadIdx.x;
  }
  const unsigned kept = min(kEdge, job.max_edits + 2);  // right edge cells that the next warp may ask for
  unsigned above = 0;
  edges[0][warp + 1][lane] = 0;
  if (warp == 0) {
    edges[0][0][lane] = 0;  // row 0, column 0 and what would lie before it
  }
  __syncthreads();
  for (unsigned i = 1; i <= job.m; ++i) {
    const std::uint16_t* left_warp = edges[(i - 1) % 2][warp];
    const unsigned letter = job.pattern[i - 1];
    unsigned diagonal = __shfl_up_sync(kAllLanes, above, 1);
    if (lane == 0) {
      diagonal = left_warp[kEdge - 1];
    }
    const unsigned x = last[letter * kColumns];  // column x - 1 is lane (x - 2) % 32
    const unsigned in_warp = __shfl_sync(kAllLanes, above, (x + 30) % 32);
    unsigned cell = diagonal;
    if (here != letter) {
      const unsigned gap = j - x;  // cells between
      unsigned through_gap = job.max_edits + 1;
      if (x == 0) {
        through_gap = i + j - 1;
      } else if (gap <= job.max_edits) {
        const bool same_warp = x >= 2 && (x - 2) / 32 == warp;
        through_gap = (same_warp ? in_warp : left_warp[(x + 30) % 32]) + gap - 1;
      }
      cell = 1 + min(min(diagonal, above), through_gap);
    }
    above = cell;
    if (lane >= 32 - kept) {
      edges[i % 2][warp + 1][lane] = static_cast<std::uint16_t>(cell);
    }
    if (threadIdx.x == 0) {
      edges[i % 2][0][kEdge - 1] = static_cast<std::uint16_t>(i);
    }
    __syncthreads();
  }
  finish(job, above, out);
}

}  // namespace

std::vector<double> run_pasm(const DeviceText& text, const PasmSettings& s, DeviceEnds& ends, unsigned repeats) {
  const auto m = static_cast<unsigned>(s.pattern.size());
  if (m == 0 || m + s.max_edits > kLongest || s.max_edits > kEdge - 2) {
    throw UsageError("WsPASM takes a pattern of m >= 1 characters and k <= " + std::to_string(kEdge - 2) +
                     " edits with m + k at most " + std::to_string(kLongest));
  }
  std::array<std::uint8_t, 256> letter_of{};
  std::string letters;
  for (const char c : s.pattern) {
    if (letters.find(c) == std::string::npos) {
      letters += c;
    }
  }
  if (letters.size() > 96) {
    throw UsageError("WsPASM takes a pattern of at most 96 different characters, not " +
                     std::to_string(letters.size()));
  }
  letter_of.fill(static_cast<std::uint8_t>(letters.size()));
  for (std::size_t l = 0; l < letters.size(); ++l) {
    letter_of[static_cast<unsigned char>(letters[l])] = static_cast<std::uint8_t>(l);
  }
  std::string rows;
  for (const char c : s.pattern) {
    rows += static_cast<char>(letter_of[static_cast<unsigned char>(c)]);
  }

  const Stream stream;
  DeviceBuffer<std::uint8_t> device_letters(256), device_pattern(m);
  device_letters.copy_from(letter_of.data(), 256, stream);
  device_pattern.copy_from(reinterpret_cast<const std::uint8_t*>(rows.data()), m, stream);
  Job job{text.data(),
          text.size(),
          device_pattern.data(),
          device_letters.data(),
          m,
          s.max_edits,
          static_cast<unsigned>(letters.size()),
          (m + s.max_edits + 31) / 32 * 32,
          nullptr};
  const auto blocks = static_cast<unsigned>((text.size() + kColumns - job.halo - 1) / (kColumns - job.halo));
  const bool shared = s.variant == PasmVariant::wspasm_shared;
  DeviceBuffer<std::uint16_t> last(shared ? 0 : std::size_t{blocks} * job.letters * kColumns);
  job.last = last.data();
  const std::size_t shared_bytes = shared ? std::size_t{job.letters} * kColumns * sizeof(std::uint16_t) : 0;
  if (shared) {
    check(cudaFuncSetAttribute(wspasm_kernel<true>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "shared memory for " + std::to_string(job.letters) + " letters");
  }
  auto& state = ends.state();
  return time_runs(stream, repeats, [&] {
    state.reset(stream);
    const EndsView out = state.view();
    if (shared) {
      wspasm_kernel<true><<<blocks, kColumns, shared_bytes, stream>>>(job, out);
      check_launch("wspasm_kernel");
      return;
    }
    last_kernel<<<blocks, kColumns, 0, stream>>>(job);
    check_launch("last_kernel");
    if (s.variant == PasmVariant::wspasm) {
      wspasm_kernel<false><<<blocks, kColumns, 0, stream>>>(job, out);
      check_launch("wspasm_kernel");
    } else {
      pasm_kernel<<<blocks, kColumns, 0, stream>>>(job, out);
      check_launch("pasm_kernel");
    }
  });
}

}  // namespace trawl::gpu
