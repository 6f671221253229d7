#include "polish/end_joining.hpp"

#include <cstdlib>
#include <tuple>

namespace trawl::polish {

namespace {

// A piece may run on beyond the gap by chance, but hardly by more bases.
constexpr std::uint32_t kOverrun = 40;
// The part before the gap keeps at least this number of bases.
constexpr std::uint32_t kShortestPart = 15;
// The bases after a joined gap have this score or more: a gap of kShortestEvent costs 10, of which the end of the read
// gives back 5.
constexpr std::uint32_t kLeastAfter = 6;
// So with m mismatches they have 6 + 4 m matches or more, in m + 1 runs, and one run has 5 or more.
constexpr unsigned kShortestRun = 5;

// What a gap that is joined costs as an event.
std::int32_t joining_cost(std::uint32_t length) { return gap_cost(std::max(length, kShortestEvent)); }

}  // namespace

Gain EndJoining::join(const View& view, Chain& chain) {
  Gain gain;
  std::size_t gaps = 0;  // that were joined; they stay
  for (const View& side : {view, view.turned()}) {
    std::size_t runs = 2 * gaps + 1;
    while (const Gain more = join_right(side, chain, runs)) {
      gain = gain.value_or(0) + *more;
      ++gaps;
      if (!by_events_) {
        break;
      }
      runs = chain.runs.size();
    }
    chain.turn();
  }
  if (gaps > 0) {
    move_gaps_left(view, chain);
  }
  return gain;
}

Gain EndJoining::join_right(const View& view, Chain& chain, std::size_t runs) {
  if (chain.right < kLeastAfter) {
    return std::nullopt;
  }
  view.load(chain, static_cast<std::int64_t>(longest_ + view.length()));
  const ChainCut whole = find_cuts(view, chain);
  const std::uint32_t first_base = std::max(chain.left + kShortestPart, whole.base - std::min(whole.base, kOverrun));
  std::erase_if(cuts_, [&](const ChainCut& cut) { return cut.base < first_base || cut.run + 1 < runs; });
  // A piece may end where it has all the edits that are allowed. A gap is not made only to get beyond that.
  std::int32_t unbroken = whole.points;
  for (const ChainCut& cut : cuts_) {
    unbroken = std::max(unbroken, cut.points + (cut.base == view.length() ? end_points() : 0));
  }
  const std::optional<Join> join = best_join(view, first_base, unbroken);
  if (!join) {
    return std::nullopt;
  }
  const std::uint32_t end = end_after(view, *join);
  if (!view.allows(end - chain.left, chain.start, end + join->diagonal)) {
    return std::nullopt;
  }
  chain.runs.resize(join->cut.run + 1);
  chain.runs.back().length = join->cut.steps;
  chain.runs.push_back({join->gap() > 0 ? match::Step::deletion : match::Step::insertion,
                        static_cast<std::uint32_t>(std::abs(join->gap()))});
  chain.runs.push_back({match::Step::diagonal, end - join->next()});
  chain.right = view.length() - end;
  return join->points - whole.points;
}

EndJoining::ChainCut EndJoining::find_cuts(const View& view, const Chain& chain) {
  cuts_.clear();
  std::uint32_t base = chain.left;
  std::int64_t position = chain.start;
  std::int32_t points = 0;
  // A long gap can take the place of a short one, or lie beyond a mismatch at the end of the piece. So a run may go on
  // along its diagonal.
  const auto add_beyond = [&](std::size_t run) {
    std::int32_t beyond = 0;
    const std::int64_t most = std::min<std::int64_t>({kOverrun, view.length() - base, view.text_end() - position});
    for (std::uint32_t k = 0; k < most; ++k) {
      beyond += view.surely_matches(base + k, position + k) ? kMatch : points_of_other(view, base + k);
      cuts_.push_back({base + k + 1, position - base, points + beyond, run, chain.runs[run].length + k + 1});
    }
  };
  for (std::size_t run = 0; run < chain.runs.size(); ++run) {
    const auto [step, length] = chain.runs[run];
    if (step != match::Step::diagonal) {
      const std::int32_t of_base = step == match::Step::insertion ? kMismatch : kDeletedBase;
      points += by_events_ ? -gap_cost(length) : of_base * static_cast<std::int32_t>(length);
      base += step == match::Step::deletion ? 0 : length;
      position += step == match::Step::insertion ? 0 : length;
      continue;
    }
    for (std::uint32_t k = 1; k <= length; ++k) {
      points += view.matches(base, position) ? kMatch : points_of_other(view, base);
      cuts_.push_back({base + 1, position - base, points, run, k});
      ++base;
      ++position;
    }
    add_beyond(run);
  }
  return {base, position - base, points, chain.runs.size() - 1, chain.runs.back().length};
}

std::optional<EndJoining::Join> EndJoining::best_join(const View& view, std::uint32_t first_base,
                                                      std::int32_t unbroken) {
  if (cuts_.empty()) {
    return std::nullopt;
  }
  const std::uint32_t length = view.length();
  const auto longest = static_cast<std::int64_t>(longest_);
  const auto [least, most] = std::minmax_element(
      cuts_.begin(), cuts_.end(), [](const ChainCut& a, const ChainCut& b) { return a.diagonal < b.diagonal; });
  const std::int64_t first_diagonal = least->diagonal - longest;
  const std::int64_t last_diagonal = most->diagonal + longest;
  // More points are better; then short gaps; then what lies left on the reference; then deletions.
  using Rank = std::tuple<std::int32_t, std::int64_t, std::int64_t, bool>;
  const std::int32_t most_before =
      std::max_element(cuts_.begin(), cuts_.end(), [](const ChainCut& a, const ChainCut& b) {
        return a.points < b.points;
      })->points;
  const std::int32_t least_cost = by_events_ ? joining_cost(1) : kLongGap;
  Rank best_rank{-unbroken, 0, 0, false};
  std::optional<Join> best;
  end_bits_.load(view, first_base, first_diagonal, last_diagonal);
  for (std::int64_t diagonal = first_diagonal; diagonal <= last_diagonal; ++diagonal) {
    if (!end_bits_.find_matches(diagonal)) {
      continue;
    }
    suffix_.assign(length + 1, length + diagonal <= view.text_end() ? end_points() : 0);
    for (std::uint32_t i = length; i-- > first_base;) {
      suffix_[i] = std::max(0, suffix_[i + 1] + (end_bits_.matches(i) ? kMatch : points_of_other(view, i)));
    }
    // No join on this diagonal can have more points.
    const std::int32_t most_after =
        *std::max_element(suffix_.begin() + static_cast<std::ptrdiff_t>(first_base), suffix_.end());
    if (most_before + most_after - least_cost < -std::get<0>(best_rank)) {
      continue;
    }
    for (const ChainCut& cut : cuts_) {
      const std::int64_t gap = diagonal - cut.diagonal;
      const std::uint32_t next = base_after(cut, gap);
      if (gap == 0 || std::abs(gap) > longest || next >= length) {
        continue;
      }
      const std::int32_t cost = by_events_ ? joining_cost(static_cast<std::uint32_t>(std::abs(gap))) : kLongGap;
      const std::int32_t all = cut.points + suffix_[next] - cost;
      const Rank rank{-all, std::abs(gap), view.backwards ? -std::int64_t{cut.base} : std::int64_t{cut.base}, gap < 0};
      if (all > unbroken && rank < best_rank) {
        best_rank = rank;
        best = Join{cut, diagonal, all};
      }
    }
  }
  return best;
}

std::uint32_t EndJoining::end_after(const View& view, const Join& join) const {
  const std::uint32_t length = view.length();
  std::uint32_t end = join.next();
  std::int32_t points = 0;
  std::int32_t most = 0;
  for (std::uint32_t i = join.next(); i < length && i + join.diagonal < view.text_end(); ++i) {
    points += view.surely_matches(i, i + join.diagonal) ? kMatch : points_of_other(view, i);
    const std::int32_t with_end = points + (i + 1 == length ? end_points() : 0);
    if (with_end >= most) {
      most = with_end;
      end = i + 1;
    }
  }
  return end;
}

void EndJoining::EndBits::load(const View& view, std::uint32_t first_base, std::int64_t first_diagonal,
                               std::int64_t last_diagonal) {
  first_base_ = first_base;
  first_diagonal_ = first_diagonal;
  words_ = (view.length() - first_base + 63) / 64;
  const std::size_t positions = view.length() - first_base + static_cast<std::size_t>(last_diagonal - first_diagonal);
  const std::size_t text_words = (positions + 63) / 64 + 1;
  for (unsigned code = 0; code < 4; ++code) {
    read_[code].assign(words_, 0);
    text_[code].assign(text_words, 0);
  }
  const auto put = [](std::array<std::vector<std::uint64_t>, 4>& planes, std::size_t i, unsigned set) {
    for (unsigned code = 0; code < 4; ++code) {
      planes[code][i / 64] |= std::uint64_t{(set >> code) & 1} << (i % 64);
    }
  };
  for (std::uint32_t i = first_base; i < view.length(); ++i) {
    put(read_, i - first_base, view.read_set(i));
  }
  const std::int64_t begin = first_base + first_diagonal;
  const std::int64_t end = std::min(begin + static_cast<std::int64_t>(positions), view.text_end());
  for (std::int64_t position = begin; position < end; ++position) {
    put(text_, static_cast<std::size_t>(position - begin), view.sure_set(position));
  }
  matches_.resize(words_);
}

bool EndJoining::EndBits::find_matches(std::int64_t diagonal) {
  const auto shift = static_cast<std::size_t>(diagonal - first_diagonal_);
  std::uint64_t before = 0;
  bool has_run = false;
  for (std::size_t w = 0; w < words_; ++w) {
    const std::size_t at = w + shift / 64;
    std::uint64_t found = 0;
    for (unsigned code = 0; code < 4; ++code) {
      found |= read_[code][w] & sequence::funnel_shift_right(text_[code][at], text_[code][at + 1], shift % 64);
    }
    matches_[w] = found;
    // Bit i of `runs`: matches i - 4 .. i, also of the word before.
    std::uint64_t runs = found;
    for (unsigned k = 1; k < kShortestRun; ++k) {
      runs &= (found << k) | (before >> (64 - k));
    }
    has_run = has_run || runs != 0;
    before = found;
  }
  return has_run;
}

}  // namespace trawl::polish
