#include "gpu/cushiftor.hpp"

#include "gpu/cushiftor_words.hpp"

namespace trawl::gpu {

std::vector<double> run_cushiftor(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                  unsigned repeats) {
  const CuShiftOrSettings s = match::resolve(settings);
  return s.word_bits == 32 ? run_cushiftor_32(text, s, ends, repeats) : run_cushiftor_64(text, s, ends, repeats);
}

}  // namespace trawl::gpu
