#include "polish/end_trimming.hpp"

#include <algorithm>

namespace trawl::polish {

Part best_part_of(const View& view, const Chain& chain) {
  using Place = Part::Place;
  constexpr std::int32_t kPointsOfEnd = AffineBand::kPointsOfEnd;
  view.load(chain, 0);
  const std::uint32_t length = view.length();
  const Place first{chain.left, chain.start, 0, 0, chain.left == 0 ? -kPointsOfEnd : 0};
  Place here = first;
  here.points = 0;
  Place least = first;  // the last place with the fewest points so far
  Place begin = first;
  Place end = first;
  for (; here.run < chain.runs.size(); ++here.run) {
    const align::AlignedRun& run = chain.runs[here.run];
    const bool is_gap = run.step != match::Step::diagonal;
    here.points -= is_gap ? 2 * gap_cost(run.length) + AffineBand::kPointsOfGap : 0;
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
  std::int32_t points = AffineBand::kPointsOfEnd;
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
