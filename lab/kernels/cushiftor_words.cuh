// cuShiftOr with words of 32 or 64 bits, each in a file of its own that CMake makes.
#pragma once

#include "gpu/device/device_memory.hpp"
#include "lab/kernels/paper_kernels.hpp"
#include "lab/kernels/warp_io.cuh"
#include "lab/matchers/cushiftor_cascade.hpp"
#include "match/warp.hpp"

namespace trawl::gpu {

// Segments that exchange values within a block: disjoint and overlapping ones.

inline constexpr unsigned kCuShiftOrWarps = 8;

// How the segments of a block's warps change a column. There are two sets that are used in turns, so that one barrier
// per level is enough.
template <class Word>
struct BlockTotals {
  matchers::ShiftOrRun<Word> exact[kCuShiftOrWarps];
  matchers::WuManberRun<Word> edits[2][kCuShiftOrWarps];

  template <unsigned kLevel>
  __device__ auto& of() {
    if constexpr (kLevel == 0) {
      return exact;
    } else {
      return edits[kLevel % 2];
    }
  }
};

// Runs the levels from kLevel on.
template <unsigned kLevel, unsigned kEdits, matchers::Segments kSegments, class Segment, class Word>
__device__ inline void block_levels(Segment& segment, BlockTotals<Word>& totals, unsigned w, unsigned lane) {
  const auto total = segment.template scan<kLevel>();
  Word left = segment.start(kLevel);
  if constexpr (kSegments == matchers::Segments::disjoint) {
    auto& all = totals.template of<kLevel>();
    if (lane == 0) {
      all[w] = total;
    }
    __syncthreads();
    left = matchers::column_before<Word>(all, w, Segment::kLength, left);
  }
  segment.template finish<kLevel>(left);
  if constexpr (kLevel < kEdits) {
    block_levels<kLevel + 1, kEdits, kSegments>(segment, totals, w, lane);
  }
}

template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards, matchers::Segments kSegments>
__global__ void __launch_bounds__(kCuShiftOrWarps* match::kWarpLanes)
    cushiftor_kernel(const std::uint8_t* text, std::uint64_t size, const Word* masks, unsigned m, EndsView out) {
  using Segment = matchers::WarpSegment<match::DeviceWarp, Word, kAlpha, kEdits, kWildcards>;
  __shared__ Word table[256];
  __shared__ BlockTotals<Word> totals;
  __shared__ MatchBytes bytes;
  bytes.fill();
  for (unsigned c = threadIdx.x; c < 256; c += blockDim.x) {
    table[c] = masks[c];
  }
  __syncthreads();

  const unsigned halo = matchers::halo_length(m, kEdits);
  const unsigned w = threadIdx.x / match::kWarpLanes;
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  constexpr bool kDisjoint = kSegments == matchers::Segments::disjoint;
  const unsigned segment_step = Segment::kLength - (kDisjoint ? 0 : halo);
  const unsigned block_step = segment_step * kCuShiftOrWarps - (kDisjoint ? halo : 0);
  const std::int64_t begin = static_cast<std::int64_t>(std::uint64_t{blockIdx.x} * block_step) - halo +
                             static_cast<std::int64_t>(w) * segment_step;
  const std::int64_t first = begin + static_cast<std::int64_t>(lane) * kAlpha;

  typename Segment::Columns columns;
  if (first >= 0 && first + kAlpha <= static_cast<std::int64_t>(size)) {
    Characters<kAlpha> characters;
    characters.load(text + first);
#pragma unroll
    for (unsigned i = 0; i < kAlpha; ++i) {
      columns[i] = table[characters[i]];
    }
  } else {
    const Word nothing = static_cast<Word>(~matchers::free_rows<Word>(m, Segment::kWildcardRows));
    for (unsigned i = 0; i < kAlpha; ++i) {
      const std::int64_t j = first + i;
      columns[i] = j >= 0 && j < static_cast<std::int64_t>(size) ? table[text[j]] : nothing;
    }
  }

  const match::DeviceWarp warp;
  Segment segment(warp, m);
  segment.load(columns);
  block_levels<0, kEdits, kSegments>(segment, totals, w, lane);
  const bool valid = kDisjoint ? w * Segment::kLength + lane * kAlpha >= halo : lane * kAlpha >= halo;
  write_misses<kAlpha>(out, bytes, static_cast<std::uint64_t>(begin), segment.misses(), valid && first >= 0, size);
}

template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards, matchers::Segments kSegments>
void launch_cushiftor(const DeviceText& text, const Word* masks, unsigned m, const EndsView& out,
                      const Stream& stream) {
  constexpr unsigned kLength = match::kWarpLanes * kAlpha;
  const unsigned halo = matchers::halo_length(m, kEdits);
  const std::uint64_t step = kSegments == matchers::Segments::disjoint
                                 ? std::uint64_t{kLength} * kCuShiftOrWarps - halo
                                 : std::uint64_t{kLength - halo} * kCuShiftOrWarps;
  const std::uint64_t blocks = (text.size() + step - 1) / step;
  cushiftor_kernel<Word, kAlpha, kEdits, kWildcards, kSegments>
      <<<static_cast<unsigned>(blocks), kCuShiftOrWarps * match::kWarpLanes, 0, stream>>>(text.data(), text.size(),
                                                                                          masks, m, out);
  check_launch("cushiftor_kernel");
}

// Streamed segments: a warp goes through a stretch of the text, one segment after another.

inline constexpr unsigned kStreamedThreads = 256;

template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards>
__global__ void __launch_bounds__(kStreamedThreads)
    streamed_kernel(const std::uint8_t* text, std::uint64_t size, const Word* masks, unsigned m, std::uint64_t stretch,
                    EndsView out) {
  using Segment = matchers::WarpSegment<match::DeviceWarp, Word, kAlpha, kEdits, kWildcards>;
  __shared__ Word table[256];
  __shared__ MatchBytes bytes;
  bytes.fill();
  for (unsigned c = threadIdx.x; c < 256; c += kStreamedThreads) {
    table[c] = masks[c];
  }
  __syncthreads();

  const unsigned lane = threadIdx.x % match::kWarpLanes;
  const std::uint64_t segments = (size + Segment::kLength - 1) / Segment::kLength;
  const std::uint64_t first =
      (std::uint64_t{blockIdx.x} * kStreamedThreads + threadIdx.x) / match::kWarpLanes * stretch;
  if (first >= segments) {
    return;
  }
  const std::uint64_t last = min(segments, first + stretch);
  const std::uint64_t early = matchers::early_segments(m, kEdits, Segment::kLength);
  const match::DeviceWarp warp;
  Segment segment(warp, m);
  Word left[kEdits + 1];
#pragma unroll
  for (unsigned level = 0; level <= kEdits; ++level) {
    left[level] = segment.start(level);
  }
  // The text is padded, so characters after its end may be loaded.
  Characters<kAlpha> next;
  std::uint64_t s = first - min(first, early);
  next.load(text + s * Segment::kLength + lane * kAlpha);
  for (; s < last; ++s) {
    typename Segment::Columns columns;
#pragma unroll
    for (unsigned i = 0; i < kAlpha; ++i) {
      columns[i] = table[next[i]];
    }
    next.load(text + (s + 1) * Segment::kLength + lane * kAlpha);
    segment.load(columns);
    segment.run(left);
    if (s >= first) {
      write_misses<kAlpha>(out, bytes, s * Segment::kLength, segment.misses(), true, size);
    }
  }
}

template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards>
void launch_streamed(const DeviceText& text, const Word* masks, unsigned m, const EndsView& out, const Stream& stream) {
  auto* kernel = streamed_kernel<Word, kAlpha, kEdits, kWildcards>;
  constexpr std::uint64_t kLength = match::kWarpLanes * kAlpha;
  const Stretches share(divided_up(text.size(), kLength), reinterpret_cast<const void*>(kernel),
                        kStreamedThreads / match::kWarpLanes);
  kernel<<<share.blocks, kStreamedThreads, 0, stream>>>(text.data(), text.size(), masks, m, share.stretch, out);
  check_launch("streamed_kernel");
}

/// `s`: as resolve() gives it, for words of this size.
template <class Word>
std::vector<double> run_cushiftor_words(const DeviceText& text, const CuShiftOrSettings& s, DeviceEnds& ends,
                                        unsigned repeats) {
  const auto host_masks = matchers::cascade_masks<Word>(s.pattern, s.wildcards ? s.alpha - 1 : 0);
  const auto m = static_cast<unsigned>(s.pattern.size());
  const Stream stream;
  DeviceBuffer<Word> masks(host_masks.size());
  masks.copy_from(host_masks.data(), host_masks.size(), stream);
  auto& state = ends.state();
  return state.time(text, stream, repeats, [&] {
    matchers::with_cushiftor_variant<Word>(s, [&](auto segments, auto alpha, auto edits, auto wildcards) {
      if constexpr (segments() == matchers::Segments::streamed) {
        launch_streamed<Word, alpha(), edits(), wildcards()>(text, masks.data(), m, state.view(), stream);
      } else {
        launch_cushiftor<Word, alpha(), edits(), wildcards(), segments()>(text, masks.data(), m, state.view(), stream);
      }
    });
  });
}

}  // namespace trawl::gpu
