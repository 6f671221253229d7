// cuShiftOr with streamed segments: a warp goes through a stretch of the text, one segment after another.
#pragma once

#include "gpu/device/device_memory.hpp"
#include "lab/kernels/load_characters.cuh"
#include "lab/kernels/write_ends.cuh"
#include "lab/matchers/cushiftor_cascade.hpp"

namespace trawl::gpu {

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
  constexpr std::uint64_t kWarps = kStreamedThreads / match::kWarpLanes;
  const std::uint64_t segments = (text.size() + kLength - 1) / kLength;
  const std::uint64_t warps = resident_blocks(reinterpret_cast<const void*>(kernel), kStreamedThreads) * kWarps;
  const std::uint64_t stretch = (segments + warps - 1) / warps;
  const std::uint64_t blocks = ((segments + stretch - 1) / stretch + kWarps - 1) / kWarps;
  kernel<<<static_cast<unsigned>(blocks), kStreamedThreads, 0, stream>>>(text.data(), text.size(), masks, m, stretch,
                                                                         out);
  check_launch("streamed_kernel");
}

}  // namespace trawl::gpu
