// The checks of a mapper's SAM, one file each. Each prints `name<TAB>value` lines, then the first faults.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "bench/arguments.hpp"
#include "bench/files.hpp"

namespace trawl::bench {

/// Each locus of the oracle's table has exactly one record, and there are no other records.
int check_loci(const std::string& sam_path, const std::string& loci_path);

/// How the records were made.
struct RecordRules {
  bool ambiguous_match = false;  // trawl map --ambiguous match
  bool clip = false;             // --clip: records may have clipped ends, AS is a score, SA joins split reads
  bool join = false;             // --join: primary records may have one or two long gaps
};

/// CIGAR, NM, MD, AS, NH, HI, SA, bases and position of each record, computed again from reference and reads.
int check_records(const std::string& reference_path, const std::string& reads_path, const std::string& sam_path,
                  const RecordRules& rules);

/// What check_covers() asks for.
struct CoverRules {
  const MaxEdits* max_edits = nullptr;  // alignments with more edits need not be covered; null: all must be
  bool pairs = false;                   // only concordant pairs (flag 0x2) count, and the mate must be covered, too
};

/// For every alignment in `other_path`, from another mapper, a record of the same read in `sam_path` covers it: it
/// overlaps it on the same strand and has no more edits.
int check_covers(const std::string& sam_path, const std::string& other_path, const CoverRules& rules);

/// What check_truth prints besides its sums.
struct TruthTables {
  bool calibration = false;  // the share of wrong records at each MAPQ
  bool counts = false;  // in place of all else, for programs: kind, MAPQ (- of unmapped ones), reads, proper, wrong
};

/// How many primary records are at most `slack` bases from a position that trawl-simulate wrote into the read's name,
/// all and those with MAPQ >= 20; where there are several kinds of reads, of each kind.
int check_truth(const std::string& sam_path, std::uint64_t slack, TruthTables tables);

/// The SAMs that check_pairs() compares: `trawl map --report all` of the first mates, of the second mates and of the
/// pairs. `best`: `--report best` of the pairs, or empty.
struct PairFiles {
  std::string first;
  std::string second;
  std::string pairs;
  std::string best;
};

struct PairLimits {
  Orientation orientation = Orientation::fr;
  std::uint64_t shortest = 1;  // insert sizes
  std::uint64_t longest = 1000;
};

/// The concordant pairs are exactly all combinations of the mates' single alignments that fit; flags, HI, NH, sums and
/// mate positions are right; and the best pair is one of those with the smallest sum.
int check_pairs(const PairFiles& files, const PairLimits& limits);

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
