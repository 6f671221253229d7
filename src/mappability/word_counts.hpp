// How many places the reads of a reference have, for short reads without gaps: they are sorted, not searched.
// The choices of parts that match are in words/word_choices.hpp.
//
//   with: const sequence::Reference& reference, const sequence::Contig& contig
//   const ReferenceReads reads{.length = 24, .max_edits = 2, .gaps = false};
//   const auto counts = count_words(reference, reads, std::vector<ReadStarts>{{contig.offset, 1000}},
//                                   [](double share) { std::printf("%.0f%%\n", 100 * share); });
//   const std::uint64_t loci = counts[contig.offset + 7];       // of the read that begins there
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mappability/position_loci.hpp"
#include "sequence/reference.hpp"

namespace trawl::mappability {

/// Whether these reads, of which `asked` are asked for, can be counted in this way, and a search for each of them would
/// take longer.
bool suits_word_counts(const sequence::Reference& reference, const ReferenceReads& reads, std::uint64_t asked);

/// Whether there are references that suits_word_counts() takes for these reads.
bool may_suit_word_counts(const ReferenceReads& reads);

/// The number of loci, on both strands, of the reads that are asked for, by the position of the coordinate space where
/// they begin. Counts with all threads of the caller's arena, and says from time to time which share is done.
std::vector<std::uint32_t> count_words(const sequence::Reference& reference, const ReferenceReads& reads,
                                       std::span<const ReadStarts> starts, const std::function<void(double)>& progress);

}  // namespace trawl::mappability
