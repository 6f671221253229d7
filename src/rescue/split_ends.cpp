#include "rescue/split_ends.hpp"

#include <algorithm>
#include <string_view>

#include "align/cigar.hpp"

namespace trawl::rescue {

void SplitEnds::add(const sequence::ReadBatch& batch, std::size_t r, std::uint32_t begin, std::uint32_t end) {
  // Ambiguous bases do not tell a place, and parts that are full of them take very long to search.
  const std::string_view bases = batch.bases(r).substr(begin, end - begin);
  const auto clear = std::count_if(bases.begin(), bases.end(), [](char base) {
    return base == 'A' || base == 'C' || base == 'G' || base == 'T' || base == 'U';
  });
  if (clear >= kShortest && 8 * static_cast<std::size_t>(clear) >= 7 * bases.size()) {
    const auto qualities = batch.qualities(r);
    ends_.add(batch.name(r), bases, qualities.empty() ? qualities : qualities.substr(begin, end - begin), {},
              batch.is_second(r) ? 2 : 1);
    places_.push_back({static_cast<std::uint32_t>(r), begin, end});
  }
}

void SplitEnds::map_parts() {
  mapped_.clear();
  ends_.are_parts_of_mates = true;
  if (!ends_.empty()) {
    worker_->map(ends_, mapped_);
  }
}

std::vector<std::uint32_t> SplitEnds::map_halves(const sequence::ReadBatch& batch, align::AlignmentBatch& results) {
  ends_.clear();
  places_.clear();
  for (std::size_t r = 0; worker_ && r < batch.size(); ++r) {
    const bool was_searched = results.reads[r].unmapped == align::Unmapped::no_locus;
    // Discordant mates that are not reported have loci.
    const bool has_loci = results.reads[r].best_count > 0;
    if (was_searched && !has_loci && align::primary_of(results, r) == nullptr) {
      const auto length = static_cast<std::uint32_t>(batch.length(r));
      add(batch, r, 0, length / 2);
      add(batch, r, length / 2, length);
    }
  }
  map_parts();
  std::vector<std::uint32_t> reads;
  for (std::size_t e = 0; e < places_.size(); ++e) {
    const std::size_t r = places_[e].read;
    align::ReadResult& result = results.reads[r];
    const align::ReadResult& half = mapped_.reads[e];
    const bool is_better = is_used(e) && (result.count == 0 || mapped_.alignments[half.first].score >
                                                                   results.alignments[result.first].score);
    if (!is_better) {
      continue;
    }
    if (reads.empty() || reads.back() != r) {
      reads.push_back(static_cast<std::uint32_t>(r));
    }
    if (result.count == 0 && !results.pairs.empty()) {
      const bool mate_is_mapped = align::primary_of(results, r ^ 1) != nullptr;
      results.pairs[r / 2].kind = mate_is_mapped ? align::PairKind::discordant : align::PairKind::one_end;
    }
    result.first = add_alignment(batch, e, results);
    result.count = 1;
    result.best_count = half.best_count;
    result.next_count = half.next_count;
    result.next_known = half.next_known;
  }
  return reads;
}

void SplitEnds::map_ends(const sequence::ReadBatch& batch, align::AlignmentBatch& results) {
  ends_.clear();
  places_.clear();
  for (std::size_t r = 0; worker_ && r < batch.size(); ++r) {
    if (const align::Alignment* const primary = align::primary_of(results, r)) {
      const auto [left, right] = align::clipped_ends(results, *primary);
      const auto length = static_cast<std::uint32_t>(batch.length(r));
      add(batch, r, 0, primary->reverse ? right : left);
      add(batch, r, length - (primary->reverse ? left : right), length);
    }
  }
  map_parts();
  for (std::size_t e = 0; e < places_.size(); ++e) {
    if (is_used(e)) {
      const std::size_t index = add_alignment(batch, e, results);
      align::ReadResult& result = results.reads[places_[e].read];
      if (result.supplementary_count++ == 0) {
        result.supplementary = index;
      }
    }
  }
}

bool SplitEnds::is_used(std::size_t e) const {
  return mapped_.reads[e].count > 0 && mapped_.alignments[mapped_.reads[e].first].score >= least_score_;
}

std::size_t SplitEnds::add_alignment(const sequence::ReadBatch& batch, std::size_t e,
                                     align::AlignmentBatch& results) const {
  const ReadPart& end = places_[e];
  align::Alignment alignment = mapped_.alignments[mapped_.reads[e].first];
  const auto length = static_cast<std::uint32_t>(batch.length(end.read));
  const std::uint32_t left = alignment.reverse ? length - end.end : end.begin;
  const std::uint32_t right = alignment.reverse ? end.begin : length - end.end;
  // The clips of the part's own record become longer.
  const std::uint32_t* first = mapped_.cigar_of(alignment);
  const std::uint32_t* last = first + alignment.cigar_length;
  const auto [own_left, own_right] = align::clipped_ends(mapped_, alignment);
  first += own_left > 0 ? 1 : 0;
  last -= own_right > 0 ? 1 : 0;
  alignment.cigar = results.cigar.size();
  align::append_clip(left + own_left, results.cigar);
  results.cigar.insert(results.cigar.end(), first, last);
  align::append_clip(right + own_right, results.cigar);
  alignment.cigar_length = static_cast<std::uint32_t>(results.cigar.size() - alignment.cigar);
  const std::string_view md = mapped_.md_of(alignment);
  alignment.md = results.md.size();
  results.md += md;
  results.alignments.push_back(alignment);
  return results.alignments.size() - 1;
}

}  // namespace trawl::rescue
