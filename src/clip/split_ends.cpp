#include "clip/split_ends.hpp"

namespace trawl::clip {

namespace {

// The primary alignment of read r; null if it has none.
const align::Alignment* primary_of(const align::AlignmentBatch& results, std::size_t r) {
  if (!results.pairs.empty() && results.pairs[r / 2].count > 0) {
    return &results.alignments[results.concordant_pairs[results.pairs[r / 2].first].mates[r % 2]];
  }
  const align::ReadResult& result = results.reads[r];
  return result.count > 0 ? &results.alignments[result.first] : nullptr;
}

std::uint32_t clipped_bases(std::uint32_t element) {
  return (element & 15u) == static_cast<std::uint32_t>(align::CigarOp::soft_clip) ? element >> 4 : 0;
}

}  // namespace

void SplitEnds::collect(const sequence::ReadBatch& batch, const align::AlignmentBatch& results) {
  ends_.clear();
  places_.clear();
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const align::Alignment* const primary = primary_of(results, r);
    if (primary == nullptr) {
      continue;
    }
    const std::uint32_t* const cigar = results.cigar_of(*primary);
    const std::uint32_t left = clipped_bases(cigar[0]);
    const std::uint32_t right = clipped_bases(cigar[primary->cigar_length - 1]);
    const auto length = static_cast<std::uint32_t>(batch.length(r));
    const auto add = [&](std::uint32_t begin, std::uint32_t end) {
      if (end - begin >= kShortest) {
        const auto qualities = batch.qualities(r);
        ends_.add(batch.name(r), batch.bases(r).substr(begin, end - begin),
                  qualities.empty() ? qualities : qualities.substr(begin, end - begin));
        places_.push_back({static_cast<std::uint32_t>(r), begin, end});
      }
    };
    add(0, primary->reverse ? right : left);
    add(length - (primary->reverse ? left : right), length);
  }
}

void SplitEnds::add_supplementary(const sequence::ReadBatch& batch, const align::AlignmentBatch& mapped,
                                  align::AlignmentBatch& results) const {
  for (std::size_t e = 0; e < places_.size(); ++e) {
    if (mapped.reads[e].count == 0) {
      continue;
    }
    const End& end = places_[e];
    align::Alignment alignment = mapped.alignments[mapped.reads[e].first];
    const auto length = static_cast<std::uint32_t>(batch.length(end.read));
    const std::uint32_t left = alignment.reverse ? length - end.end : end.begin;
    const std::uint32_t right = alignment.reverse ? end.begin : length - end.end;
    // The clips of the end's own record become longer.
    const std::uint32_t* first = mapped.cigar_of(alignment);
    const std::uint32_t* last = first + alignment.cigar_length;
    const std::uint32_t own_left = clipped_bases(*first);
    const std::uint32_t own_right = clipped_bases(last[-1]);
    first += own_left > 0 ? 1 : 0;
    last -= own_right > 0 ? 1 : 0;
    alignment.cigar = results.cigar.size();
    const auto clip = [&](std::uint32_t bases) {
      if (bases > 0) {
        results.cigar.push_back(bases << 4 | static_cast<std::uint32_t>(align::CigarOp::soft_clip));
      }
    };
    clip(left + own_left);
    results.cigar.insert(results.cigar.end(), first, last);
    clip(right + own_right);
    alignment.cigar_length = static_cast<std::uint32_t>(results.cigar.size() - alignment.cigar);
    const std::string_view md = mapped.md_of(alignment);
    alignment.md = results.md.size();
    results.md += md;
    align::ReadResult& result = results.reads[end.read];
    if (result.supplementary_count++ == 0) {
      result.supplementary = results.alignments.size();
    }
    results.alignments.push_back(alignment);
  }
}

}  // namespace trawl::clip
