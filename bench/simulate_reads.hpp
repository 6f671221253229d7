// Makes reads or pairs of a reference with variants and sequencing errors. Their names contain their true positions.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "bench/arguments.hpp"

namespace trawl::bench {

struct ReadModel {
  std::uint64_t shortest = 100;
  std::uint64_t longest = 100;
  double error_rate = 0.004;    // per base; substitutions
  double variant_rate = 0.001;  // per base
  double indel_share = 0.17;    // of the variants; half are insertions, half are deletions
  bool qualities = false;       // Phred values that reflect the errors; otherwise all are I
};

struct FragmentModel {
  double mean = 400;  // of the length; normally distributed, but never shorter than a mate
  double deviation = 50;
  Orientation orientation = Orientation::fr;
};

/// Writes `count` FASTQ records, from both strands, uniformly from all windows without an ambiguous base.
/// Names: sim<N>_<contig>_<start0>_<end0>_<strand>_<edits>. `edits` is the number of changes: the read's distance to
/// that position is this or less.
void write_reads(const std::string& reference_path, std::uint64_t count, std::uint64_t seed, const ReadModel& model,
                 std::FILE* out);

/// Writes the two mates of `count` fragments to two files. Both have the same name:
/// pair<N>_<contig>, then for the first and for the second mate _<start0>_<end0>_<strand>_<edits>.
void write_pairs(const std::string& reference_path, std::uint64_t count, std::uint64_t seed, const ReadModel& model,
                 const FragmentModel& fragments, const std::string& first_path, const std::string& second_path);

}  // namespace trawl::bench
