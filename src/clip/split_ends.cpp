#include "clip/split_ends.hpp"

#include "clip/primary_record.hpp"

namespace trawl::clip {

void SplitEnds::collect(const sequence::ReadBatch& batch, const align::AlignmentBatch& results) {
  ends_.clear();
  places_.clear();
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const align::Alignment* const primary = primary_of(results, r);
    if (primary == nullptr) {
      continue;
    }
    const auto [left, right] = clipped_ends(results, *primary);
    const auto length = static_cast<std::uint32_t>(batch.length(r));
    const auto add = [&, r](std::uint32_t begin, std::uint32_t end) {
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
    const auto [own_left, own_right] = clipped_ends(mapped, alignment);
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
