#include "rescue/pair_up.hpp"

#include <algorithm>

#include "polish/long_gaps.hpp"

namespace trawl::rescue {

bool are_concordant(const sequence::Reference& reference, const map::MapOptions& options,
                    const align::InsertModel& inserts, const align::Alignment& first, const align::Alignment& second) {
  if (first.contig != second.contig) {
    return false;
  }
  align::Extent extents[2] = {align::extent_of(first), align::extent_of(second)};
  align::bring_together(reference.contigs()[first.contig].circle(), extents[0], extents[1]);
  return align::is_concordant(options.pairs.orientation, inserts, extents[0], extents[1]);
}

void join_mates(std::size_t pair, align::AlignmentBatch& results) {
  align::PairResult& result = results.pairs[pair];
  align::ReadResult* const mates = &results.reads[2 * pair];
  result.kind = align::PairKind::concordant;
  result.first = results.concordant_pairs.size();
  result.count = 1;
  results.concordant_pairs.push_back(
      {{static_cast<std::uint32_t>(mates[0].first), static_cast<std::uint32_t>(mates[1].first)}});
}

void pair_up(const sequence::Reference& reference, const map::MapOptions& options, const align::InsertModel& inserts,
             std::span<const std::uint32_t> reads, align::AlignmentBatch& results) {
  if (results.pairs.empty()) {
    return;
  }
  for (const std::uint32_t r : reads) {
    align::PairResult& pair = results.pairs[r / 2];
    align::ReadResult* const mates = &results.reads[r - r % 2];
    if (pair.count > 0) {
      continue;
    }
    if (mates[0].count == 0 || mates[1].count == 0) {
      pair.kind = align::PairKind::one_end;
      continue;
    }
    pair.kind = align::PairKind::discordant;
    const align::Alignment& first = results.alignments[mates[0].first];
    const align::Alignment& second = results.alignments[mates[1].first];
    if (are_concordant(reference, options, inserts, first, second)) {
      join_mates(r / 2, results);
      const bool others = options.pairs.discordant == align::Discordant::always && options.report != map::Report::best;
      for (int m = 0; m < 2; ++m) {
        ++mates[m].first;
        mates[m].count = others ? mates[m].count - 1 : 0;
      }
      polish::measure_insert(reference, r / 2, results);
    } else if (options.pairs.discordant == align::Discordant::never) {
      // Of two reads the less sure one.
      const bool both = std::find(reads.begin(), reads.end(), r ^ 1) != reads.end();
      const unsigned dropped = !both ? r % 2 : first.mapq < second.mapq ? 0 : 1;
      mates[dropped].count = mates[dropped].best_count = 0;
      pair.kind = align::PairKind::one_end;
    }
  }
}

}  // namespace trawl::rescue
