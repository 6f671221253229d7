#include "lab/kernels/cushiftor.hpp"

#include "lab/kernels/cushiftor_words.hpp"
#include "lab/matchers/cushiftor_exact.hpp"

namespace trawl::gpu {

std::vector<double> run_cushiftor(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                  unsigned repeats) {
  const CuShiftOrSettings s = matchers::resolve(settings);
  if (s.word_bits == matchers::kExactBits) {
    return run_cushiftor_exact(text, s, ends, repeats);
  }
  if (s.segments == matchers::Segments::streamed) {
    return s.word_bits == 32 ? run_cushiftor_streamed_32(text, s, ends, repeats)
                             : run_cushiftor_streamed_64(text, s, ends, repeats);
  }
  return s.word_bits == 32 ? run_cushiftor_blocks_32(text, s, ends, repeats)
                           : run_cushiftor_blocks_64(text, s, ends, repeats);
}

}  // namespace trawl::gpu
