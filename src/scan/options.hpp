// The options of a `trawl scan` search.
//
//   ScanOptions options;
//   options.max_edits = 2;
//   options.joins_ends() == true         // neighbouring ends are one locus
//   options.metric = Metric::hamming;
//   options.joins_ends() == false        // without gaps each end is one
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/work_options.hpp"
#include "match/metric.hpp"
#include "scan/pam.hpp"
#include "sequence/ambiguous_limit.hpp"
#include "sequence/pattern.hpp"

namespace trawl::scan {

using sequence::Pattern;
using sequence::PatternList;

using match::Metric;
using match::Strands;

enum class RecordUnit { loci, ends };

/// How patterns are searched; this changes the speed, not the ends.
enum class ScanMethod {
  automatic,  // as it is estimated to be fastest
  rows,       // row-wise scan of every pattern or its parts
  pieces,     // exact pieces of all patterns are looked up together, then the places are checked
};

struct ScanOptions : WorkOptions {
  std::uint32_t max_edits = 0;
  Metric metric = Metric::levenshtein;
  Strands strands = Strands::both;
  RecordUnit report = RecordUnit::loci;
  bool ambiguous_matches = false;  // an ambiguous letter of the reference matches each base that it can stand for
  sequence::AmbiguousLimit max_ambiguous;  // that an end may have; max_edits in it is not used
  Pam pam;
  std::uint32_t max_mismatches = 0;  // with a PAM: mismatches in a guide's alignment, a limit besides max_edits
  std::uint32_t max_bulges = 0;      // with a PAM: bases in bulges, DNA and RNA together; no more than max_edits
  std::uint32_t max_dna_bulges = ~std::uint32_t{0};  // of one kind; no more than max_bulges, whatever it is
  std::uint32_t max_rna_bulges = ~std::uint32_t{0};
  ScanMethod search = ScanMethod::automatic;

  sequence::AmbiguousLimit ambiguous_limit() const { return max_ambiguous.with_edits(max_edits); }

  bool has_gaps() const { return metric != Metric::hamming && !(pam.is_given() && max_bulges == 0); }
  /// Whether neighbouring ends are one locus. Without gaps each end is a locus of its own, as in align::LocusBuilder.
  bool joins_ends() const { return report == RecordUnit::loci && has_gaps(); }
};

/// Which of several patterns with the same smallest distance a read has: none, or as in scan/report/read_call.hpp.
enum class Ties { ambiguous, longest, posterior };

/// Which pattern a read has: the best one, if it is clearly the best.
struct CallRule {
  std::uint32_t max_edits = 0;  // of the best pattern
  std::uint32_t margin = 1;     // edits by which it must be better than any other
  Ties ties = Ties::ambiguous;
  std::uint32_t partial = 0;  // letters of a pattern that may hang over an end of a read, see scan/report/overhangs.hpp
  /// Records with up to this many edits show whether it is.
  std::uint32_t searched_edits() const { return max_edits + margin - 1; }
};

/// Length of the longest pattern allowed.
inline constexpr std::size_t kMaxPatternLength = 16384;

}  // namespace trawl::scan
