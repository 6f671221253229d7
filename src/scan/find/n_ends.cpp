#include "scan/find/n_ends.hpp"

#include <algorithm>

namespace trawl::scan {

NCounts count_n(const sequence::Reference& reference) {
  NCounts counts;
  const auto& runs = reference.ambiguous_runs();
  if (std::none_of(runs.begin(), runs.end(), [](const auto& run) { return run.letter == 'N'; })) {
    return counts;
  }
  // One word more, so that the end of the reference has a count, too.
  counts.is_n.resize(reference.size() / 64 + 1);
  counts.before.resize(counts.is_n.size());
  for (const auto& run : runs) {
    if (run.letter != 'N') {
      continue;
    }
    const std::uint64_t end = run.begin + run.length;
    for (std::uint64_t at = run.begin; at < end;) {
      const std::uint64_t stop = std::min(end, (at / 64 + 1) * 64);
      const std::uint64_t ones = ~std::uint64_t{0} >> (64 - (stop - at));
      counts.is_n[at / 64] |= ones << (at % 64);
      at = stop;
    }
  }
  std::uint32_t sum = 0;
  for (std::size_t w = 0; w < counts.is_n.size(); ++w) {
    counts.before[w] = sum;
    sum += static_cast<std::uint32_t>(__builtin_popcountll(counts.is_n[w]));
  }
  return counts;
}

NEnds::NEnds(const sequence::Reference& reference, std::uint32_t max_edits, std::uint64_t longest)
    : reference_(reference), max_edits_(max_edits), longest_(longest) {}

void NEnds::load(std::uint64_t begin, std::uint64_t count) {
  count_ = count;
  any_ = false;
  // From here on coordinates are relative to the window, which may begin before the reference.
  const auto local = [&](std::uint64_t position) {
    return static_cast<std::uint64_t>(
        std::clamp<std::int64_t>(static_cast<std::int64_t>(position + longest_) - static_cast<std::int64_t>(begin), 0,
                                 static_cast<std::int64_t>(longest_ + count)));
  };
  const auto& runs = reference_.ambiguous_runs();
  auto run = std::partition_point(runs.begin(), runs.end(), [&](const sequence::AmbiguousRun& r) {
    return r.begin + r.length + longest_ <= begin;
  });
  std::uint64_t done = 0;  // number of entries of before_ that are done, not counting the first
  std::uint32_t sum = 0;
  for (; run != runs.end() && run->begin < begin + count; ++run) {
    if (run->letter != 'N') {
      continue;
    }
    if (!any_) {
      before_.assign(longest_ + count + 1, 0);
      any_ = true;
    }
    const std::uint64_t first = local(run->begin);
    const std::uint64_t last = local(run->begin + run->length);
    for (; done < first; ++done) {
      before_[done + 1] = sum;
    }
    for (; done < last; ++done) {
      before_[done + 1] = ++sum;
    }
  }
  for (; any_ && done < longest_ + count; ++done) {
    before_[done + 1] = sum;
  }
}

void NEnds::mark(std::uint32_t length, std::uint64_t* words) const {
  for (std::uint64_t w = 0; w < count_ / 64; ++w) {
    std::uint64_t marks = 0;
    for (std::uint64_t i = 0; i < 64; ++i) {
      const std::uint64_t stop = longest_ + w * 64 + i + 1;
      const std::uint64_t marked = n_makes_match(before_[stop] - before_[stop - length], length, max_edits_) ? 1 : 0;
      marks |= marked << i;
    }
    words[w] = marks;
  }
}

}  // namespace trawl::scan
