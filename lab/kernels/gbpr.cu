// GBPR (lab/matchers/gbpr.hpp): each thread has 8 characters of the text, and keeps their ends in a register.
#include "lab/kernels/paper_kernels.hpp"
#include "lab/kernels/warp_io.cuh"
#include "lab/matchers/gbpr.hpp"

namespace trawl::gpu {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kBlock = matchers::kGbprSegment * kThreads;  // characters

template <unsigned kEdits, unsigned kAlpha, class Word>
__global__ void __launch_bounds__(kThreads)
    gbpr_kernel(const std::uint8_t* text, std::uint64_t size, const Word* masks, unsigned m, EndsView out) {
  __shared__ Word table[256];
  for (unsigned i = threadIdx.x; i < 256; i += kThreads) {
    table[i] = masks[i];
  }
  __syncthreads();

  const std::uint64_t block_begin = std::uint64_t{blockIdx.x} * kBlock;
  const std::uint64_t begin = block_begin + threadIdx.x * matchers::kGbprSegment;
  unsigned ends = 0;
  if (begin < size) {  // the text is padded, so characters after its end may be loaded
    ends = matchers::gbpr_ends<kEdits, kAlpha>(table, m, begin, [&](std::uint64_t j) {
      Characters<kAlpha> characters;
      characters.load(text + j);
      return characters;
    });
  }
  const unsigned first_of_warp = threadIdx.x / match::kWarpLanes * match::kWarpLanes;
  write_ends<matchers::kGbprSegment>(out, block_begin + first_of_warp * matchers::kGbprSegment, ends, begin < size,
                                     size);
}

}  // namespace

std::vector<double> run_gbpr(const DeviceText& text, const GbprSettings& settings, DeviceEnds& ends, unsigned repeats) {
  const GbprSettings s = matchers::resolve(settings);
  const auto m = static_cast<unsigned>(s.pattern.size());
  auto& state = ends.state();
  const Stream stream;
  return matchers::with_gbpr_variant(
      s, [&]<class Word, class Edits, class Alpha>(const Word(&host_masks)[256], Edits, Alpha) {
        DeviceBuffer<Word> masks(256);
        masks.copy_from(host_masks, 256, stream);
        return state.time(text, stream, repeats, [&] {
          gbpr_kernel<Edits::value, Alpha::value>
              <<<static_cast<unsigned>(divided_up(text.size(), kBlock)), kThreads, 0, stream>>>(
                  text.data(), text.size(), masks.data(), m, state.view());
          check_launch("gbpr_kernel");
        });
      });
}

}  // namespace trawl::gpu
