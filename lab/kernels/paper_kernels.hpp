// The algorithms of the papers on the device. No CUDA header is needed to use this. Each function runs to warm up, then
// `repeats` times, and gives the seconds of each of these runs; it throws UsageError if settings are out of range.
// `ends` must be made for this text.
#pragma once

#include "lab/kernels/device_text.hpp"
#include "lab/matchers/paper_settings.hpp"
#include "lab/matchers/sequential.hpp"

namespace trawl::gpu {

using matchers::AsmSettings;
using matchers::CuShiftOrSettings;
using matchers::GbprSettings;
using matchers::PasmSettings;
using matchers::PasmVariant;

/// cuShiftOr: exact and approximate matching by inclusive scan (Mitani, Ino and Hagihara 2017). The scan itself is
/// lab/matchers/cushiftor_cascade.hpp.
///
///   DeviceText text("...");
///   DeviceEnds ends(text.size(), Output::bytes);
///   const auto seconds = run_cushiftor(text, {.pattern = "ACGT", .max_edits = 1}, ends, 5);
///   ends.digest()      // of the positions where a match with at most one edit ends
std::vector<double> run_cushiftor(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                  unsigned repeats);
/// With words of 80 bits. `most_blocks`: for tests. With fewer blocks than fit on the device, each block takes more
/// chunks of the text.
std::vector<double> run_cushiftor_exact(const DeviceText& text, const CuShiftOrSettings& settings, DeviceEnds& ends,
                                        unsigned repeats, unsigned most_blocks = ~0u);

/// GBPR, the baseline of cuShiftOr (lab/matchers/gbpr.hpp).
std::vector<double> run_gbpr(const DeviceText& text, const GbprSettings& settings, DeviceEnds& ends, unsigned repeats);

/// Edit distance by rows (Ho, Oh and Kim 2017), without (PASM) and with warp shuffles (WsPASM). All cells of a row are
/// computed at once: with X the last position at or before j that holds the row's pattern character p_i,
///   D[i][j] = D[i-1][j-1]                                                             if X = j
///           = 1 + min(D[i-1][j], D[i-1][j-1], D[i-1][X-1] + j - 1 - X)               otherwise,
/// where the last term is i + j - 1 if p_i has not occurred. So no cell waits for its left neighbour. PASM has one text
/// position per thread; for WsPASM see lab/matchers/wspasm.hpp.
///
/// ends[j] is 1 if D <= k. The seconds have the time to compute X.
std::vector<double> run_pasm(const DeviceText& text, const PasmSettings& settings, DeviceEnds& ends, unsigned repeats);

struct AsmRun {
  matchers::NearestSubstring match;
  std::vector<double> seconds;  // of each run, with the time to find the place
};

/// Approximate string matching on the hierarchical memory machine (Man, Nakano and Ito 2013). It finds the smallest
/// edit distance between a pattern X and any substring of a text Y, and where this substring is. Y is cut into D parts
/// of S + 2m characters that overlap by 2m. A block computes the table of one part by anti-diagonals; its threads
/// exchange values through shared memory.
AsmRun run_asm_hmm(const DeviceText& text, const AsmSettings& settings, unsigned repeats);

}  // namespace trawl::gpu
