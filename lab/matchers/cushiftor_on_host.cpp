#include "lab/matchers/cushiftor_on_host.hpp"

namespace trawl::matchers {

namespace {

template <class Word>
std::vector<std::uint8_t> with_words(std::string_view text, const CuShiftOrSettings& s, unsigned warps) {
  std::vector<std::uint8_t> ends;
  with_cushiftor_variant<Word>(s, [&](auto segments, auto alpha, auto edits, auto wildcards) {
    if constexpr (segments() == Segments::streamed) {
      ends = cushiftor_streamed_on_host<Word, alpha(), edits(), wildcards()>(text, s.pattern, warps);
    } else {
      ends = cushiftor_blocks_on_host<Word, alpha(), edits(), wildcards()>(text, s.pattern, segments(), warps);
    }
  });
  return ends;
}

}  // namespace

std::vector<std::uint8_t> cushiftor_on_host(std::string_view text, const CuShiftOrSettings& s, unsigned warps) {
  return s.word_bits == kExactBits ? exact_on_host(text, s.pattern, warps)
         : s.word_bits == 32       ? with_words<std::uint32_t>(text, s, warps)
                                   : with_words<std::uint64_t>(text, s, warps);
}

}  // namespace trawl::matchers
