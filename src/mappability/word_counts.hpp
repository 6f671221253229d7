// How many places the reads of a reference have, for short reads without gaps: they are sorted, not searched.
//
// Cut a read into n parts. Where it has e mismatches, at least n - e of them match. So for each choice of n - e parts,
// the reads of both strands that have the same bases in these parts are compared with each other (word_choices.hpp).
// With more parts that match, a pair would be seen for several choices: it counts for the first one only.
//
//   with: const sequence::Reference& reference, const sequence::Contig& contig
//   const ReferenceReads reads{.length = 24, .max_edits = 2, .gaps = false};
//   WordCounts counts(reference, reads, std::vector<ReadStarts>{{contig.offset, 1000}});
//   counts.count([](double share) { std::printf("%.0f%%\n", 100 * share); });
//   const std::uint64_t loci = counts.at(contig.offset + 7);    // of the read that begins there
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mappability/position_loci.hpp"
#include "sequence/reference.hpp"

namespace trawl::mappability {

class WordCounts {
 public:
  /// Whether it can count these reads, of which `asked` are asked for, and a search for each of them would take longer.
  static bool suits(const sequence::Reference& reference, const ReferenceReads& reads, std::uint64_t asked);

  /// Whether there are references that suits() takes for these reads.
  static bool may_suit(const ReferenceReads& reads);

  /// `starts`: the reads that are asked for. `reference` must outlive it.
  WordCounts(const sequence::Reference& reference, const ReferenceReads& reads, std::span<const ReadStarts> starts);

  /// Counts with all threads of the caller's arena. Tells from time to time which share is done.
  void count(const std::function<void(double)>& progress);

  /// The number of loci, on both strands, of a read that is asked for; it begins at this position of the coordinate
  /// space.
  std::uint64_t at(std::uint64_t position) const { return counts_[position]; }

 private:
  const sequence::Reference& reference_;
  ReferenceReads reads_;
  std::vector<std::uint64_t> asked_;   // a bit for each position
  std::vector<std::uint32_t> counts_;  // of each position
};

}  // namespace trawl::mappability
