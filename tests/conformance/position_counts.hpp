// Counts of the loci of every read of a reference, as `trawl mappability` makes them, and by plain dynamic programming.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "mappability/known_reads.hpp"
#include "mappability/position_loci.hpp"
#include "match/levenshtein.hpp"
#include "sequence/alphabet.hpp"
#include "tests/random_cases.hpp"

namespace trawl::tests {

// Contigs with copies of one repeat, on both strands, with few edits or none.
inline std::vector<std::string> repetitive_contigs(RandomCases& random, double ambiguity) {
  auto contigs = random.contigs(ambiguity);
  const std::string unit = random.bases(random.number(30, 300));
  for (std::string& contig : contigs) {
    for (std::size_t copies = random.number(0, 6); copies > 0; --copies) {
      const std::string copy = random.mutate(unit, random.chance(0.5) ? 0 : random.number(1, 6));
      contig += random.bases(random.number(0, 40)) + (random.chance(0.5) ? copy : sequence::reverse_complement(copy));
    }
  }
  return contigs;
}

/// The loci of every read of the reference, in its order, so many positions at a time.
inline std::vector<std::uint64_t> counts_of(engine::Engine& engine, const sequence::Reference& reference,
                                            const mappability::ReferenceReads& reads, std::size_t at_once) {
  mappability::KnownReads known(reference, reads.length);
  mappability::PositionLoci loci(reference, reads, engine.make_range_finder(), known);
  std::vector<std::uint64_t> all;
  for (const sequence::Contig& contig : reference.contigs()) {
    std::vector<std::uint64_t> counts(reads.of(contig));
    for (std::size_t begin = 0; begin < counts.size(); begin += at_once) {
      loci.count(contig.offset + begin, std::span(counts).subspan(begin, std::min(at_once, counts.size() - begin)));
    }
    all.insert(all.end(), counts.begin(), counts.end());
  }
  return all;
}

/// The loci of a read, on both strands.
inline std::size_t oracle_count(const std::vector<std::string>& contigs, const std::string& read,
                                std::uint32_t max_edits) {
  std::size_t count = 0;
  for (const std::string& strand : {read, sequence::reverse_complement(read)}) {
    for (const std::string& contig : contigs) {
      count +=
          match::oracle_loci(strand, contig, static_cast<int>(max_edits), match::AmbiguityRule::matches_nothing).size();
    }
  }
  return count;
}

}  // namespace trawl::tests
