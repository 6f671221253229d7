// Reads of a reference, with variants and sequencing errors, and their true places in their names.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace trawl::bench {

struct ReadModel {
  std::uint64_t shortest = 100;
  std::uint64_t longest = 100;
  double error_rate = 0.004;    // a base; substitutions
  double variant_rate = 0.001;  // a base
  double indel_share = 0.17;    // of the variants; half insertions, half deletions
  bool qualities = false;       // phred values that reflect the errors; otherwise all are I
};

/// Writes `count` FASTQ records, from both strands and uniformly from all windows without an ambiguous base.
/// Names: sim<N>_<contig>_<start0>_<end0>_<strand>_<edits>, where edits counts what was changed: the read's distance to
/// that place is this or less.
void write_reads(const std::string& reference_path, std::uint64_t count, std::uint64_t seed, const ReadModel& model,
                 std::FILE* out);

}  // namespace trawl::bench
