// Makes a library as people have it: fragments shorter than the read, bad tails, chimeras, duplicates, a donor's
// variants.
#pragma once

#include <cstdint>
#include <string>

#include "bench/simulate_donor.hpp"
#include "bench/simulate_reads.hpp"
#include "bench/simulation.hpp"

namespace trawl::bench {

struct LibraryModel {
  std::uint64_t length = 150;                         // of the reads
  FragmentModel fragments{340, 80, Orientation::fr};  // of those not shorter than a read; their orientation is fr
  double short_fragments = 0.1;  // share with shortest_fragment to longest_short bases, uniform: adapters are read
  std::uint64_t shortest_fragment = 25;
  std::uint64_t longest_short = 149;
  std::string adapters[2] = {std::string(kAdapterAfter), std::string(kAdapterAfterSecond)};
  char beyond = 'G';          // what is read after the adapter: G of machines with two colours
  double chimeras = 0.005;    // share of fragments of which mate 1 goes on at another place
  double duplicates = 0.02;   // share of fragments that were sequenced before
  double tails = 0.06;        // share of mates with 10 to 69 last bases of quality 2, a quarter of them wrong
  double unknown = 0.01;      // share of mates with 1 to 4 N
  double error_rate = 0.003;  // a base; three times as much at the last base as at the first
  DonorModel donor;
  std::string region;  // CONTIG or CONTIG:FIRST-LAST: fragments begin there; empty: anywhere
};

/// Writes `count` fragments: mate 1 and, unless its path is empty, mate 2; and the donor's variants, unless theirs is.
/// Both mates have the same name, <KIND><N>_<PLACES of mate 1>~<PLACES of mate 2>. A place is
/// <contig>_<start0>_<end0>_<strand>_<edits>_<before> (see write_reads); a second one of a chimera follows after &.
/// <KIND> is long, short (fragments shorter than the read), tiny (shorter than 70) or chimera; <N> of a duplicate is
/// followed by . and the number of the first.
void write_library(const std::string& reference_path, std::uint64_t count, std::uint64_t seed,
                   const LibraryModel& model, const std::string& first_path, const std::string& second_path,
                   const std::string& vcf_path);

}  // namespace trawl::bench
