// The parameters of PASM, WsPASM and ASM, for the device and for the CPU twins. Each resolve() fills in the values that
// are 0, and throws UsageError for values that are not possible.
#pragma once

#include <cstdint>
#include <string>

namespace trawl::matchers {

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
