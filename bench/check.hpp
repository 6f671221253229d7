// The checks of a mapper's SAM; each is one file. All print `name<TAB>value` lines, then the first faults.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "bench/arguments.hpp"

namespace trawl::bench {

/// Every locus of the oracle's table has exactly one record, and no record is anything else.
int check_loci(const std::string& sam_path, const std::string& loci_path);

/// Each record's CIGAR, NM, MD, NH, HI, bases and place, recounted from reference and reads.
int check_records(const std::string& reference_path, const std::string& reads_path, const std::string& sam_path,
                  bool ambiguous_match);

/// Every alignment of `other_path`, from another mapper, is covered by a record of the same read in `sam_path`.
/// `max_edits` may be null; otherwise alignments with more edits are left out.
int check_covers(const std::string& sam_path, const std::string& other_path, const MaxEdits* max_edits);

/// How many primary records lie within `slack` bases of the place that trawl-simulate wrote into the read's name.
int check_truth(const std::string& sam_path, std::uint64_t slack);

/// Prints the first few faults and counts them all.
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
