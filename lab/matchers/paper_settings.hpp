// The parameters of cuShiftOr, GBPR, PASM, WsPASM and ASM, for the device and for the CPU twins. Each resolve() fills
// in the values that are 0, and throws UsageError for values that are not possible.
#pragma once

#include <cstdint>
#include <string>

#include "base/host_device.hpp"

namespace trawl::matchers {

/// How segments are joined. disjoint: each waits for the result of its left neighbours in the block. overlapping: each
/// begins halo_length() characters early and waits for none. streamed: a warp works through a stretch of the text,
/// segment by segment, and keeps the last column. Blocks and stretches always begin early.
enum class Segments { disjoint, overlapping, streamed };

/// How many characters early a segment must begin so that all its columns are right: a match has at most m + k
/// characters. A multiple of 32, so that each 32 positions of packed bits are written by one warp.
TRAWL_HOST_DEVICE constexpr unsigned halo_length(unsigned m, unsigned max_edits) {
  return (m + max_edits + 31) / 32 * 32;
}

/// The longest possible halo: 64 characters, 8 edits.
inline constexpr unsigned kLongestHalo = halo_length(64, 8);

struct CuShiftOrSettings {
  std::string pattern;     // any bytes, 1 to word_bits of them
  unsigned max_edits = 0;  // k, 0 to 8
  unsigned word_bits = 0;  // 32, 64, or 80 for the exact cascade (cushiftor_exact.hpp); 0: the fastest possible
  unsigned alpha = 0;      // characters per thread: 1, 2, 4, 8, 16; 0: the fastest known
  Segments segments = Segments::streamed;
  bool wildcards = true;  // skip the last addition if the pattern leaves room for it
};

/// Whether the cascade is built for these parameters, which are those of the paper's experiments and of the tests. The
/// exact cascade (80 bits) is always there.
constexpr bool cushiftor_is_built(unsigned word_bits, unsigned alpha, unsigned max_edits, bool wildcards,
                                  Segments segments) {
  if (segments == Segments::overlapping && 32 * alpha <= kLongestHalo) {
    return false;  // such segments are too short to overlap
  }
  return alpha == 16 ? max_edits <= 2 || (segments == Segments::streamed && !wildcards)
                     : word_bits == 32 && max_edits <= 2 && wildcards;
}

/// Fills in the values that are 0. Switches `wildcards` off if the pattern is too long for them, or if only
/// the form without them is built. Throws UsageError for values that are not possible or not built.
CuShiftOrSettings resolve(CuShiftOrSettings settings);

struct GbprSettings {
  static constexpr unsigned kMostEdits = 8;
  std::string pattern;     // any bytes, 1 to 64
  unsigned max_edits = 0;  // k
  unsigned alpha = 0;      // characters that are loaded at a time: 1, 4 or 8; 0: 1
};

GbprSettings resolve(GbprSettings settings);

enum class PasmVariant {
  pasm,           // rows in shared memory, one column per thread
  wspasm,         // neighbours by warp shuffle, X in global memory
  wspasm_shared,  // neighbours by warp shuffle, X in shared memory
};

struct PasmSettings {
  std::string pattern;     // any bytes, 1 to 96 different ones; m + k at most 768
  unsigned max_edits = 0;  // k
  PasmVariant variant = PasmVariant::wspasm_shared;
  unsigned columns = 0;  // columns per lane, for WsPASM: 1 (as in the paper) or 16; 0: 16, but 1 for PASM
};

PasmSettings resolve(PasmSettings settings);

struct AsmSettings {
  std::string pattern;           // X: 1 to 2,048 characters
  unsigned parts = 0;            // D; 0: chosen automatically, but never more than the text allows
  unsigned rows_per_thread = 0;  // 1 (as in the paper), 2, 4 or 8; 0: chosen by the pattern's length
};

/// Resolves the settings for a text of `text_size` characters. `blocks`: the number of parts that the device computes
/// at the same time.
AsmSettings resolve(AsmSettings settings, std::uint64_t text_size, unsigned blocks);

/// The parts of a text in ASM. Part p begins at p * step.
struct AsmParts {
  std::uint64_t step = 0;
  std::uint64_t overlap = 0;  // columns at the begin of every part but the first; needed only to make the others right
  std::uint64_t length = 0;   // of a part: step + overlap; the last part ends where the text ends
  unsigned parts = 0;         // may be fewer than requested
  std::uint64_t cells = 0;    // cells in all tables together
};

/// `settings` must come from resolve().
AsmParts cut_in_parts(const AsmSettings& settings, std::uint64_t text_size);

}  // namespace trawl::matchers
