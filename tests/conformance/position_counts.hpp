// Counts of the loci of every read of a reference, as `trawl mappability` makes them, and by plain dynamic programming.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "mappability/position_loci.hpp"
#include "sequence/alphabet.hpp"
#include "tests/alignment_oracle.hpp"
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

/// The loci of every read of the reference, in its order, so many positions at a time; these may be of several contigs.
inline std::vector<std::uint64_t> counts_of(engine::Engine& engine, const sequence::Reference& reference,
                                            const mappability::ReferenceReads& reads, std::size_t at_once) {
  mappability::KnownReads known(reference, reads.length, reference.bases());
  mappability::PositionLoci loci(reference, reads, engine.make_range_finder(), known);
  std::vector<std::uint64_t> all;
  std::vector<mappability::ReadStarts> starts;
  std::size_t waiting = 0;
  const auto count = [&] {
    std::vector<std::uint64_t> counts(waiting);
    loci.count(starts, counts);
    all.insert(all.end(), counts.begin(), counts.end());
    starts.clear();
    waiting = 0;
  };
  for (const sequence::Contig& contig : reference.contigs()) {
    for (std::uint64_t begin = 0; begin < reads.of(contig);) {
      const std::uint64_t some = std::min<std::uint64_t>(at_once - waiting, reads.of(contig) - begin);
      starts.push_back({contig.offset + begin, some});
      waiting += some;
      begin += some;
      if (waiting == at_once) {
        count();
      }
    }
  }
  count();
  return all;
}

/// The places of a read with so few mismatches in a contig, one letter after the other.
inline std::size_t places_without_gaps(const std::string& read, const std::string& contig, std::uint32_t most) {
  std::size_t count = 0;
  for (std::size_t begin = 0; begin + read.size() <= contig.size(); ++begin) {
    std::uint32_t mismatches = 0;
    for (std::size_t i = 0; i < read.size() && mismatches <= most; ++i) {
      const std::uint8_t code = sequence::base_code(read[i]);
      mismatches += code == sequence::kAmbiguous || code != sequence::base_code(contig[begin + i]) ? 1 : 0;
    }
    count += mismatches <= most ? 1 : 0;
  }
  return count;
}

/// The loci of a read, on both strands.
inline std::size_t oracle_count(const std::vector<std::string>& contigs, const std::string& read,
                                std::uint32_t max_edits, bool gaps = true) {
  std::size_t count = 0;
  for (const std::string& strand : {read, sequence::reverse_complement(read)}) {
    for (const std::string& contig : contigs) {
      if (!gaps) {
        count += places_without_gaps(strand, contig, max_edits);
        continue;
      }
      count +=
          match::oracle_loci(strand, contig, static_cast<int>(max_edits), match::AmbiguityRule::matches_nothing).size();
    }
  }
  return count;
}

}  // namespace trawl::tests
