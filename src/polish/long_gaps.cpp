#include "polish/long_gaps.hpp"

#include <algorithm>
#include <optional>

#include "align/cigar.hpp"
#include "align/pair_rule.hpp"
#include "base/stop.hpp"

namespace trawl::polish {

namespace {

bool is_clipped(const align::AlignmentBatch& results, std::size_t r) {
  const align::Alignment* const primary = align::primary_of(results, r);
  return primary != nullptr && align::clipped_ends(results, *primary).any();
}

}  // namespace

void measure_insert(const sequence::Reference& reference, std::size_t pair, align::AlignmentBatch& results) {
  const align::Alignment& first = *align::primary_of(results, 2 * pair);
  align::Extent extents[2] = {align::extent_of(first), align::extent_of(*align::primary_of(results, 2 * pair + 1))};
  align::bring_together(reference.contigs()[first.contig].circle(), extents[0], extents[1]);
  results.pairs[pair].insert = static_cast<std::uint32_t>(align::outer_distance(extents[0], extents[1]));
}

void LongGaps::join(const sequence::ReadBatch& batch, align::AlignmentBatch& results) {
  for (std::size_t r = 0; r < batch.size(); ++r) {
    join(batch, r, false, results);
  }
  measure_inserts(results);
}

void LongGaps::join(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads,
                    align::AlignmentBatch& results) {
  for (const std::uint32_t r : reads) {
    join(batch, r, true, results);
    if (align::Alignment* const primary = align::primary_of(results, r); trims_ && primary != nullptr) {
      primary->score = score_of(batch.bases(r), ambiguous_matches_, results, *primary);
    }
  }
  measure_inserts(results);
}

void LongGaps::join(const sequence::ReadBatch& batch, std::size_t r, bool also_whole, align::AlignmentBatch& results) {
  const align::Alignment* const primary = align::primary_of(results, r);
  const bool is_cut = is_clipped(results, r);
  const bool joins = joins_ && is_cut;
  const bool settles = trims_ && (is_cut || also_whole) && primary != nullptr && may_be_settled(results, *primary);
  if (!joins && !settles) {
    return;
  }
  change(batch, r, results, [&](const View& view, Chain& chain) -> Gain {
    const bool settled = settles && settling_.settle(view, chain, view.length());
    const Gain joined = joins ? joining_.join(view, chain) : std::nullopt;
    const bool settled_again = joined && trims_ && settling_.settle(view, chain, view.length());
    return settled || settled_again ? joined.value_or(0) : joined;
  });
}

void LongGaps::trim(const sequence::ReadBatch& batch, align::AlignmentBatch& results) {
  for (std::size_t r = 0; r < batch.size(); ++r) {
    align::Alignment* const primary = align::primary_of(results, r);
    if (primary == nullptr) {
      continue;
    }
    const auto length = static_cast<std::uint32_t>(batch.length(r));
    primary->score = primary->distance > 0 ? score_of(batch.bases(r), ambiguous_matches_, results, *primary)
                                           : static_cast<std::int32_t>(length);
    // Of others no part is better either.
    if (primary->distance > 0 && !is_clipped(results, r) && may_be_settled(results, *primary)) {
      const std::uint32_t most = std::min(most_left_out_.of(length), (length - 1) / 2);
      change(batch, r, results, [&](const View& view, Chain& chain) -> Gain {
        const bool is_other = settling_.settle(view, chain, most) || polish::trim(view, most, chain);
        return is_other ? Gain(0) : std::nullopt;
      });
    }
  }
  measure_inserts(results);
}

void LongGaps::trim_clipped(const sequence::ReadBatch& batch, align::AlignmentBatch& results) {
  for (std::size_t r = 0; r < batch.size(); ++r) {
    if (is_clipped(results, r)) {
      change(batch, r, results, [&](const View& view, Chain& chain) -> Gain {
        const bool trimmed = polish::trim(view, view.length(), chain);
        return reach_ends(view, chain) || trimmed ? Gain(0) : std::nullopt;
      });
    }
  }
  measure_inserts(results);
}

void LongGaps::extend(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads,
                      align::AlignmentBatch& results) {
  for (const std::uint32_t r : reads) {
    if (is_clipped(results, r)) {
      change(batch, r, results, [](const View& view, Chain& chain) { return polish::extend(view, chain); });
    }
  }
}

template <class Change>
void LongGaps::change(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& results,
                      const Change& change) {
  Stop::look();
  align::Alignment& primary = *align::primary_of(results, r);
  const std::int32_t score = primary.score;
  const Gain gain = records_.change(batch.bases(r), primary, results, change);
  if (gain && !trims_) {
    primary.score = score + static_cast<std::int32_t>(*gain);
  }
}

void LongGaps::measure_inserts(align::AlignmentBatch& results) const {
  for (std::size_t p = 0; p < results.pairs.size(); ++p) {
    if (results.pairs[p].count > 0) {
      measure_insert(reference_, p, results);
    }
  }
}

}  // namespace trawl::polish
