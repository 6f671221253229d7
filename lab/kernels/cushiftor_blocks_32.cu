#include "lab/kernels/cushiftor_blocks.cuh"
#include "lab/kernels/cushiftor_run.cuh"
#include "lab/kernels/cushiftor_words.hpp"
#include "lab/matchers/cushiftor_variants.hpp"

namespace trawl::gpu {

std::vector<double> run_cushiftor_blocks_32(const DeviceText& text, const CuShiftOrSettings& s, DeviceEnds& ends,
                                            unsigned repeats) {
  using Word = std::uint32_t;
  using enum matchers::Segments;
  const auto launch = [&](const Word* masks, unsigned m, const EndsView& out, const Stream& stream) {
    const auto with = [&](auto segments) {
      matchers::with_cushiftor_variant<32, decltype(segments)::value>(s, [&](auto alpha, auto edits, auto wildcards) {
        launch_cushiftor<Word, decltype(alpha)::value, decltype(edits)::value, decltype(wildcards)::value,
                         decltype(segments)::value>(text, masks, m, out, stream);
      });
    };
    s.segments == disjoint ? with(std::integral_constant<matchers::Segments, disjoint>())
                           : with(std::integral_constant<matchers::Segments, overlapping>());
  };
  return run_cushiftor_words<Word>(text, s, ends, repeats, launch);
}

}  // namespace trawl::gpu
