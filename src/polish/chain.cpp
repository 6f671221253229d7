#include "polish/chain.hpp"

#include <algorithm>
#include <utility>

#include "align/cigar.hpp"

namespace trawl::polish {

Chain chain_of(const align::AlignmentBatch& results, const align::Alignment& alignment, std::int64_t contig_begin) {
  const auto [left, right] = align::clipped_ends(results, alignment);
  Chain chain{{}, contig_begin + static_cast<std::int64_t>(alignment.start), left, right};
  for (std::uint32_t k = 0; k < alignment.cigar_length; ++k) {
    const std::uint32_t element = results.cigar_of(alignment)[k];
    if (!align::is_operation(element, align::CigarOp::soft_clip)) {
      chain.add(align::is_operation(element, align::CigarOp::insertion)  ? match::Step::insertion
                : align::is_operation(element, align::CigarOp::deletion) ? match::Step::deletion
                                                                         : match::Step::diagonal,
                element >> 4);
    }
  }
  return chain;
}

void Chain::add(match::Step step, std::uint32_t length) {
  if (runs.empty() || runs.back().step != step) {
    runs.push_back({step, 0});
  }
  runs.back().length += length;
}

std::int64_t Chain::end() const {
  std::int64_t end = start;
  for (const align::AlignedRun& run : runs) {
    end += run.step == match::Step::insertion ? 0 : run.length;
  }
  return end;
}

void Chain::turn() {
  start = -end();
  std::reverse(runs.begin(), runs.end());
  std::swap(left, right);
}

void TextAround::enter(std::size_t contig) {
  const sequence::Contig& entered = reference_.contigs()[contig];
  contig_begin_ = static_cast<std::int64_t>(entered.offset);
  contig_end_ = static_cast<std::int64_t>(entered.offset + entered.length);
}

void TextAround::load(std::int64_t begin, std::int64_t end) {
  if (begin < begin_ || end > begin_ + static_cast<std::int64_t>(sets_.size())) {
    begin_ = begin;
    sets_.resize(static_cast<std::size_t>(end - begin));
    window_.load(reference_, begin, sets_.size(), ambiguous_matches_);
    window_.put_sets(0, sets_);
  }
}

bool TextAround::allows(std::uint32_t bases, std::int64_t end) const {
  return !ambiguous_matches_ || sequence::allows_end(reference_, max_ambiguous_.with_edits(max_edits_.of(bases)), bases,
                                                     static_cast<std::uint64_t>(end - 1));
}

std::uint16_t edits_of(const View& view, const Chain& chain) {
  view.load(chain, 0);
  std::uint32_t edits = 0;
  std::uint32_t base = chain.left;
  std::int64_t position = chain.start;
  for (const align::AlignedRun& run : chain.runs) {
    for (std::uint32_t k = 0; k < run.length; ++k) {
      edits += run.step != match::Step::diagonal || !view.matches(base, position) ? 1 : 0;
      base += run.step == match::Step::deletion ? 0 : 1;
      position += run.step == match::Step::insertion ? 0 : 1;
    }
  }
  return static_cast<std::uint16_t>(std::min<std::uint32_t>(edits, UINT16_MAX));
}

void move_gaps_left(const View& view, Chain& chain) {
  view.load(chain, 0);
  std::int64_t base = chain.left;
  std::int64_t position = chain.start;
  for (std::size_t k = 0; k + 2 < chain.runs.size(); ++k) {
    align::AlignedRun& run = chain.runs[k];
    const auto [step, length] = chain.runs[k + 1];
    base += run.step == match::Step::deletion ? 0 : run.length;
    position += run.step == match::Step::insertion ? 0 : run.length;
    if (run.step != match::Step::diagonal || step == match::Step::diagonal ||
        chain.runs[k + 2].step != match::Step::diagonal) {
      continue;
    }
    const std::int64_t inserted = step == match::Step::insertion ? length : 0;
    const std::int64_t deleted = step == match::Step::deletion ? length : 0;
    const auto matches = [&](std::int64_t i, std::int64_t at) {
      return view.matches(static_cast<std::uint32_t>(i), at) ? 1 : 0;
    };
    int gained = 0;
    std::uint32_t moved = 0;
    for (std::uint32_t n = 1; n < run.length; ++n) {
      gained += matches(base - n + inserted, position - n + deleted) - matches(base - n, position - n);
      moved = gained == 0 ? n : moved;
    }
    run.length -= moved;
    chain.runs[k + 2].length += moved;
    base -= moved;
    position -= moved;
  }
}

}  // namespace trawl::polish
