#include "lab/matchers/cushiftor_host_variants.hpp"

#include "lab/matchers/cushiftor_streamed_on_host.hpp"

namespace trawl::matchers {

std::vector<std::uint8_t> cushiftor_on_host(std::string_view text, const CuShiftOrSettings& s, unsigned warps) {
  if (s.word_bits == kExactBits) {
    return exact_on_host(text, s.pattern, warps);
  }
  if (s.segments == Segments::streamed) {
    return s.word_bits == 32 ? internal::cushiftor_streamed_32(text, s, warps)
                             : internal::cushiftor_streamed_64(text, s, warps);
  }
  return s.word_bits == 32 ? internal::cushiftor_blocks_32(text, s, warps)
                           : internal::cushiftor_blocks_64(text, s, warps);
}

}  // namespace trawl::matchers
