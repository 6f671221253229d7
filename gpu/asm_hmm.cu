#include <algorithm>

#include "gpu/asm_hmm.hpp"
#include "gpu/device_memory.hpp"

namespace trawl::gpu {

namespace {

constexpr unsigned kLongest = 2048;
constexpr unsigned kAllLanes = 0xFFFFFFFFu;

// A cell with the place where its alignment begins: smaller distance first, then the leftmost begin.
constexpr unsigned long long kOneEdit = 1ull << 40;

template <class Cell>
struct CellTraits;
template <>
struct CellTraits<unsigned> {
  static constexpr unsigned kEdit = 1;
  __device__ static unsigned start(std::uint64_t) { return 0; }
};
template <>
struct CellTraits<unsigned long long> {
  static constexpr unsigned long long kEdit = kOneEdit;
  __device__ static unsigned long long start(std::uint64_t position) { return position; }
};

struct Part {
  const std::uint8_t* text;
  std::uint64_t size;
  const std::uint8_t* pattern;
  unsigned m;
  std::uint64_t step;    // S: from one part's begin to the next one's
  std::uint64_t length;  // of a part, S + 2m
  std::uint64_t begin;   // of the first part
};

// Part blockIdx.x: thread t holds rows [t R, t R + R) and, in step s, computes them for column s - t. What it needs of
// thread t - 1, that thread computed one and two steps before. Writes for each part the smallest last-row cell (with
// the end position below it) of the columns with 2m columns before them in the part, or all for part 0.
template <class Cell, unsigned kRows>
__global__ void asm_kernel(Part part, unsigned long long* best, Cell* best_cell) {
  using Traits = CellTraits<Cell>;
  __shared__ Cell edge[2][32];  // the last row of each warp's last thread, by step
  __shared__ unsigned long long block_best;
  __shared__ Cell block_cell;
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  const std::uint64_t begin = part.begin + blockIdx.x * part.step;
  const std::uint64_t end = min(part.size, begin + part.length);
  const auto columns = static_cast<unsigned>(end - begin);
  const unsigned threads = (part.m + kRows - 1) / kRows;
  const unsigned first_answer = blockIdx.x == 0 ? 0 : 2 * part.m;

  std::uint8_t x[kRows];
  Cell left[kRows];  // the column before, this thread's rows
  Cell start_above = Traits::start(begin);
#pragma unroll
  for (unsigned r = 0; r < kRows; ++r) {
    const unsigned row = t * kRows + r;
    x[r] = row < part.m ? part.pattern[row] : 0;
    left[r] = static_cast<Cell>((row + 1) * Traits::kEdit + Traits::start(begin));
  }
  // Row t R - 1 (the one above this thread's), at the column before; row -1 holds 0 edits everywhere.
  Cell above_before = static_cast<Cell>(t * kRows * Traits::kEdit + start_above);
  Cell bottom = left[kRows - 1];
  // The last row of the pattern may lie in the middle of the last thread's rows.
  const unsigned last_thread = threads - 1;
  const unsigned last_register = part.m - 1 - last_thread * kRows;
  Cell best_here = static_cast<Cell>(~Cell{0});
  unsigned best_column = 0;
  if (t == 0) {
    block_best = ~0ull;
    block_cell = static_cast<Cell>(~Cell{0});
  }
  if (lane == 31) {
    edge[1][warp] = bottom;
  }
  __syncthreads();

  const unsigned steps = columns + threads - 1;
  for (unsigned s = 0; s < steps; ++s) {
    // From thread t - 1, its last row at this thread's column: what it computed in the step before.
    Cell above = __shfl_up_sync(kAllLanes, bottom, 1);
    if (lane == 0) {
      above = warp == 0 ? Cell{0} : edge[(s + 1) % 2][warp - 1];
    }
    const unsigned j = s - t;
    if (s >= t && j < columns && t < threads) {
      if (t == 0) {
        above = Traits::start(begin + j + 1);
      }
      const std::uint8_t y = part.text[begin + j];
      Cell diagonal = above_before;
      above_before = above;
#pragma unroll
      for (unsigned r = 0; r < kRows; ++r) {
        const Cell substituted = diagonal + (x[r] != y ? Traits::kEdit : Cell{0});
        diagonal = left[r];
        const Cell gap = min(left[r], above) + Traits::kEdit;
        left[r] = min(substituted, gap);
        above = left[r];
      }
      bottom = left[kRows - 1];
      if (t == last_thread && j >= first_answer) {
        Cell cell = left[0];
#pragma unroll
        for (unsigned r = 1; r < kRows; ++r) {
          cell = r == last_register ? left[r] : cell;
        }
        if (cell < best_here && (sizeof(Cell) == 4 || cell / Traits::kEdit < best_here / Traits::kEdit)) {
          best_here = cell;
          best_column = j;
        }
      }
    }
    if (lane == 31) {
      edge[s % 2][warp] = bottom;
    }
    __syncthreads();
  }
  if (t == last_thread && best_here != static_cast<Cell>(~Cell{0})) {
    block_best = static_cast<unsigned long long>(best_here / Traits::kEdit) << 40 | (begin + best_column + 1);
    block_cell = best_here;
  }
  __syncthreads();
  if (t == 0) {
    best[blockIdx.x] = block_best;
    if (best_cell != nullptr) {
      best_cell[blockIdx.x] = block_cell;
    }
  }
}

template <class Cell>
void launch(const Part& part, unsigned parts, unsigned rows, unsigned long long* best, Cell* best_cell,
            const Stream& stream) {
  const unsigned threads = ((part.m + rows - 1) / rows + 31) / 32 * 32;
  switch (rows) {
    case 1:
      asm_kernel<Cell, 1><<<parts, threads, 0, stream>>>(part, best, best_cell);
      break;
    case 2:
      asm_kernel<Cell, 2><<<parts, threads, 0, stream>>>(part, best, best_cell);
      break;
    case 4:
      asm_kernel<Cell, 4><<<parts, threads, 0, stream>>>(part, best, best_cell);
      break;
    default:
      asm_kernel<Cell, 8><<<parts, threads, 0, stream>>>(part, best, best_cell);
  }
  check_launch("asm_kernel");
}

}  // namespace

AsmRun run_asm_hmm(const DeviceText& text, const AsmSettings& s, unsigned repeats) {
  const auto m = static_cast<unsigned>(s.pattern.size());
  if (m == 0 || m > kLongest || text.size() == 0 || text.size() >= (1ull << 40)) {
    throw UsageError("ASM takes a pattern of 1 to " + std::to_string(kLongest) +
                     " characters and a text of at least one");
  }
  AsmRun run;
  run.rows_per_thread = s.rows_per_thread != 0 ? s.rows_per_thread : m <= 256 ? 4 : 8;
  if (run.rows_per_thread != 1 && run.rows_per_thread != 2 && run.rows_per_thread != 4 && run.rows_per_thread != 8) {
    throw UsageError("rows a thread are 1, 2, 4 or 8");
  }
  while ((m + run.rows_per_thread - 1) / run.rows_per_thread > 1024) {
    run.rows_per_thread *= 2;
  }
  // Parts long enough that their overlap is small beside them, many enough to fill the device.
  const std::uint64_t most = std::max<std::uint64_t>(1, text.size() / (8 * m));
  const std::uint64_t parts = s.parts != 0 ? s.parts : std::min<std::uint64_t>(most, 16 * multiprocessors());
  Part part{text.data(), text.size(), nullptr, m, 0, 0, 0};
  part.step = std::max<std::uint64_t>(1, (text.size() + parts - 1) / parts);
  part.length = part.step + 2 * m;
  if (part.length >= (1ull << 31)) {
    throw UsageError("D = " + std::to_string(parts) + " parts of this text are too long; take more of them");
  }
  run.parts = static_cast<unsigned>((text.size() + part.step - 1) / part.step);
  for (unsigned p = 0; p < run.parts; ++p) {
    run.cells += m * (std::min(text.size(), p * part.step + part.length) - p * part.step);
  }

  const Stream stream;
  DeviceBuffer<std::uint8_t> pattern(m);
  pattern.copy_from(reinterpret_cast<const std::uint8_t*>(s.pattern.data()), m, stream);
  part.pattern = pattern.data();
  DeviceBuffer<unsigned long long> best(run.parts), place(1), place_cell(1);
  std::vector<unsigned long long> host_best(run.parts);
  run.seconds = time_runs(stream, repeats, [&] {
    launch<unsigned>(part, run.parts, run.rows_per_thread, best.data(), nullptr, stream);
    best.copy_to(host_best.data(), 0, run.parts, stream);
    stream.synchronize();
    const auto found = *std::min_element(host_best.begin(), host_best.end());
    run.match.distance = static_cast<unsigned>(found >> 40);
    run.match.end = found & ((1ull << 40) - 1);
    // Where it begins: the same table over the characters that the match can span, now with begins in the cells.
    Part window = part;
    const std::uint64_t reach = m + run.match.distance;
    window.begin = run.match.end > reach ? run.match.end - reach : 0;
    window.size = run.match.end;
    window.step = window.length = window.size - window.begin;
    launch<unsigned long long>(window, 1, run.rows_per_thread, place.data(), place_cell.data(), stream);
    unsigned long long cell = 0;
    place_cell.copy_to(&cell, 0, 1, stream);
    stream.synchronize();
    run.match.begin = cell & (kOneEdit - 1);
  });
  return run;
}

}  // namespace trawl::gpu
