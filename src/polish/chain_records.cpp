#include "polish/chain_records.hpp"

#include <algorithm>
#include <utility>

#include "align/cigar.hpp"
#include "align/locus.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::polish {

std::uint32_t unknown_of(std::string_view bases, bool ambiguous_matches, const align::AlignmentBatch& results,
                         const align::Alignment& alignment) {
  const auto is_unknown = [](char letter) { return sequence::base_code(letter) == sequence::kAmbiguous; };
  if (ambiguous_matches || alignment.distance == 0 || std::none_of(bases.begin(), bases.end(), is_unknown)) {
    return 0;
  }
  std::uint32_t unknown = 0;
  std::size_t base = 0;
  for (std::uint32_t k = 0; k < alignment.cigar_length; ++k) {
    const std::uint32_t element = results.cigar_of(alignment)[k];
    if (align::is_operation(element, align::CigarOp::deletion)) {
      continue;
    }
    const bool lies = !align::is_operation(element, align::CigarOp::insertion) &&
                      !align::is_operation(element, align::CigarOp::soft_clip);
    for (const std::size_t end = base + (element >> 4); base < end; ++base) {
      unknown += lies && is_unknown(bases[alignment.reverse ? bases.size() - 1 - base : base]) ? 1 : 0;
    }
  }
  return unknown;
}

std::int32_t score_of(std::string_view bases, bool ambiguous_matches, const align::AlignmentBatch& results,
                      const align::Alignment& alignment, std::int32_t (*cost_of)(const align::AlignedRun& gap)) {
  constexpr auto kEdit = static_cast<std::int32_t>(align::kEditPoints);
  const auto unknown = static_cast<std::int32_t>(unknown_of(bases, ambiguous_matches, results, alignment));
  std::int32_t score = (kUnknown - kMismatch) * unknown - kEdit * alignment.distance;
  for (std::uint32_t k = 0; k < alignment.cigar_length; ++k) {
    const std::uint32_t element = results.cigar_of(alignment)[k];
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

View ChainRecords::load(std::string_view bases, bool reverse, std::size_t contig) {
  bases_ = bases;
  file_strand_.encode(bases, ambiguous_matches_);
  if (reverse) {
    strand_.encode_reverse_complement(file_strand_);
  } else {
    std::swap(strand_, file_strand_);
  }
  text_.enter(contig);
  return {text_, strand_};
}

align::Alignment ChainRecords::describe(const Chain& chain, bool reverse, align::AlignmentBatch& out) {
  const View view{text_, strand_};
  align::Locus locus;
  locus.end = static_cast<std::uint64_t>(chain.start);
  locus.reverse = reverse;
  locus.distance = edits_of(view, chain);
  part_.encode_part(strand_, chain.left, view.length() - chain.right);
  align::Alignment alignment = aligner_.describe(locus, part_, {static_cast<std::uint64_t>(chain.start), chain.runs},
                                                 out, chain.left, chain.right);
  alignment.score = score_of(bases_, ambiguous_matches_, out, alignment);
  return alignment;
}

bool ChainRecords::is_in_array(const Chain& chain) {
  const View view{text_, strand_};
  const std::uint32_t bases = view.length() - chain.left - chain.right;
  align::Locus locus;
  locus.distance = edits_of(view, chain);
  // Short pieces have others by chance, and ambiguous letters that match everywhere. Long gaps are no edits to search
  // for.
  constexpr std::uint32_t kShortest = 30;
  if (ambiguous_matches_ || bases < kShortest || 8u * locus.distance > bases) {
    return false;
  }
  const std::int64_t end = chain.end() - 1;
  locus.end = static_cast<std::uint64_t>(end);
  locus.before = static_cast<std::uint32_t>(std::min<std::int64_t>(kLongestUnit, end - text_.contig_begin()));
  locus.after = static_cast<std::uint32_t>(std::min<std::int64_t>(kLongestUnit, text_.contig_end() - 1 - end));
  part_.encode_part(strand_, chain.left, view.length() - chain.right);
  placements_.clear();
  // A part of the chain may fit with fewer edits than it has there.
  const std::uint16_t edits = locus.distance;
  for (locus.distance = 0; locus.distance <= edits; ++locus.distance) {
    if (const std::uint32_t found = aligner_.find_placements(locus, part_, locus.distance, placements_)) {
      return found > 1;
    }
  }
  return false;
}

std::optional<std::uint32_t> ChainRecords::bases_beside_array(const Chain& chain) {
  const auto is_in_array_without = [&](std::uint32_t bases) {
    Chain right = chain;
    Chain left = chain;
    if (bases >= std::min(chain.runs.front().length, chain.runs.back().length)) {
      return false;
    }
    right.right += bases;
    right.runs.back().length -= bases;
    left.left += bases;
    left.start += bases;
    left.runs.front().length -= bases;
    return is_in_array(right) || is_in_array(left);
  };
  if (is_in_array(chain)) {
    return 0;
  }
  if (!is_in_array_without(kMostBesideArray)) {
    return std::nullopt;
  }
  std::uint32_t bases = 1;
  while (bases < kMostBesideArray && !is_in_array_without(bases)) {
    ++bases;
  }
  return bases;
}

}  // namespace trawl::polish
