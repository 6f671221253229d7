// What `trawl scan` reports: a place where a pattern occurs.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

namespace trawl::scan {

struct Record {
  std::uint64_t contig = 0;  // its number in the reference, from 0
  std::uint64_t start = 0;   // 0-based, in the contig
  std::uint64_t end = 0;     // behind the last aligned base
  std::uint32_t pattern = 0;
  bool reverse = false;
  std::uint16_t distance = 0;
  std::uint16_t edits = 0;  // SAM: NM; more than the distance where an ambiguous letter matched
  std::uint16_t mismatches = 0;
  std::uint16_t dna_bulges = 0;  // bases of the reference that no pattern base is aligned to
  std::uint16_t rna_bulges = 0;  // bases of the pattern that no base of the reference is aligned to
  std::string cigar;             // along the reference
  std::string md;
  std::string text;  // the aligned piece of the reference, as the pattern's strand reads it

  /// The order of the output: contig, start, pattern, strand, end.
  auto key() const { return std::tie(contig, start, pattern, reverse, end); }
};

}  // namespace trawl::scan
