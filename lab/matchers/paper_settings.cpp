#include "lab/matchers/paper_settings.hpp"

#include <algorithm>
#include <set>

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
  if (s.segments == Segments::overlapping && 32 * s.alpha <= kLongestHalo) {
    throw UsageError("overlapping segments need alpha of 4 or more");
  }
  const auto is_built = [&](bool wildcards) {
    return cushiftor_is_built(s.word_bits, s.alpha, s.max_edits, wildcards, s.segments);
  };
  if (s.word_bits != kExactBits && !is_built(s.wildcards)) {
    if (!s.wildcards || !is_built(false)) {
      throw UsageError("cuShiftOr with words of " + std::to_string(s.word_bits) +
                       " bits, alpha = " + std::to_string(s.alpha) + ", k = " + std::to_string(s.max_edits) + " and " +
                       (s.wildcards ? "" : "no ") + "wildcards is not built: take alpha = 16 and streamed segments");
    }
    s.wildcards = false;
  }
  return s;
}

GbprSettings resolve(GbprSettings s) {
  if (s.pattern.empty() || s.pattern.size() > 64 || s.max_edits > GbprSettings::kMostEdits) {
    throw UsageError("GBPR takes a pattern of 1 to 64 characters and 0 to 8 edits");
  }
  s.alpha = s.alpha == 0 ? 1 : s.alpha;
  if (s.alpha != 1 && s.alpha != 4 && s.alpha != 8) {
    throw UsageError("alpha = " + std::to_string(s.alpha) + "; GBPR takes 1, 4, 8");
  }
  return s;
}

PasmSettings resolve(PasmSettings s) {
  constexpr std::size_t kLongest = 768;
  constexpr std::size_t kMostLetters = 96;
  if (s.pattern.empty() || s.pattern.size() + s.max_edits > kLongest) {
    throw UsageError("WsPASM takes a pattern of m >= 1 characters and k edits with m + k at most " +
                     std::to_string(kLongest));
  }
  const std::size_t letters = std::set<char>(s.pattern.begin(), s.pattern.end()).size();
  if (letters > kMostLetters) {
    throw UsageError("WsPASM takes a pattern of at most " + std::to_string(kMostLetters) +
                     " different characters, not " + std::to_string(letters));
  }
  const bool pasm = s.variant == PasmVariant::pasm;
  s.columns = s.columns == 0 ? (pasm ? 1 : 16) : s.columns;
  if (s.columns != 1 && (s.columns != 16 || pasm)) {
    throw UsageError("columns = " + std::to_string(s.columns) + "; WsPASM has 1 or 16 a lane, PASM 1");
  }
  return s;
}

AsmSettings resolve(AsmSettings s, std::uint64_t text_size, unsigned blocks) {
  constexpr std::size_t kLongest = 2048;
  constexpr std::uint64_t kMostThreads = 1024;
  const std::uint64_t m = s.pattern.size();
  if (m == 0 || m > kLongest || text_size == 0 || text_size >= (1ull << 40)) {
    throw UsageError("ASM takes a pattern of 1 to " + std::to_string(kLongest) +
                     " characters and a text of at least one");
  }
  if (s.rows_per_thread == 0) {
    // The fastest choice on an H100, each with its best D (lab/docs/papers.md).
    s.rows_per_thread = m <= 32 ? 1 : m <= 64 ? 2 : m <= 128 ? 4 : 8;
  }
  if (s.rows_per_thread != 1 && s.rows_per_thread != 2 && s.rows_per_thread != 4 && s.rows_per_thread != 8) {
    throw UsageError(std::to_string(s.rows_per_thread) + " rows a thread; they are 1, 2, 4 or 8");
  }
  while ((m + s.rows_per_thread - 1) / s.rows_per_thread > kMostThreads) {
    s.rows_per_thread *= 2;
  }
  if (s.parts == 0) {
    // The parts should be much longer than their overlap, and there should be enough of them to fill the device.
    s.parts = static_cast<unsigned>(
        std::min<std::uint64_t>(std::max<std::uint64_t>(1, text_size / (8 * m)), std::uint64_t{16} * blocks));
  }
  if (cut_in_parts(s, text_size).length >= (1ull << 31)) {
    throw UsageError("D = " + std::to_string(s.parts) + " parts of this text are too long; take more of them");
  }
  return s;
}

AsmParts cut_in_parts(const AsmSettings& s, std::uint64_t text_size) {
  const std::uint64_t m = s.pattern.size();
  AsmParts cut;
  cut.step = std::max<std::uint64_t>(1, (text_size + s.parts - 1) / s.parts);
  cut.overlap = 2 * m;
  cut.length = cut.step + cut.overlap;
  cut.parts = static_cast<unsigned>((text_size + cut.step - 1) / cut.step);
  for (unsigned p = 0; p < cut.parts; ++p) {
    cut.cells += m * (std::min(text_size, p * cut.step + cut.length) - p * cut.step);
  }
  return cut;
}

}  // namespace trawl::matchers
