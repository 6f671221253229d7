// Pairs of mates that got their alignments one by one, after the search.
//
//   with: const sequence::Reference& reference, const map::MapOptions& options, const align::InsertModel& inserts
//   with: const std::vector<std::uint32_t>& reads, align::AlignmentBatch& results
//   pair_up(reference, options, inserts, reads, results);      // pairs of which `reads` have new alignments
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "align/alignment.hpp"
#include "align/pair_rule.hpp"
#include "map/options.hpp"
#include "sequence/reference.hpp"

namespace trawl::rescue {

/// Makes concordant pairs of these reads and their mates, where they fit. With `--discordant never` a read that does
/// not fit is dropped; of two mates among them the one with the smaller MAPQ, or the second one. Pairs that are
/// concordant already stay so. Does nothing if the batch has no pairs.
void pair_up(const sequence::Reference& reference, const map::MapOptions& options, const align::InsertModel& inserts,
             std::span<const std::uint32_t> reads, align::AlignmentBatch& results);

/// Makes the primary alignments of two mates, which are reported alone, a concordant pair; its insert size is not set.
void join_mates(std::size_t pair, align::AlignmentBatch& results);

/// Whether two alignments are a concordant pair: of mate 1, and of mate 2.
bool are_concordant(const sequence::Reference& reference, const map::MapOptions& options,
                    const align::InsertModel& inserts, const align::Alignment& first, const align::Alignment& second);

}  // namespace trawl::rescue
