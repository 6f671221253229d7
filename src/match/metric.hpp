// What counts as an edit: the option --metric.
#pragma once

namespace trawl::match {

enum class Metric {
  levenshtein,  // a substituted, an inserted and a deleted base
  hamming,      // a substituted base; alignments have no gaps
};

}  // namespace trawl::match
