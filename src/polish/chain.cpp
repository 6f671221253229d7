#include "polish/chain.hpp"

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

ChainPart best_part_of(const View& view, const Chain& chain) {
  view.load(chain, 0);
  const std::uint32_t length = view.length();
  const ChainPlace first{chain.left, chain.start, 0, 0, chain.left == 0 ? -kPointsOfEnd : 0};
  ChainPlace here = first;
  here.points = 0;
  ChainPlace least = first;  // the last place with the fewest points so far
  ChainPlace begin = first;
  ChainPlace end = first;
  for (; here.run < chain.runs.size(); ++here.run) {
    const align::AlignedRun& run = chain.runs[here.run];
    const bool is_gap = run.step != match::Step::diagonal;
    here.points -= is_gap ? 2 * gap_cost(run.length) + kPointsOfGap : 0;
    for (here.steps = 0; here.steps < run.length;) {
      here.points += is_gap ? 0 : 2 * view.points(here.base, here.position);
      here.base += run.step == match::Step::deletion ? 0 : 1;
      here.position += run.step == match::Step::insertion ? 0 : 1;
      ++here.steps;
      const bool is_end = here.base == length && !is_gap && here.steps == run.length;
      here.points += is_end ? kPointsOfEnd : 0;
      if (here.points - least.points > end.points - begin.points) {
        begin = least;
        end = here;
      }
      if (here.points <= least.points) {
        least = here;
      }
    }
  }
  return {begin, end};
}

bool trim(const View& view, std::uint32_t most_left_out, Chain& chain) {
  const auto [begin, end] = best_part_of(view, chain);
  if (view.length() - (end.base - begin.base) > most_left_out || begin.base == end.base) {
    return false;  // or every base differs
  }
  const std::uint32_t right = view.length() - end.base;
  if (begin.base == chain.left && begin.position == chain.start && right == chain.right &&
      end.position == chain.end()) {
    return false;
  }
  chain.left = begin.base;
  chain.right = right;
  chain.start = begin.position;
  chain.runs.resize(end.run + 1);
  chain.runs.back().length = end.steps;
  chain.runs[begin.run].length -= begin.steps;
  chain.runs.erase(chain.runs.begin(), chain.runs.begin() + static_cast<std::ptrdiff_t>(begin.run));
  if (chain.runs.front().length == 0) {
    chain.runs.erase(chain.runs.begin());
  }
  return true;
}

namespace {

// `edits`: of the chain. Returns what the score gains.
std::int32_t extend_right(const View& view, Chain& chain, std::uint32_t& edits) {
  const std::uint32_t bases_before = view.length() - chain.left - chain.right;
  const std::int64_t end = chain.end();
  const std::uint32_t base = view.length() - chain.right;
  std::int32_t sum = 0;
  std::int32_t best = 0;
  std::uint32_t bases = 0;
  std::uint32_t edits_here = edits;
  const std::int64_t most = std::min<std::int64_t>(chain.right, view.text_end() - end);
  for (std::uint32_t k = 0; k < most && chain.runs.back().step == match::Step::diagonal; ++k) {
    const bool matches = view.surely_matches(base + k, end + k);
    sum += matches ? kMatch : kMismatch;
    edits_here += matches ? 0 : 1;
    if (sum >= best && sum > 0 && edits_here <= view.text.max_edits(bases_before + k + 1) &&
        view.allows(bases_before + k + 1, chain.start, end + k + 1)) {
      best = sum;
      bases = k + 1;
      edits = edits_here;
    }
  }
  chain.runs.back().length += bases;
  chain.right -= bases;
  return best;
}

bool reach_right_end(const View& view, Chain& chain) {
  const std::uint32_t base = view.length() - chain.right;
  const std::int64_t end = chain.end();
  if (chain.right == 0 || chain.right > view.text_end() - end || chain.runs.back().step != match::Step::diagonal) {
    return false;
  }
  view.load(chain, chain.right);
  std::int32_t points = kPointsOfEnd;
  for (std::uint32_t k = 0; k < chain.right; ++k) {
    points += 2 * view.points(base + k, end + k);
  }
  if (points <= 0 || !view.allows(view.length() - chain.left, chain.start, end + chain.right)) {
    return false;
  }
  chain.runs.back().length += chain.right;
  chain.right = 0;
  return true;
}

}  // namespace

bool reach_ends(const View& view, Chain& chain) {
  const bool right = reach_right_end(view, chain);
  chain.turn();
  const bool left = reach_right_end(view.turned(), chain);
  chain.turn();
  return right || left;
}

Gain extend(const View& view, Chain& chain) {
  view.load(chain, std::max(chain.left, chain.right));
  std::uint32_t edits = edits_of(view, chain);
  std::int64_t gained = extend_right(view, chain, edits);
  chain.turn();
  gained += extend_right(view.turned(), chain, edits);
  chain.turn();
  return gained > 0 ? Gain(gained) : std::nullopt;
}

}  // namespace trawl::polish
