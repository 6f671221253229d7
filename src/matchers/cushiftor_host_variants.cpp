#include "matchers/cushiftor_host_variants.hpp"

#include "base/with_constant.hpp"
#include "matchers/cushiftor_on_host.hpp"
#include "matchers/cushiftor_streamed_on_host.hpp"

namespace trawl::matchers {

namespace {

constexpr std::size_t kStretch = 5;  // segments of a warp: few, so that stretches meet often

template <class Word, unsigned kAlpha, unsigned kEdits>
std::vector<std::uint8_t> run(std::string_view text, std::string_view pattern, bool wildcards, Segments segments) {
  if (segments == Segments::streamed) {
    return wildcards ? cushiftor_streamed_on_host<Word, kAlpha, kEdits, true>(text, pattern, kStretch)
                     : cushiftor_streamed_on_host<Word, kAlpha, kEdits, false>(text, pattern, kStretch);
  }
  return wildcards ? cushiftor_on_host<Word, kAlpha, kEdits, true>(text, pattern, segments, 8)
                   : cushiftor_on_host<Word, kAlpha, kEdits, false>(text, pattern, segments, 8);
}

template <class Word, unsigned kAlpha>
std::vector<std::uint8_t> run_edits(std::string_view text, std::string_view pattern, unsigned max_edits, bool wildcards,
                                    Segments segments) {
  return with_constant<8>(max_edits, [&](auto edits) {
    return run<Word, kAlpha, decltype(edits)::value>(text, pattern, wildcards, segments);
  });
}

template <class Word>
std::vector<std::uint8_t> run_alpha(std::string_view text, std::string_view pattern, unsigned alpha, unsigned max_edits,
                                    bool wildcards, Segments segments) {
  switch (alpha) {
    case 1:
      return run_edits<Word, 1>(text, pattern, max_edits, wildcards, segments);
    case 2:
      return run_edits<Word, 2>(text, pattern, max_edits, wildcards, segments);
    case 4:
      return run_edits<Word, 4>(text, pattern, max_edits, wildcards, segments);
    case 8:
      return run_edits<Word, 8>(text, pattern, max_edits, wildcards, segments);
    default:
      return run_edits<Word, 16>(text, pattern, max_edits, wildcards, segments);
  }
}

}  // namespace

std::vector<std::uint8_t> cushiftor_on_host(std::string_view text, std::string_view pattern, unsigned word_bits,
                                            unsigned alpha, unsigned max_edits, bool wildcards, Segments segments) {
  if (word_bits == kExactBits) {
    return exact_on_host(text, pattern, kStretch);
  }
  return word_bits == 32 ? run_alpha<std::uint32_t>(text, pattern, alpha, max_edits, wildcards, segments)
                         : run_alpha<std::uint64_t>(text, pattern, alpha, max_edits, wildcards, segments);
}

}  // namespace trawl::matchers
