// What `trawl scan` reports: a locus of a pattern.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

namespace trawl::scan {

struct Record {
  std::uint64_t contig = 0;  // its number in the reference, from 0
  std::uint64_t start = 0;   // 0-based, in the contig
  std::uint64_t end = 0;     // one after the last aligned base
  std::uint32_t pattern = 0;
  bool reverse = false;
  std::uint16_t distance = 0;
  std::uint16_t edits = 0;  // SAM: NM. Larger than the distance if an ambiguous letter matched
  std::uint16_t mismatches = 0;
  std::uint16_t dna_bulges = 0;  // bases of the reference without an aligned pattern base
  std::uint16_t rna_bulges = 0;  // bases of the pattern without an aligned reference base
  std::string cigar;             // in the direction of the reference
  std::string md;
  std::string text;  // the aligned part of the reference, on the strand of the pattern

  /// The order of the output: contig, start, pattern, strand, end.
  auto key() const { return std::tie(contig, start, pattern, reverse, end); }
};

}  // namespace trawl::scan
