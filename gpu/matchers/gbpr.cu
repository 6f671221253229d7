#include "base/with_constant.hpp"
#include "gpu/device/device_memory.hpp"
#include "gpu/matchers/gbpr.hpp"
#include "gpu/matchers/load_characters.cuh"
#include "gpu/matchers/write_ends.cuh"
#include "matchers/pattern_masks.hpp"
#include "matchers/shift_or.hpp"
#include "matchers/wu_manber.hpp"

namespace trawl::gpu {

namespace {

constexpr unsigned kSegment = 8;  // characters a thread answers for
constexpr unsigned kThreads = 256;

template <class Word, unsigned kEdits>
struct Columns {
  Word levels[kEdits + 1];

  __device__ Columns() { matchers::WuManber<Word>::start(levels, kEdits); }
  __device__ void step(Word mask) {
    if constexpr (kEdits == 0) {
      levels[0] = matchers::ShiftOr<Word>::step(levels[0], mask);
    } else {
      matchers::WuManber<Word>::step(levels, kEdits, mask);
    }
  }
  __device__ bool matches(unsigned m) const { return ((levels[kEdits] >> (m - 1)) & 1) == 0; }
};

template <class Word, unsigned kEdits, unsigned kAlpha>
__global__ void __launch_bounds__(kThreads)
    gbpr_kernel(const std::uint8_t* text, std::uint64_t size, const Word* masks, unsigned m, EndsView out) {
  __shared__ Word table[256];
  table[threadIdx.x] = masks[threadIdx.x];
  __syncthreads();
  const std::uint64_t block_begin = std::uint64_t{blockIdx.x} * kThreads * kSegment;
  const std::uint64_t begin = block_begin + threadIdx.x * kSegment;
  const unsigned reach = (m - 1 + kEdits + kAlpha - 1) / kAlpha * kAlpha;
  unsigned ends = 0;
  if (begin < size) {
    Columns<Word, kEdits> columns;
    for (std::uint64_t j = begin > reach ? begin - reach : 0; j < begin; j += kAlpha) {
      Characters<kAlpha> characters;
      characters.load(text + j);
#pragma unroll
      for (unsigned i = 0; i < kAlpha; ++i) {
        columns.step(table[characters[i]]);
      }
    }
#pragma unroll
    for (unsigned j = 0; j < kSegment; j += kAlpha) {
      Characters<kAlpha> characters;  // the text is padded, so its end may be overrun
      characters.load(text + begin + j);
#pragma unroll
      for (unsigned i = 0; i < kAlpha; ++i) {
        columns.step(table[characters[i]]);
        ends |= static_cast<unsigned>(columns.matches(m)) << (j + i);
      }
    }
  }
  const std::uint64_t warp_begin = block_begin + threadIdx.x / match::kWarpLanes * (match::kWarpLanes * kSegment);
  write_ends<kSegment>(out, warp_begin, ends, begin < size, size);
}

template <class Word, unsigned kEdits>
void launch(const DeviceText& text, const GbprSettings& s, const Word* masks, const EndsView& out,
            const Stream& stream) {
  const auto m = static_cast<unsigned>(s.pattern.size());
  const auto blocks = static_cast<unsigned>((text.size() + kThreads * kSegment - 1) / (kThreads * kSegment));
  if (s.alpha == 1) {
    gbpr_kernel<Word, kEdits, 1><<<blocks, kThreads, 0, stream>>>(text.data(), text.size(), masks, m, out);
  } else if (s.alpha == 4) {
    gbpr_kernel<Word, kEdits, 4><<<blocks, kThreads, 0, stream>>>(text.data(), text.size(), masks, m, out);
  } else {
    gbpr_kernel<Word, kEdits, 8><<<blocks, kThreads, 0, stream>>>(text.data(), text.size(), masks, m, out);
  }
  check_launch("gbpr_kernel");
}

template <class Word>
std::vector<double> run(const DeviceText& text, const GbprSettings& s, DeviceEnds& ends, unsigned repeats) {
  const auto host_masks = matchers::pattern_masks<Word>(s.pattern);
  const Stream stream;
  DeviceBuffer<Word> masks(host_masks.size());
  masks.copy_from(host_masks.data(), host_masks.size(), stream);
  auto& state = ends.state();
  return state.time(text, stream, repeats, [&] {
    const EndsView out = state.view();
    with_constant<8>(s.max_edits,
                     [&](auto edits) { launch<Word, decltype(edits)::value>(text, s, masks.data(), out, stream); });
  });
}

}  // namespace

std::vector<double> run_gbpr(const DeviceText& text, const GbprSettings& settings, DeviceEnds& ends, unsigned repeats) {
  const GbprSettings s = matchers::resolve(settings);
  return s.pattern.size() <= 32 ? run<std::uint32_t>(text, s, ends, repeats)
                                : run<std::uint64_t>(text, s, ends, repeats);
}

}  // namespace trawl::gpu
