#include "lab/matchers/cushiftor_settings.hpp"

#include "base/error.hpp"
#include "lab/matchers/cushiftor_exact.hpp"

namespace trawl::matchers {

CuShiftOrSettings resolve(CuShiftOrSettings s) {
  const std::size_t m = s.pattern.size();
  if (m < 1 || m > 64) {
    throw UsageError("the pattern has " + std::to_string(m) + " characters; cuShiftOr takes 1 to 64");
  }
  if (s.max_edits > 8) {
    throw UsageError("k = " + std::to_string(s.max_edits) + "; cuShiftOr takes 0 to 8 edits");
  }
  if (s.alpha == 0) {
    s.alpha = 16;
  }
  if (s.alpha > 16 || (s.alpha & (s.alpha - 1)) != 0) {
    throw UsageError("alpha = " + std::to_string(s.alpha) + "; it is one of 1, 2, 4, 8, 16");
  }
  const bool exact = s.max_edits == 0 && s.alpha == kExactAlpha && s.wildcards && s.segments == Segments::streamed;
  if (s.word_bits == 0) {
    s.word_bits = exact ? kExactBits : m <= 32 ? 32 : 64;
  }
  if ((s.word_bits != 32 && s.word_bits != 64 && s.word_bits != kExactBits) || m > s.word_bits) {
    throw UsageError("words of " + std::to_string(s.word_bits) + " bits for a pattern of " + std::to_string(m) +
                     "; words have 32, 64 or 80 bits, one for each character");
  }
  if (s.word_bits == kExactBits && !exact) {
    throw UsageError("words of 80 bits are for k = 0, alpha = 16, streamed segments and wildcards");
  }
  s.wildcards = s.wildcards && m + s.alpha - 1 <= s.word_bits;
  if (s.segments == Segments::overlapping && match::kWarpLanes * s.alpha <= kLongestHalo) {
    throw UsageError("overlapping segments need alpha of 4 or more");
  }
  const auto is_built = [&](bool wildcards) {
    return cushiftor_is_built(s.word_bits, s.alpha, s.max_edits, wildcards, s.segments);
  };
  if (s.word_bits != kExactBits && !is_built(s.wildcards)) {
    if (!s.wildcards || !is_built(false)) {
      throw UsageError("cuShiftOr with words of " + std::to_string(s.word_bits) +
                       " bits, alpha = " + std::to_string(s.alpha) + ", k = " + std::to_string(s.max_edits) + " and " +
                       (s.wildcards ? "" : "no ") +
                       "wildcards is not in this build; configure it with the CMake option "
                       "-DTRAWL_ALL_VARIANTS=ON, or take alpha = 16 and streamed segments");
    }
    s.wildcards = false;
  }
  return s;
}

}  // namespace trawl::matchers
