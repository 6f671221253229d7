#include <algorithm>
#include <array>

#include "lab/kernels/paper_kernels.hpp"
#include "lab/kernels/warp_io.cuh"
#include "lab/matchers/wspasm.hpp"
#include "match/warp.hpp"

namespace trawl::gpu {

namespace {

constexpr unsigned kBlockColumns = 1024;  // text positions per block, with its halo of m + k; one per thread
constexpr unsigned kWarps = kBlockColumns / match::kWarpLanes;

struct Job {
  const std::uint8_t* text;
  std::uint64_t size;
  const std::uint8_t* pattern;    // for each row: the index of its letter in `alphabet`
  const std::uint8_t* letter_of;  // for each byte: its index in `alphabet`, or `letters` if it is not there
  const std::uint8_t* alphabet;   // the pattern's letters
  unsigned m;
  unsigned max_edits;
  unsigned letters;
  unsigned halo;
  std::uint16_t* last;  // X: [block][letter][column], 0 if the letter has not occurred; columns count from 1
};

__device__ inline std::int64_t block_begin(const Job& job) {
  return static_cast<std::int64_t>(std::uint64_t{blockIdx.x} * (kBlockColumns - job.halo)) - job.halo;
}

// The index of the letter at this thread's column. It is `letters` outside of the text and for a letter that the
// pattern does not have.
__device__ inline unsigned letter_here(const Job& job) {
  const std::int64_t j = block_begin(job) + threadIdx.x;
  return j >= 0 && j < static_cast<std::int64_t>(job.size) ? job.letter_of[job.text[j]] : job.letters;
}

// The largest value of all threads up to this one: first within the warp, then within the block.
__device__ inline unsigned block_max_scan(unsigned value, std::uint16_t* warp_max) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned delta = 1; delta < 32; delta *= 2) {
    const unsigned left = __shfl_up_sync(match::kAllLanes, value, delta);
    value = lane >= delta ? max(value, left) : value;
  }
  if (lane == 31) {
    warp_max[warp] = static_cast<std::uint16_t>(value);
  }
  __syncthreads();
  unsigned before = lane < warp ? warp_max[lane] : 0;
  before = __reduce_max_sync(match::kAllLanes, before);
  __syncthreads();
  return max(value, before);
}

// Writes X for the columns of the block to global memory.
__device__ inline void fill_last(const Job& job, std::uint16_t* last) {
  __shared__ std::uint16_t warp_max[kWarps];
  const unsigned here = letter_here(job);
  for (unsigned letter = 0; letter < job.letters; ++letter) {
    const unsigned x = block_max_scan(here == letter ? threadIdx.x + 1 : 0, warp_max);
    last[letter * kBlockColumns + threadIdx.x] = static_cast<std::uint16_t>(x);
  }
}

__global__ void __launch_bounds__(kBlockColumns) last_kernel(Job job) {
  fill_last(job, job.last + std::uint64_t{blockIdx.x} * job.letters * kBlockColumns);
}

__device__ inline void finish(const Job& job, unsigned distance, const EndsView& out) {
  const std::int64_t begin = block_begin(job) + threadIdx.x / 32 * 32;
  const bool valid = threadIdx.x >= job.halo;
  write_ends<1>(out, static_cast<std::uint64_t>(begin), distance <= job.max_edits, valid, job.size);
}

// Two rows in shared memory, used in turns.
__global__ void __launch_bounds__(kBlockColumns) pasm_kernel(Job job, EndsView out) {
  __shared__ std::uint16_t rows[2][kBlockColumns + 1];  // column 0 is before the first position
  const unsigned j = threadIdx.x + 1;
  const unsigned here = letter_here(job);
  const std::uint16_t* last = job.last + std::uint64_t{blockIdx.x} * job.letters * kBlockColumns + threadIdx.x;
  rows[0][j] = 0;
  if (threadIdx.x == 0) {
    rows[0][0] = 0;
  }
  __syncthreads();
  for (unsigned i = 1; i <= job.m; ++i) {
    const std::uint16_t* above = rows[(i - 1) % 2];
    const unsigned letter = job.pattern[i - 1];
    const unsigned cell = matchers::pasm_cell(
        i, j, here == letter, [&](unsigned column) -> unsigned { return above[column]; },
        [&]() -> unsigned { return last[letter * kBlockColumns]; });
    rows[i % 2][j] = static_cast<std::uint16_t>(cell);
    if (threadIdx.x == 0) {
      rows[i % 2][0] = static_cast<std::uint16_t>(i);
    }
    __syncthreads();
  }
  finish(job, rows[job.m % 2][j], out);
}

// WsPASM (lab/matchers/wspasm.hpp): a warp goes through a stretch of the text, one segment after another. X is
// in shared memory, or in global memory where last_occurrence_kernel wrote it: [segment][letter][lane].
using matchers::LastOccurrence;

template <unsigned kColumns>
using Rows = matchers::WspasmSegment<match::DeviceWarp, kColumns>;

constexpr unsigned kRowWarps = 4;

// The characters of this lane's columns. The text is padded, so it may read after the end.
template <unsigned kColumns>
__device__ inline Characters<kColumns> load_row(const Job& job, std::uint64_t segment) {
  Characters<kColumns> characters;
  characters.load(job.text + segment * Rows<kColumns>::kLength + threadIdx.x % match::kWarpLanes * kColumns);
  return characters;
}

// Bit c is 1 if column c holds the letter.
template <unsigned kColumns>
__device__ inline std::uint32_t columns_with(const Characters<kColumns>& characters, std::uint8_t letter) {
  if constexpr (kColumns == 1) {
    return characters[0] == letter;
  } else {
    std::uint32_t here = 0;
#pragma unroll
    for (unsigned word = 0; word < Characters<kColumns>::kWords; ++word) {
      const std::uint32_t equal = __vcmpeq4(characters.words[word], letter * 0x01010101u);
      here |= ((equal & 0x08040201u) * 0x01010101u) >> 24 << (4 * word);
    }
    return here;
  }
}

template <unsigned kColumns>
__global__ void __launch_bounds__(kRowWarps* match::kWarpLanes)
    last_occurrence_kernel(Job job, std::uint64_t segments, LastOccurrence* x) {
  const std::uint64_t segment = std::uint64_t{blockIdx.x} * kRowWarps + threadIdx.x / match::kWarpLanes;
  if (segment >= segments) {
    return;
  }
  const match::DeviceWarp warp;
  const Rows<kColumns> rows(warp);
  const auto characters = load_row<kColumns>(job, segment);
  for (unsigned letter = 0; letter < job.letters; ++letter) {
    x[(segment * job.letters + letter) * match::kWarpLanes + warp.lane()] =
        rows.last_occurrence(columns_with<kColumns>(characters, job.alphabet[letter]));
  }
}

// Shared memory of a warp: the cells to the left of its segment by row, the cells of the segment's last column, and X
// if it is kept there.
constexpr TRAWL_HOST_DEVICE std::size_t row_cells(unsigned m) { return (m + 2) / 2 * 2; }
constexpr TRAWL_HOST_DEVICE std::size_t row_warp_bytes(unsigned m, unsigned letters, bool shared_x) {
  return 2 * row_cells(m) * sizeof(std::int32_t) +
         (shared_x ? std::size_t{letters} * match::kWarpLanes * sizeof(LastOccurrence) : 0);
}

template <unsigned kColumns, bool kSharedX>
__global__ void __launch_bounds__(kRowWarps* match::kWarpLanes)
    wspasm_kernel(Job job, std::uint64_t stretch, const LastOccurrence* x, EndsView out) {
  extern __shared__ std::uint64_t shared[];
  const match::DeviceWarp warp;
  const unsigned lane = warp.lane();
  auto* mine = reinterpret_cast<unsigned char*>(shared) +
               threadIdx.x / match::kWarpLanes * row_warp_bytes(job.m, job.letters, kSharedX);
  auto* before = reinterpret_cast<std::int32_t*>(mine);
  auto* after = before + row_cells(job.m);
  auto* shared_x = reinterpret_cast<LastOccurrence*>(after + row_cells(job.m));

  const std::uint64_t segments = (job.size + Rows<kColumns>::kLength - 1) / Rows<kColumns>::kLength;
  const std::uint64_t first = (std::uint64_t{blockIdx.x} * kRowWarps + threadIdx.x / match::kWarpLanes) * stretch;
  const std::uint64_t last = min(segments, first + stretch);
  const std::uint64_t early = (job.m + job.max_edits + Rows<kColumns>::kLength - 1) / Rows<kColumns>::kLength;
  for (unsigned i = lane; i <= job.m; i += match::kWarpLanes) {
    before[i] = static_cast<std::int32_t>(i);
  }
  Rows<kColumns> rows(warp);
  for (std::uint64_t s = first - min(first, early); s < last; ++s) {
    const LastOccurrence* segment_x = x + s * job.letters * match::kWarpLanes;
    if constexpr (kSharedX) {
      const auto characters = load_row<kColumns>(job, s);
      for (unsigned letter = 0; letter < job.letters; ++letter) {
        shared_x[letter * match::kWarpLanes + lane] =
            rows.last_occurrence(columns_with<kColumns>(characters, job.alphabet[letter]));
      }
      segment_x = shared_x;
    }
    __syncwarp();
    const std::int32_t corner = before[0];
    rows.start(corner);
    std::int32_t above = corner;
    for (unsigned i = 1; i <= job.m; ++i) {
      const std::int32_t left = before[i];
      const std::int32_t end = rows.row(segment_x[job.pattern[i - 1] * match::kWarpLanes + lane], above, left);
      if (lane == match::kWarpLanes - 1) {
        after[i] = end;
      }
      above = left;
    }
    if (lane == match::kWarpLanes - 1) {
      after[0] = corner - static_cast<std::int32_t>(Rows<kColumns>::kLength);
    }
    if (s >= first) {
      write_ends<kColumns>(out, s * Rows<kColumns>::kLength,
                           rows.ends(corner, static_cast<std::int32_t>(job.max_edits)), true, job.size);
    }
    __syncwarp();
    auto* const swapped = before;
    before = after;
    after = swapped;
  }
}

template <unsigned kColumns, bool kSharedX>
void launch_wspasm(const Job& job, const LastOccurrence* x, const EndsView& out, const Stream& stream) {
  auto* kernel = wspasm_kernel<kColumns, kSharedX>;
  const std::size_t shared = kRowWarps * row_warp_bytes(job.m, job.letters, kSharedX);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
        "cudaFuncSetAttribute, " + std::to_string(shared) + " bytes of shared memory");
  const Stretches share(divided_up(job.size, Rows<kColumns>::kLength), reinterpret_cast<const void*>(kernel), kRowWarps,
                        shared);
  kernel<<<share.blocks, kRowWarps * match::kWarpLanes, shared, stream>>>(job, share.stretch, x, out);
  check_launch("wspasm_kernel");
}

// `x`: memory for X if X is in global memory, otherwise null.
template <unsigned kColumns>
void launch_variant(const Job& job, LastOccurrence* x, const EndsView& out, const Stream& stream) {
  if (x == nullptr) {
    return launch_wspasm<kColumns, true>(job, nullptr, out, stream);
  }
  const std::uint64_t segments = (job.size + Rows<kColumns>::kLength - 1) / Rows<kColumns>::kLength;
  last_occurrence_kernel<kColumns>
      <<<static_cast<unsigned>((segments + kRowWarps - 1) / kRowWarps), kRowWarps * match::kWarpLanes, 0, stream>>>(
          job, segments, x);
  check_launch("last_occurrence_kernel");
  launch_wspasm<kColumns, false>(job, x, out, stream);
}

}  // namespace

std::vector<double> run_pasm(const DeviceText& text, const PasmSettings& settings, DeviceEnds& ends, unsigned repeats) {
  const PasmSettings s = matchers::resolve(settings);
  const auto m = static_cast<unsigned>(s.pattern.size());
  std::array<std::uint8_t, 256> letter_of{};
  std::string letters;
  for (const char c : s.pattern) {
    if (letters.find(c) == std::string::npos) {
      letters += c;
    }
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
  DeviceBuffer<std::uint8_t> device_letters(256), device_pattern(m), device_alphabet(letters.size());
  device_alphabet.copy_from(reinterpret_cast<const std::uint8_t*>(letters.data()), letters.size(), stream);
  device_letters.copy_from(letter_of.data(), 256, stream);
  device_pattern.copy_from(reinterpret_cast<const std::uint8_t*>(rows.data()), m, stream);
  Job job{text.data(),
          text.size(),
          device_pattern.data(),
          device_letters.data(),
          device_alphabet.data(),
          m,
          s.max_edits,
          static_cast<unsigned>(letters.size()),
          (m + s.max_edits + 31) / 32 * 32,
          nullptr};
  const auto blocks = static_cast<unsigned>((text.size() + kBlockColumns - job.halo - 1) / (kBlockColumns - job.halo));
  const std::uint64_t columns = std::uint64_t{match::kWarpLanes} * s.columns;
  const std::uint64_t segments = (text.size() + columns - 1) / columns;
  DeviceBuffer<std::uint16_t> last;
  DeviceBuffer<LastOccurrence> x;
  if (s.variant == PasmVariant::pasm) {
    last = DeviceBuffer<std::uint16_t>(std::size_t{blocks} * job.letters * kBlockColumns);
    job.last = last.data();
  } else if (s.variant == PasmVariant::wspasm) {
    x = DeviceBuffer<LastOccurrence>(segments * job.letters * match::kWarpLanes);
  }
  auto& state = ends.state();
  return state.time(text, stream, repeats, [&] {
    const EndsView out = state.view();
    if (s.variant == PasmVariant::pasm) {
      last_kernel<<<blocks, kBlockColumns, 0, stream>>>(job);
      check_launch("last_kernel");
      pasm_kernel<<<blocks, kBlockColumns, 0, stream>>>(job, out);
      check_launch("pasm_kernel");
    } else if (s.columns == 1) {
      launch_variant<1>(job, x.data(), out, stream);
    } else {
      launch_variant<matchers::kRowColumns>(job, x.data(), out, stream);
    }
  });
}

}  // namespace trawl::gpu
