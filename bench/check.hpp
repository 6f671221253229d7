// The checks of a mapper's SAM, one file each. Each prints `name<TAB>value` lines, then the first faults.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "bench/arguments.hpp"
#include "bench/files.hpp"

namespace trawl::bench {

/// Each locus of the oracle's table has exactly one record, and there are no other records.
int check_loci(const Arguments& args);

/// CIGAR, NM, MD, AS, NH, HI, SA, bases and position of each record, computed again from reference and reads.
int check_records(const Arguments& args);

/// For every alignment of another mapper, a record of the same read covers it: it overlaps it on the same strand and
/// has no more edits.
int check_covers(const Arguments& args);

/// How many primary records are near a position that trawl-simulate wrote into the read's name, all and those with MAPQ
/// >= 20; where there are several kinds of reads, of each kind.
int check_truth(const Arguments& args);

/// The concordant pairs are exactly all combinations of the mates' single alignments that fit; flags, HI, NH, sums and
/// mate positions are right; and the best pair is one of those with the smallest sum.
int check_pairs(const Arguments& args);

/// Counts all faults and prints the first few.
class Faults {
 public:
  explicit Faults(std::uint64_t shown) : shown_(shown) {}

  void add(const std::string& text) {
    if (count_++ < shown_) {
      std::printf("%s\n", text.c_str());
    }
  }

  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t shown_;
  std::uint64_t count_ = 0;
};

inline void print_count(const char* name, std::uint64_t value) {
  std::printf("%s\t%llu\n", name, static_cast<unsigned long long>(value));
}

inline void print_percent(const char* name, std::uint64_t part, std::uint64_t whole) {
  std::printf("%s\t%.4f\n", name, whole == 0 ? 100.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace trawl::bench
