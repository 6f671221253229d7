// What `trawl scan` is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/work_options.hpp"
#include "sequence/pattern.hpp"

namespace trawl::scan {

using sequence::Pattern;

enum class Metric { levenshtein, hamming };
enum class Strands { both, forward, reverse };
enum class Report { loci, ends };

/// A motif beside the guide that must match exactly.
struct Pam {
  std::string bases;    // IUPAC; empty: none
  bool is_last = true;  // 3': behind the guide; otherwise 5', before it
};

struct Options : engine::WorkOptions {
  std::uint32_t max_edits = 0;
  Metric metric = Metric::levenshtein;
  Strands strands = Strands::both;
  Report report = Report::loci;
  bool ambiguous_matches = false;  // ambiguous letters of the reference match what they may stand for
  Pam pam;
  std::uint32_t max_mismatches = 0;  // with a PAM: of the alignment of a guide, besides max_edits
  std::uint32_t max_bulges = 0;      // with a PAM: bases in bulges, DNA and RNA together, besides max_edits
  bool whole = false;                // never by parts: slower or not, the ends are the same
};

/// Patterns may be as long as this.
inline constexpr std::size_t kMaxPatternLength = 16384;

}  // namespace trawl::scan
