#include "scan/find/dead_text.hpp"

#include <algorithm>

namespace trawl::scan {

std::uint64_t DeadText::from(std::uint64_t begin, std::uint64_t block, bool& all_match) {
  const auto [first, last, letter] = run_at(begin);
  all_match = letter == 'N' && ambiguous_matches_;
  const std::uint64_t live = all_match ? reach_ : 0;
  if (first + reach_ > begin || last <= begin + live) {
    return 0;
  }
  return (last - live - begin) / block * block;
}

// The run of ambiguous positions that holds `position`; an empty run if the position is a base.
DeadText::Run DeadText::run_at(std::uint64_t position) {
  if (position < run_.end && position >= run_.begin) {
    return run_;
  }
  const auto& ambiguous = reference_.ambiguous();
  const std::uint64_t words = ambiguous.size();
  std::uint64_t word = position / 64;
  if (word >= words || ambiguous[word] != ~std::uint64_t{0}) {
    return {position, position, '\0'};
  }
  std::uint64_t first = word;
  // Look back only far enough to know that `reach` positions are dead; the whole run is not needed.
  while (first > 0 && (word - first) * 64 <= reach_ && ambiguous[first - 1] == ~std::uint64_t{0}) {
    --first;
  }
  while (word < words && ambiguous[word] == ~std::uint64_t{0}) {
    ++word;
  }
  Run run{first * 64, word * 64, '\0'};
  if (ambiguous_matches_) {
    run = narrow(run, position);
  }
  run_ = run;
  return run;
}

// The part of a run around `position` that has the same letter everywhere; gap positions have no letter.
DeadText::Run DeadText::narrow(const Run& run, std::uint64_t position) const {
  const auto& runs = reference_.ambiguous_runs();
  const auto after = std::upper_bound(runs.begin(), runs.end(), position,
                                      [](std::uint64_t p, const sequence::AmbiguousRun& r) { return p < r.begin; });
  std::uint64_t gap_begin = run.begin;
  if (after != runs.begin()) {
    const auto& at = *std::prev(after);
    if (position < at.begin + at.length) {
      const bool is_n = at.letter == 'N';
      return {at.begin, is_n ? at.begin + at.length : at.begin, at.letter};
    }
    gap_begin = std::max(gap_begin, at.begin + at.length);
  }
  const std::uint64_t gap_end = after != runs.end() ? std::min(run.end, after->begin) : run.end;
  return {gap_begin, gap_end, '\0'};
}

}  // namespace trawl::scan
