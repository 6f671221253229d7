// The parameters of PASM, WsPASM and ASM, the same on the device and for
// their CPU twins. Each resolve() fills in what is 0 and throws UsageError for what cannot be.
#pragma once

#include <cstdint>
#include <string>

namespace trawl::matchers {

enum class PasmVariant {
  pasm,           // rows in shared memory, a column a thread
  wspasm,         // neighbours by warp shuffle, X in global memory
  wspasm_shared,  // neighbours by warp shuffle, X in shared memory
};

struct PasmSettings {
  std::string pattern;     // any bytes, 1 to 96 different ones; m + k at most 768
  unsigned max_edits = 0;  // k
  PasmVariant variant = PasmVariant::wspasm_shared;
  unsigned columns = 0;  // of a lane, for WsPASM: 1 (the paper's) or 16; 0: 16, and 1 for PASM
};

PasmSettings resolve(PasmSettings settings);

struct AsmSettings {
  std::string pattern;           // X: 1 to 2,048 characters
  unsigned parts = 0;            // D; 0: chosen, and then as many as the text allows
  unsigned rows_per_thread = 0;  // 1 (the paper's), 2, 4 or 8; 0: chosen by the pattern's length
};

/// For a text of `text_size` characters; `blocks`: parts that the device computes at the same time.
AsmSettings resolve(AsmSettings settings, std::uint64_t text_size, unsigned blocks);

/// The parts of a text for ASM. Part p begins at p * step.
struct AsmParts {
  std::uint64_t step = 0;
  std::uint64_t overlap = 0;  // columns of a part, but the first, that only make the others right
  std::uint64_t length = 0;   // of a part: step + overlap, the last one's end at the text's
  unsigned parts = 0;         // perhaps fewer than were asked for
  std::uint64_t cells = 0;    // of the tables together
};

/// `settings` as resolve() gives them.
AsmParts cut_in_parts(const AsmSettings& settings, std::uint64_t text_size);

}  // namespace trawl::matchers
