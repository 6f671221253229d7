// What the steps of a search take. The plan of a search (search_plan.hpp, guide_set.hpp) is chosen by these.
#pragma once

namespace trawl::scan {

/// Measured averages, in nanoseconds. Each kind of processor has its own.
struct SearchCosts {
  double row;            // an operation of the row-wise scan, on one position
  double site;           // to find the sites of a PAM in a position of the text
  double word;           // to look up a word beside a site
  double guide;          // to compare a guide with the text at a site,
  double guide_no_gaps;  // and without bulges
};

/// One core of 4 GHz with AVX2.
inline constexpr SearchCosts kCpuCosts{0.00045, 1.2, 2, 16, 8};

}  // namespace trawl::scan
