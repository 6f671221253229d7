// Makes reads or pairs of a reference with variants and sequencing errors. Their names contain their true positions.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "bench/arguments.hpp"

namespace trawl::bench {

/// Shares of reads that do not fit the reference from end to end. Each read has at most one kind of them.
struct ArtefactModel {
  double adapters = 0;  // foreign bases at the 3' end (half), the 5' end (a quarter) or both
  std::uint64_t shortest_adapter = 0;
  std::uint64_t longest_adapter = 45;  // of both ends together; uniform
  double chimeras = 0;                 // two parts from different places; the border is anywhere
  double indels = 0;                   // one insertion or deletion of many bases, anywhere
  std::uint64_t shortest_indel = 10;
  std::uint64_t longest_indel = 40;
  double tails = 0;  // 10 to 60 bases of low quality at the 3' end: N (3 in 10), or any base (4 in 10)

  bool any() const { return adapters > 0 || chimeras > 0 || indels > 0 || tails > 0; }
};

struct ReadModel {
  std::uint64_t shortest = 100;
  std::uint64_t longest = 100;
  double error_rate = 0.004;    // per base; substitutions
  double variant_rate = 0.001;  // per base
  double indel_share = 0.17;    // of the variants; half are insertions, half are deletions
  bool qualities = false;       // Phred values that reflect the errors; otherwise all are I
  ArtefactModel artefacts;      // of single reads
};

struct FragmentModel {
  double mean = 400;  // of the length; normally distributed, but never shorter than a mate
  double deviation = 50;
  Orientation orientation = Orientation::fr;
};

/// Writes `count` FASTQ records, from both strands, uniformly from all windows without an ambiguous base.
/// Names: sim<N>_<contig>_<start0>_<end0>_<strand>_<edits>. `edits` is the number of changes: the read's distance to
/// that position is this or less.
///
/// A read with an artefact has one or two places, each with one number more: how many bases of the read lie before this
/// part, seen in the direction of the reference. <KIND> is adapter, chimera, indel or tail.
/// Names: <KIND><N>_<contig>_<start0>_<end0>_<strand>_<edits>_<before>, then, of a second part, & and the same without
/// <KIND><N>. `edits` are those within the part.
void write_reads(const std::string& reference_path, std::uint64_t count, std::uint64_t seed, const ReadModel& model,
                 std::FILE* out);

/// Writes the two mates of `count` fragments to two files. Both have the same name:
/// pair<N>_<contig>, then for the first and for the second mate _<start0>_<end0>_<strand>_<edits>.
void write_pairs(const std::string& reference_path, std::uint64_t count, std::uint64_t seed, const ReadModel& model,
                 const FragmentModel& fragments, const std::string& first_path, const std::string& second_path);

}  // namespace trawl::bench
