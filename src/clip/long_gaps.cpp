#include "clip/long_gaps.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "align/pair_rule.hpp"
#include "clip/end_trimming.hpp"

namespace trawl::clip {

namespace {

bool is_clipped(const align::AlignmentBatch& results, std::size_t r) {
  const align::Alignment* const primary = align::primary_of(results, r);
  return primary != nullptr && align::clipped_ends(results, *primary).any();
}

// The smaller cost of a gap: of its bases, or as a joined one.
std::int64_t smaller_cost(const align::AlignedRun& gap) {
  const std::int32_t of_base = gap.step == match::Step::insertion ? kMismatch : kDeletedBase;
  return std::min<std::int64_t>(-of_base * std::int64_t{gap.length}, kLongGap);
}

}  // namespace

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
  const std::int64_t before = primary->score;
  change(batch, r, results, [&](const View& view, Chain& chain) -> Gain {
    const auto settled = settles ? settling_.settle(view, chain) : std::nullopt;
    const Gain joined = joins ? joining_.join(view, chain) : std::nullopt;
    if (joined && trims_ && settling_.settle(view, chain)) {
      return score_of(view, chain, smaller_cost) - before;
    }
    return sum_of(settled ? Gain(settled->gain) : std::nullopt, joined);
  });
}

void LongGaps::trim_clipped(const sequence::ReadBatch& batch, align::AlignmentBatch& results) {
  for (std::size_t r = 0; r < batch.size(); ++r) {
    if (is_clipped(results, r) && align::primary_of(results, r)->distance > 0) {
      trim(batch, r, nullptr, results);
    }
  }
  measure_inserts(results);
}

void LongGaps::trim(const sequence::ReadBatch& batch, std::size_t r, const align::PieceLimits* limits,
                    align::AlignmentBatch& results) {
  const align::Alignment& primary = *align::primary_of(results, r);
  const bool settles = limits != nullptr && may_be_settled(results, primary);
  const bool trims = may_be_trimmed(results, primary);
  if (!settles && !trims) {
    return;
  }
  change(batch, r, results, [&](const View& view, Chain& chain) -> Gain {
    const auto settled = settles ? settling_.settle(view, chain) : std::nullopt;
    if (settled) {
      return sum_of(settled->gain, clip::trim(settled->parts, limits, chain));
    }
    return trims ? clip::trim(parts_of(view, chain), limits, chain) : std::nullopt;
  });
}

std::int64_t LongGaps::trimmed_penalty(const sequence::ReadBatch& batch, std::size_t r,
                                       const align::PieceLimits& limits, const align::AlignmentBatch& results) {
  const align::Alignment& primary = *align::primary_of(results, r);
  const View view = load(batch, r, primary);
  Chain chain = chain_of(results, primary, text_.contig_begin());
  const auto settled = may_be_settled(results, primary) ? settling_.settle(view, chain) : std::nullopt;
  return kept_part(settled ? settled->parts : parts_of(view, chain), chain, &limits).penalty;
}

void LongGaps::extend(const sequence::ReadBatch& batch, std::span<const std::uint32_t> reads,
                      align::AlignmentBatch& results) {
  for (const std::uint32_t r : reads) {
    if (is_clipped(results, r)) {
      change(batch, r, results, [](const View& view, Chain& chain) { return clip::extend(view, chain); });
    }
  }
}

template <class Change>
void LongGaps::change(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& results,
                      const Change& change) {
  align::Alignment* const primary = align::primary_of(results, r);
  const View view = load(batch, r, *primary);
  Chain chain = chain_of(results, *primary, text_.contig_begin());
  const Gain gain = change(view, chain);
  if (!gain) {
    return;
  }
  align::Locus locus;
  locus.end = static_cast<std::uint64_t>(chain.start);
  locus.reverse = primary->reverse;
  locus.distance = edits_of(view, chain);
  part_.encode_part(view.read, chain.left, view.length() - chain.right);
  align::Alignment changed = aligner_.describe(locus, part_, {static_cast<std::uint64_t>(chain.start), chain.runs},
                                               results, chain.left, chain.right);
  changed.mapq = primary->mapq;
  changed.score = primary->score + static_cast<std::int32_t>(*gain);
  *primary = changed;
}

View LongGaps::load(const sequence::ReadBatch& batch, std::size_t r, const align::Alignment& alignment) {
  strands_[0].encode(batch.bases(r), ambiguous_matches_);
  if (alignment.reverse) {
    strands_[1].encode_reverse_complement(strands_[0]);
  }
  text_.enter(alignment.contig);
  return {text_, strands_[alignment.reverse]};
}

void LongGaps::measure_inserts(align::AlignmentBatch& results) const {
  for (std::size_t p = 0; p < results.pairs.size(); ++p) {
    if (results.pairs[p].count > 0) {
      const align::Alignment& first = *align::primary_of(results, 2 * p);
      align::Extent extents[2] = {align::extent_of(first), align::extent_of(*align::primary_of(results, 2 * p + 1))};
      align::bring_together(reference_.contigs()[first.contig].circle(), extents[0], extents[1]);
      results.pairs[p].insert = static_cast<std::uint32_t>(align::outer_distance(extents[0], extents[1]));
    }
  }
}

}  // namespace trawl::clip
