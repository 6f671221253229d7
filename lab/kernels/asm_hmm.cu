#include <algorithm>
#include <bit>

#include "base/with_constant.hpp"
#include "gpu/device/device_memory.hpp"
#include "lab/kernels/paper_kernels.hpp"
#include "lab/kernels/time_runs.cuh"
#include "lab/matchers/asm_diagonal.hpp"
#include "match/warp.hpp"

namespace trawl::gpu {

namespace {

struct Part {
  const std::uint8_t* text;
  std::uint64_t size;
  const std::uint8_t* pattern;
  unsigned m;
  std::uint64_t step;    // S: from the start of one part to the start of the next
  std::uint64_t length;  // length of a part, S + 2m
  std::uint64_t begin;   // begin of the first part
};

// Computes part blockIdx.x by lab/matchers/asm_diagonal.hpp. For each part it writes the smallest cell of the last row,
// with the end position in the lower bits. Only columns with 2m columns of the part before them count; in part 0 all
// columns count.
template <class Cell, unsigned kRows>
__global__ void asm_kernel(Part part, unsigned long long* best, Cell* best_cell) {
  using Traits = matchers::DiagonalCell<Cell>;
  __shared__ Cell edge[2][32];  // the last row of the last thread of each warp, for this and the previous step
  __shared__ unsigned long long block_best;
  __shared__ Cell block_cell;
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  const std::uint64_t begin = part.begin + blockIdx.x * part.step;
  const std::uint64_t end = min(part.size, begin + part.length);
  const auto columns = static_cast<unsigned>(end - begin);
  const unsigned threads = (part.m + kRows - 1) / kRows;
  const unsigned first_answer = blockIdx.x == 0 ? 0 : 2 * part.m;

  matchers::DiagonalRows<Cell, kRows> rows;
  rows.start(part.pattern, part.m, t, begin);
  // The last row of the pattern may be in the middle of the last thread's rows.
  const unsigned last_thread = threads - 1;
  const unsigned last_register = part.m - 1 - last_thread * kRows;
  Cell best_here = static_cast<Cell>(~Cell{0});
  unsigned best_column = 0;
  if (t == 0) {
    block_best = ~0ull;
    block_cell = static_cast<Cell>(~Cell{0});
  }
  if (lane == 31) {
    edge[1][warp] = rows.bottom;
  }
  __syncthreads();

  const unsigned steps = columns + threads - 1;
  for (unsigned s = 0; s < steps; ++s) {
    // The last row of thread t - 1 at this thread's column; that thread computed it in the previous step.
    Cell above = __shfl_up_sync(match::kAllLanes, rows.bottom, 1);
    if (lane == 0) {
      above = warp == 0 ? Cell{0} : edge[(s + 1) % 2][warp - 1];
    }
    const unsigned j = s - t;
    if (s >= t && j < columns && t < threads) {
      if (t == 0) {
        above = Traits::start(begin + j + 1);
      }
      rows.step(above, part.text[begin + j]);
      if (t == last_thread && j >= first_answer) {
        const Cell cell = rows.row(last_register);
        if (Traits::better(cell, best_here)) {
          best_here = cell;
          best_column = j;
        }
      }
    }
    if (lane == 31) {
      edge[s % 2][warp] = rows.bottom;
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
  with_constant<3>(static_cast<unsigned>(std::countr_zero(rows)), [&](auto log) {
    asm_kernel<Cell, 1u << decltype(log)::value><<<parts, threads, 0, stream>>>(part, best, best_cell);
  });
  check_launch("asm_kernel");
}

}  // namespace

AsmRun run_asm_hmm(const DeviceText& text, const AsmSettings& settings, unsigned repeats) {
  const AsmSettings s = matchers::resolve(settings, text.size(), multiprocessors());
  const auto m = static_cast<unsigned>(s.pattern.size());
  const matchers::AsmParts cut = matchers::cut_in_parts(s, text.size());
  AsmRun run;

  const Stream stream;
  DeviceBuffer<std::uint8_t> pattern(m);
  pattern.copy_from(reinterpret_cast<const std::uint8_t*>(s.pattern.data()), m, stream);
  const Part part{text.data(), text.size(), pattern.data(), m, cut.step, cut.length, 0};
  DeviceBuffer<unsigned long long> best(cut.parts), place(1), place_cell(1);
  std::vector<unsigned long long> host_best(cut.parts);
  const auto work = [&] {
    launch<unsigned>(part, cut.parts, s.rows_per_thread, best.data(), nullptr, stream);
    best.copy_to(host_best.data(), 0, cut.parts, stream);
    stream.synchronize();
    const auto found = *std::min_element(host_best.begin(), host_best.end());
    run.match.distance = static_cast<unsigned>(found >> 40);
    run.match.end = found & ((1ull << 40) - 1);
    // To find where the match begins, compute the table again, with begins in the cells, over the characters that the
    // match can cover.
    Part window = part;
    window.begin = matchers::nearest_window(run.match.end, m, run.match.distance);
    window.size = run.match.end;
    window.step = window.length = window.size - window.begin;
    launch<unsigned long long>(window, 1, s.rows_per_thread, place.data(), place_cell.data(), stream);
    unsigned long long cell = 0;
    place_cell.copy_to(&cell, 0, 1, stream);
    stream.synchronize();
    run.match.begin = cell & (matchers::DiagonalCell<unsigned long long>::kEdit - 1);
  };
  run.seconds = time_runs(stream, repeats, work, [&] {
    run.match = {};
    best.fill(0, stream);
    place_cell.fill(0, stream);
  });
  return run;
}

}  // namespace trawl::gpu
