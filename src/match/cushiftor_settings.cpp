#include "match/cushiftor_settings.hpp"

#include "error.hpp"

namespace trawl::match {

CuShiftOrSettings resolve(CuShiftOrSettings s) {
  const std::size_t m = s.pattern.size();
  if (m < 1 || m > 64) {
    throw UsageError("the pattern has " + std::to_string(m) + " characters; cuShiftOr takes 1 to 64");
  }
  if (s.max_edits > 8) {
    throw UsageError("k = " + std::to_string(s.max_edits) + "; cuShiftOr takes 0 to 8 edits");
  }
  if (s.alpha == 0) {
    s.alpha = s.max_edits == 0 ? 16 : 8;
  }
  if (s.alpha > 16 || (s.alpha & (s.alpha - 1)) != 0) {
    throw UsageError("alpha = " + std::to_string(s.alpha) + "; it is one of 1, 2, 4, 8, 16");
  }
  if (s.word_bits == 0) {
    s.word_bits = m + (s.wildcards ? s.alpha - 1 : 0) <= 32 ? 32 : 64;
  }
  if ((s.word_bits != 32 && s.word_bits != 64) || m > s.word_bits) {
    throw UsageError("words of " + std::to_string(s.word_bits) + " bits for a pattern of " + std::to_string(m) +
                     "; words have 32 or 64 bits, one for each character");
  }
  s.wildcards = s.wildcards && m + s.alpha - 1 <= s.word_bits;
  if (s.segments == Segments::overlapping && kWarpLanes * s.alpha <= 96) {
    throw UsageError("overlapping segments need alpha of 4 or more");
  }
  return s;
}

}  // namespace trawl::match
