#include "polish/long_gaps.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "align/cigar.hpp"
#include "align/pair_rule.hpp"
#include "polish/end_trimming.hpp"
#include "sequence/alphabet.hpp"

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
      primary->score = score_of(batch, r, results);
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
    const align::Alignment* const primary = align::primary_of(results, r);
    if (primary != nullptr && primary->distance > 0 && !align::clipped_ends(results, *primary).any()) {
      trim(batch, r, results);
    }
  }
  measure_inserts(results);
}

void LongGaps::trim_clipped(const sequence::ReadBatch& batch, align::AlignmentBatch& results) {
  for (std::size_t r = 0; r < batch.size(); ++r) {
    if (is_clipped(results, r)) {
      change(batch, r, results, [&](const View& view, Chain& chain) -> Gain {
        const bool trimmed = polish::trim(parts_of(view, chain), view.length(), chain);
        return reach_ends(view, chain) || trimmed ? Gain(0) : std::nullopt;
      });
    }
  }
  measure_inserts(results);
}

void LongGaps::trim(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& results) {
  const align::Alignment& primary = *align::primary_of(results, r);
  const bool settles = may_be_settled(results, primary);
  const bool trims = may_be_trimmed(results, primary);
  if (!settles && !trims) {
    return;
  }
  const std::uint32_t most = most_left_out(batch.length(r));
  change(batch, r, results, [&](const View& view, Chain& chain) -> Gain {
    const bool settled = settles && settling_.settle(view, chain, most);
    const bool trimmed = !settled && trims && polish::trim(parts_of(view, chain), most, chain);
    return settled || trimmed ? Gain(0) : std::nullopt;
  });
}

std::uint32_t LongGaps::unknown_of(const sequence::ReadBatch& batch, std::size_t r,
                                   const align::AlignmentBatch& results) const {
  const align::Alignment& primary = *align::primary_of(results, r);
  const std::string_view bases = batch.bases(r);
  const auto is_unknown = [](char letter) { return sequence::base_code(letter) == sequence::kAmbiguous; };
  if (ambiguous_matches_ || primary.distance == 0 || std::none_of(bases.begin(), bases.end(), is_unknown)) {
    return 0;
  }
  std::uint32_t unknown = 0;
  std::size_t base = 0;
  for (std::uint32_t k = 0; k < primary.cigar_length; ++k) {
    const std::uint32_t element = results.cigar_of(primary)[k];
    if (align::is_operation(element, align::CigarOp::deletion)) {
      continue;
    }
    const bool lies = !align::is_operation(element, align::CigarOp::insertion) &&
                      !align::is_operation(element, align::CigarOp::soft_clip);
    for (const std::size_t end = base + (element >> 4); base < end; ++base) {
      unknown += lies && is_unknown(bases[primary.reverse ? bases.size() - 1 - base : base]) ? 1 : 0;
    }
  }
  return unknown;
}

template <class Cost>
std::int32_t LongGaps::score_with(const sequence::ReadBatch& batch, std::size_t r, const align::AlignmentBatch& results,
                                  const Cost& cost_of) const {
  const align::Alignment& primary = *align::primary_of(results, r);
  constexpr auto kEdit = static_cast<std::int32_t>(align::kEditPoints);
  std::int32_t score = (kUnknown - kMismatch) * static_cast<std::int32_t>(unknown_of(batch, r, results));
  score -= kEdit * primary.distance;
  for (std::uint32_t k = 0; k < primary.cigar_length; ++k) {
    const std::uint32_t element = results.cigar_of(primary)[k];
    const auto length = static_cast<std::int32_t>(element >> 4);
    const bool inserted = align::is_operation(element, align::CigarOp::insertion);
    if (inserted || align::is_operation(element, align::CigarOp::deletion)) {
      score += kEdit * length - cost_of({inserted ? match::Step::insertion : match::Step::deletion, element >> 4});
    } else if (!align::is_operation(element, align::CigarOp::soft_clip)) {
      score += length;
    }
  }
  return score;
}

std::int32_t LongGaps::score_of(const sequence::ReadBatch& batch, std::size_t r,
                                const align::AlignmentBatch& results) const {
  return score_with(batch, r, results, cost_in_score);
}

std::int32_t LongGaps::penalty_of(const sequence::ReadBatch& batch, std::size_t r,
                                  const align::AlignmentBatch& results) const {
  const auto least_cost = [](const align::AlignedRun& gap) { return std::min(cost_in_score(gap), cost_as_event(gap)); };
  return static_cast<std::int32_t>(batch.length(r)) - score_with(batch, r, results, least_cost);
}

void LongGaps::score(const sequence::ReadBatch& batch, align::AlignmentBatch& results) const {
  for (std::size_t r = 0; r < batch.size(); ++r) {
    align::Alignment* const primary = align::primary_of(results, r);
    if (primary != nullptr) {
      primary->score = primary->distance > 0 ? score_of(batch, r, results) : static_cast<std::int32_t>(batch.length(r));
    }
  }
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
  primary->score = trims_ ? score_of(batch, r, results) : primary->score;
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
      measure_insert(reference_, p, results);
    }
  }
}

}  // namespace trawl::polish
