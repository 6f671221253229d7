// The kernel of cuShiftOr and its launch, for one word size; instantiated in cushiftor_32.cu and cushiftor_64.cu.
#pragma once

#include "gpu/cushiftor.hpp"
#include "gpu/device_memory.hpp"
#include "gpu/write_ends.cuh"
#include "match/pattern_masks.hpp"
#include "match/shift_or_cascade.hpp"
#include "match/warp.hpp"
#include "match/with_constant.hpp"

namespace trawl::gpu {

inline constexpr unsigned kCuShiftOrWarps = 8;

/// Characters [begin, begin + kAlpha) of the text as bytes in words; `begin` is a multiple of kAlpha and inside.
template <unsigned kAlpha>
__device__ inline void load_characters(const std::uint8_t* text, std::uint64_t begin, std::uint8_t (&out)[kAlpha]) {
  if constexpr (kAlpha == 16) {
    const uint4 v = *reinterpret_cast<const uint4*>(text + begin);
    const std::uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (unsigned i = 0; i < 16; ++i) {
      out[i] = static_cast<std::uint8_t>(words[i / 4] >> (8 * (i % 4)));
    }
  } else if constexpr (kAlpha == 8) {
    const uint2 v = *reinterpret_cast<const uint2*>(text + begin);
    const std::uint32_t words[2] = {v.x, v.y};
#pragma unroll
    for (unsigned i = 0; i < 8; ++i) {
      out[i] = static_cast<std::uint8_t>(words[i / 4] >> (8 * (i % 4)));
    }
  } else if constexpr (kAlpha == 4) {
    const std::uint32_t word = *reinterpret_cast<const std::uint32_t*>(text + begin);
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
      out[i] = static_cast<std::uint8_t>(word >> (8 * i));
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < kAlpha; ++i) {
      out[i] = text[begin + i];
    }
  }
}

template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards, match::Segments kSegments>
__global__ void __launch_bounds__(kCuShiftOrWarps* match::kWarpLanes)
    cushiftor_kernel(const std::uint8_t* text, std::uint64_t size, const Word* masks, unsigned m, EndsView out) {
  using Segment = match::WarpSegment<match::DeviceWarp, Word, kAlpha, kEdits, kWildcards>;
  using Run = typename Segment::Run;
  __shared__ Word table[256];
  __shared__ Run totals[2][kCuShiftOrWarps];
  for (unsigned c = threadIdx.x; c < 256; c += blockDim.x) {
    table[c] = masks[c];
  }
  __syncthreads();

  const unsigned halo = match::halo_length(m, kEdits);
  const unsigned w = threadIdx.x / match::kWarpLanes;
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  constexpr bool kDisjoint = kSegments == match::Segments::disjoint;
  const unsigned segment_step = Segment::kLength - (kDisjoint ? 0 : halo);
  const unsigned block_step = segment_step * kCuShiftOrWarps - (kDisjoint ? halo : 0);
  const std::int64_t begin = static_cast<std::int64_t>(std::uint64_t{blockIdx.x} * block_step) - halo +
                             static_cast<std::int64_t>(w) * segment_step;
  const std::int64_t first = begin + static_cast<std::int64_t>(lane) * kAlpha;

  typename Segment::Columns columns;
  if (first >= 0 && first + kAlpha <= static_cast<std::int64_t>(size)) {
    std::uint8_t characters[kAlpha];
    load_characters<kAlpha>(text, static_cast<std::uint64_t>(first), characters);
#pragma unroll
    for (unsigned i = 0; i < kAlpha; ++i) {
      columns[i] = table[characters[i]];
    }
  } else {
    const Word nothing = static_cast<Word>(~Segment::wildcard_rows(m));
    for (unsigned i = 0; i < kAlpha; ++i) {
      const std::int64_t j = first + i;
      columns[i] = j >= 0 && j < static_cast<std::int64_t>(size) ? table[text[j]] : nothing;
    }
  }

  const match::DeviceWarp warp;
  Segment segment(warp, m);
  segment.load(columns);
#pragma unroll
  for (unsigned level = 0; level <= kEdits; ++level) {
    const Run total = segment.scan(level);
    Word left = match::start_column<Word>(level);
    if constexpr (kDisjoint) {
      // Two sets of totals, so that one barrier a level is enough.
      if (lane == 0) {
        totals[level % 2][w] = total;
      }
      __syncthreads();
      left = match::column_before<Word>(totals[level % 2], w, Segment::kLength, level);
    }
    segment.finish(level, left);
  }
  const bool valid = kDisjoint ? w * Segment::kLength + lane * kAlpha >= halo : lane * kAlpha >= halo;
  write_ends<kAlpha>(out, static_cast<std::uint64_t>(begin), segment.ends(), valid && first >= 0, size);
}

template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards, match::Segments kSegments>
void launch_cushiftor(const DeviceText& text, const Word* masks, unsigned m, const EndsView& out,
                      const Stream& stream) {
  constexpr unsigned kLength = match::kWarpLanes * kAlpha;
  const unsigned halo = match::halo_length(m, kEdits);
  const std::uint64_t step = kSegments == match::Segments::disjoint ? std::uint64_t{kLength} * kCuShiftOrWarps - halo
                                                                    : std::uint64_t{kLength - halo} * kCuShiftOrWarps;
  const std::uint64_t blocks = (text.size() + step - 1) / step;
  cushiftor_kernel<Word, kAlpha, kEdits, kWildcards, kSegments>
      <<<static_cast<unsigned>(blocks), kCuShiftOrWarps * match::kWarpLanes, 0, stream>>>(text.data(), text.size(),
                                                                                          masks, m, out);
  check_launch("cushiftor_kernel");
}

template <class Word, unsigned kAlpha, unsigned kEdits>
void launch_variant(const DeviceText& text, const CuShiftOrSettings& s, const Word* masks, const EndsView& out,
                    const Stream& stream) {
  const auto m = static_cast<unsigned>(s.pattern.size());
  using enum match::Segments;
  constexpr bool kOverlaps = match::kWarpLanes * kAlpha > 96;  // the longest halo
  if (s.segments == disjoint) {
    s.wildcards ? launch_cushiftor<Word, kAlpha, kEdits, true, disjoint>(text, masks, m, out, stream)
                : launch_cushiftor<Word, kAlpha, kEdits, false, disjoint>(text, masks, m, out, stream);
  } else if constexpr (kOverlaps) {
    s.wildcards ? launch_cushiftor<Word, kAlpha, kEdits, true, overlapping>(text, masks, m, out, stream)
                : launch_cushiftor<Word, kAlpha, kEdits, false, overlapping>(text, masks, m, out, stream);
  }
}

template <class Word, unsigned kAlpha>
void launch_edits(const DeviceText& text, const CuShiftOrSettings& s, const Word* masks, const EndsView& out,
                  const Stream& stream) {
  match::with_constant<8>(s.max_edits, [&](auto edits) {
    launch_variant<Word, kAlpha, decltype(edits)::value>(text, s, masks, out, stream);
  });
}

template <class Word>
std::vector<double> run_cushiftor_words(const DeviceText& text, const CuShiftOrSettings& s, DeviceEnds& ends,
                                        unsigned repeats) {
  const unsigned m = static_cast<unsigned>(s.pattern.size());
  const Word wild = s.wildcards ? match::shift_out(static_cast<Word>((Word{1} << (s.alpha - 1)) - 1), m) : Word{0};
  const auto host_masks = match::pattern_masks<Word>(s.pattern, wild);
  const Stream stream;
  DeviceBuffer<Word> masks(host_masks.size());
  masks.copy_from(host_masks.data(), host_masks.size(), stream);
  auto& state = ends.state();
  return time_runs(stream, repeats, [&] {
    state.reset(stream);
    const EndsView out = state.view();
    switch (s.alpha) {
      case 1:
        return launch_edits<Word, 1>(text, s, masks.data(), out, stream);
      case 2:
        return launch_edits<Word, 2>(text, s, masks.data(), out, stream);
      case 4:
        return launch_edits<Word, 4>(text, s, masks.data(), out, stream);
      case 8:
        return launch_edits<Word, 8>(text, s, masks.data(), out, stream);
      default:
        return launch_edits<Word, 16>(text, s, masks.data(), out, stream);
    }
  });
}

}  // namespace trawl::gpu
