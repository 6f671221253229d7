#include "clip/gap_settling.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>

#include "align/cigar.hpp"

namespace trawl::clip {

namespace {

// Whether one gap of up to kBeside bases makes the alignment of a read at text[kBeside] better: the bases before it, or
// those after it, then lie on another diagonal. `read` and `text` are sets of bases.
bool one_gap_is_better(std::span<const std::uint8_t> read, std::span<const std::uint8_t> text) {
  constexpr std::int64_t kBeside = GapSettling::kBeside;
  const auto length = static_cast<std::int64_t>(read.size());
  const auto differs = [&](std::int64_t i, std::int64_t diagonal) {
    return (read[static_cast<std::size_t>(i)] & text[static_cast<std::size_t>(i + kBeside + diagonal)]) == 0;
  };
  constexpr auto kPoints = static_cast<std::int64_t>(align::kEditPoints);
  std::int64_t all = 0;
  for (std::int64_t i = 0; i < length; ++i) {
    all += differs(i, 0) ? kPoints : 0;
  }
  for (std::int64_t diagonal = -kBeside; diagonal <= kBeside; ++diagonal) {
    for (const bool at_end : {false, true}) {
      const std::int64_t gap = std::abs(diagonal);
      const std::int64_t inserted = (diagonal > 0) == at_end ? 0 : gap;
      const auto base = [&](std::int64_t i) { return at_end ? length - 1 - i : i; };
      std::int64_t there = AffineBand::kGapOpening + gap + inserted;
      std::int64_t here = 0;
      for (std::int64_t i = 0; i < inserted && i < length; ++i) {
        here += differs(base(i), 0) ? kPoints : 0;
      }
      for (std::int64_t i = 0; diagonal != 0 && i + inserted < length && there < all; ++i) {
        there += differs(base(i), diagonal) ? kPoints : 0;
        here += differs(base(i + inserted), 0) ? kPoints : 0;
        if (there < here) {
          return true;
        }
      }
    }
  }
  return false;
}

// The first and the last diagonal of a chain: text position minus base.
std::pair<std::int64_t, std::int64_t> diagonals_of(const Chain& chain) {
  std::int64_t diagonal = chain.start - chain.left;
  std::int64_t first = diagonal;
  std::int64_t last = diagonal;
  for (const align::AlignedRun& run : chain.runs) {
    const auto length = static_cast<std::int64_t>(run.length);
    diagonal += run.step == match::Step::deletion ? length : run.step == match::Step::insertion ? -length : 0;
    first = std::min(first, diagonal);
    last = std::max(last, diagonal);
  }
  return {first, last};
}

// Of the part that is kept of a chain; each end that is left out counts kEndLeftOut.
std::int64_t penalty_with_ends(const View& view, const Chain& chain, const Parts& parts) {
  const Part& kept = kept_part(parts, chain, nullptr);
  return kept.penalty + (kept.begin.base > 0 ? kEndLeftOut : 0) + (kept.end.base < view.length() ? kEndLeftOut : 0);
}

}  // namespace

bool may_be_settled(const align::AlignmentBatch& results, const align::Alignment& alignment) {
  std::uint32_t gaps = 0;
  std::uint32_t bases = 0;
  for (std::uint32_t k = 0; k < alignment.cigar_length; ++k) {
    const std::uint32_t element = results.cigar_of(alignment)[k];
    if (align::is_operation(element, align::CigarOp::insertion) ||
        align::is_operation(element, align::CigarOp::deletion)) {
      ++gaps;
      bases += element >> 4;
    }
  }
  return gaps > 1 || alignment.edits >= bases + (gaps == 0 ? 2 : 1);
}

std::optional<GapSettling::Settled> GapSettling::settle(const View& view, Chain& chain) {
  const auto [first, last] = diagonals_of(chain);
  const std::int64_t begin = chain.left + first - kBeside;
  read_sets_.resize(view.length() - chain.left - chain.right);
  for (std::uint32_t i = 0; i < read_sets_.size(); ++i) {
    read_sets_[i] = static_cast<std::uint8_t>(view.read_set(chain.left + i));
  }
  text_sets_.resize(read_sets_.size() + static_cast<std::size_t>(last - first + 2 * kBeside));
  view.load(begin, begin + static_cast<std::int64_t>(text_sets_.size()));
  for (std::size_t i = 0; i < text_sets_.size(); ++i) {
    text_sets_[i] = static_cast<std::uint8_t>(view.text_set(begin + static_cast<std::int64_t>(i)));
  }
  if (chain.runs.size() == 1 && !one_gap_is_better(read_sets_, text_sets_)) {
    return std::nullopt;
  }

  const AffineBand::Best& best = band_.align(read_sets_, text_sets_);
  const Chain settled{best.runs, begin + static_cast<std::int64_t>(best.start), chain.left, chain.right};
  // The band's own score knows no kLongGap.
  if (score_of(view, settled, cost_as_event) <= score_of(view, chain, cost_as_event)) {
    return std::nullopt;
  }
  const std::uint32_t edits = edits_of(view, chain);
  const std::uint32_t edits_then = edits_of(view, settled);
  const auto bases = static_cast<std::uint32_t>(read_sets_.size());
  if (settled.start < view.text_begin() || settled.end() > view.text_end() ||
      edits_then > std::max(edits, view.text.max_edits(bases)) || !view.allows(bases, settled.start, settled.end())) {
    return std::nullopt;
  }
  // Where ends are left out, the first alignment may still be the better one.
  const Parts parts = parts_of(view, settled);
  if (penalty_with_ends(view, settled, parts) >= penalty_with_ends(view, chain, parts_of(view, chain))) {
    return std::nullopt;
  }
  chain = settled;
  return Settled{static_cast<std::int64_t>(align::kEditPoints) * (std::int64_t{edits} - edits_then), parts};
}

}  // namespace trawl::clip
