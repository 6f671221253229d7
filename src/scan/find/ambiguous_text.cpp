#include "scan/find/ambiguous_text.hpp"

#include <algorithm>

namespace trawl::scan {

bool AmbiguousCounts::load(const sequence::Reference& reference, std::uint64_t first_word, std::uint64_t last) {
  first = first_word;
  is_ambiguous.clear();
  const std::uint64_t begin = 64 * first, end = 64 * last;
  const auto& runs = reference.ambiguous_runs();
  auto run = std::partition_point(runs.begin(), runs.end(),
                                  [&](const sequence::AmbiguousRun& r) { return r.begin + r.length <= begin; });
  for (; run != runs.end() && run->begin < end; ++run) {
    is_ambiguous.resize(last - first);
    const std::uint64_t run_end = std::min(end, run->begin + run->length);
    for (std::uint64_t at = std::max(begin, run->begin); at < run_end;) {
      const std::uint64_t stop = std::min(run_end, (at / 64 + 1) * 64);
      is_ambiguous[at / 64 - first] |= ~std::uint64_t{0} >> (64 - (stop - at)) << (at % 64);
      at = stop;
    }
  }
  before.resize(is_ambiguous.size());
  std::uint32_t sum = 0;
  for (std::size_t w = 0; w < before.size(); ++w) {
    before[w] = sum;
    sum += popcount(is_ambiguous[w]);
  }
  return any();
}

std::uint64_t UniformText::from(std::uint64_t begin, std::uint64_t block, bool& all_match) {
  const auto [first, last, letter] = run_at(begin);
  all_match = letter == 'N' && ambiguous_matches_;
  const std::uint64_t live = all_match ? reach_ : 0;
  if (first + reach_ > begin || last <= begin + live) {
    return 0;
  }
  return (last - live - begin) / block * block;
}

// The run of ambiguous positions that holds `position`; an empty run if the position is a base.
UniformText::UniformRun UniformText::run_at(std::uint64_t position) {
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
  // Look back only far enough to know that `reach` positions need no scan; the whole run is not needed.
  while (first > 0 && (word - first) * 64 <= reach_ && ambiguous[first - 1] == ~std::uint64_t{0}) {
    --first;
  }
  while (word < words && ambiguous[word] == ~std::uint64_t{0}) {
    ++word;
  }
  UniformRun run{first * 64, word * 64, '\0'};
  if (ambiguous_matches_) {
    run = narrow(run, position);
  }
  run_ = run;
  return run;
}

// The part of a run around `position` that has the same letter everywhere; gap positions have no letter.
UniformText::UniformRun UniformText::narrow(const UniformRun& run, std::uint64_t position) const {
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
