// The search of `trawl scan` for many exact patterns, on one strand, as a peer of the matchers of sets.
//
//   MultiScan scan(text, set);                          // packs the text, which is not timed
//   const MultiScanRun run = scan.on_cpu(5);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/bench_exact_text.hpp"
#include "lab/matchers/sets/cpu_set_matchers.hpp"
#include "sequence/reference.hpp"

namespace trawl::lab {

struct MultiScanRun {
  double prepare_seconds = 0;   // for its tables
  std::vector<double> seconds;  // of each run
  matchers::SetFound found;     // the positions, in any order, and the occurrences of each pattern
};

class MultiScan {
 public:
  /// Why it cannot search this set in this text; empty if it can.
  static std::string why_not(const ExactText& text, const matchers::PatternSet& set);

  /// `text` and `set` must outlive it.
  MultiScan(const ExactText& text, const matchers::PatternSet& set);

  /// Packed text in memory to all ends in order, with as many threads as oneTBB has.
  MultiScanRun on_cpu(unsigned repeats) const;
#ifdef TRAWL_WITH_CUDA
  /// Packed text on the device to all ends there, in any order.
  MultiScanRun on_device(unsigned repeats) const;
#endif

 private:
  template <class Hits, class Pattern>
  matchers::SetFound as_found(const Hits& hits, Pattern&& pattern_of) const;

  const ExactText& text_;
  const matchers::PatternSet& set_;
  sequence::Reference reference_;
};

}  // namespace trawl::lab
