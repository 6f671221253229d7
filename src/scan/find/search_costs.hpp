// What the steps of a search take. The plan of a search (search_plan.hpp, guide_set.hpp) is chosen by these.
//
//   kCpuCosts.place == 30      // nanoseconds
#pragma once

namespace trawl::scan {

/// Measured averages, in nanoseconds. Each kind of processor has its own.
struct SearchCosts {
  double row;            // an operation of the row-wise scan, on one position
  double site;           // to find the sites of a PAM in a position of the text
  double word;           // to look up a word beside a site
  double guide;          // to compare a guide with the text at a site,
  double guide_no_gaps;  // and without bulges
  double place;          // to find a place where a part of a query occurs, and to check it,
  double place_row;      // and for each row of a check of edits
};

/// One core of 4 GHz with AVX2.
inline constexpr SearchCosts kCpuCosts{
    .row = 0.00045, .site = 1.2, .word = 2, .guide = 16, .guide_no_gaps = 8, .place = 30, .place_row = 0.5};

}  // namespace trawl::scan
