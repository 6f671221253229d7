#include "lab/kernels/cushiftor_run.cuh"
#include "lab/kernels/cushiftor_streamed.cuh"
#include "lab/kernels/cushiftor_words.hpp"
#include "lab/matchers/cushiftor_variants.hpp"

namespace trawl::gpu {

std::vector<double> run_cushiftor_streamed_32(const DeviceText& text, const CuShiftOrSettings& s, DeviceEnds& ends,
                                              unsigned repeats) {
  using Word = std::uint32_t;
  const auto launch = [&](const Word* masks, unsigned m, const EndsView& out, const Stream& stream) {
    matchers::with_cushiftor_variant<32, matchers::Segments::streamed>(s, [&](auto alpha, auto edits, auto wildcards) {
      launch_streamed<Word, decltype(alpha)::value, decltype(edits)::value, decltype(wildcards)::value>(text, masks, m,
                                                                                                        out, stream);
    });
  };
  return run_cushiftor_words<Word>(text, s, ends, repeats, launch);
}

}  // namespace trawl::gpu
