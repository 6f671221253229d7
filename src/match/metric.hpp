// What is searched: what counts as an edit (--metric), and on which strands (--strand).
//
//   searches(Strands::forward, true) == false
#pragma once

namespace trawl::match {

enum class Metric {
  levenshtein,  // a substituted, an inserted and a deleted base
  hamming,      // a substituted base; alignments have no gaps
};

enum class Strands { both, forward, reverse };

/// Whether the reverse strand (`is_reverse`), or else the forward strand, is one of these.
constexpr bool searches(Strands strands, bool is_reverse) {
  return strands == Strands::both || (strands == Strands::reverse) == is_reverse;
}

}  // namespace trawl::match
