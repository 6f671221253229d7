// The edit distance of two strings of any bytes ('a' and 'A' differ, N matches N only), and an alignment that has it.
// Any number of threads may call the functions.
//
//   trawl::distance("GATTACA", "GATACAT") == 2
//   trawl::distance("GATTACA", "GATTACCTTT", trawl::Mode::prefix) == 1
//   trawl::distance("GATTACA", "CCCGATTCACC", trawl::Mode::infix) == 1
//   trawl::distance("AAAA", "CCCC", trawl::Mode::global, 3) == -1          // more than 3
//   const trawl::PairAlignment best = trawl::align("GATTACA", "CCCGATTCACC", trawl::Mode::infix);
//   best.start == 3
//   trawl::cigar_text(best.cigar) == "4M1I2M"
#pragma once
#include <cstdint>

#include "trawl/columns.hpp"

namespace trawl::inline v0 {

/// Which part of the target is aligned with the whole query: all of it, any prefix, any part (edlib: NW, SHW, HW).
enum class Mode { global, prefix, infix };

/// The smallest number of substitutions, insertions and deletions; -1 if that is more than `most` (-1: no limit).
/// Time: |target| for each 64 letters of the query (Myers 1999), but only in a band: of the distance (Ukkonen 1985), or
/// of `most` if that is less.
TRAWL_API std::int64_t distance(std::string_view query, std::string_view target, Mode mode = Mode::global,
                                std::int64_t most = -1);

struct PairAlignment {
  std::int64_t distance = -1;        // -1: more than `most`; then nothing else is set
  std::int64_t start = 0;            // of the aligned part of the target, 0-based
  std::int64_t end = 0;              // one after it; the first end with this distance
  std::vector<std::uint32_t> cigar;  // M, I (only in the query), D (only in the target); =, X instead of M with `eqx`
};
/// Of several alignments it takes from the end at each step a match, else a substitution, else an insertion, else a
/// deletion. Memory: linear.
TRAWL_API PairAlignment align(std::string_view query, std::string_view target, Mode mode = Mode::global,
                              std::int64_t most = -1, bool eqx = false);

}  // namespace trawl::inline v0
