#include "scan/find/leaning_ends.hpp"

#include <algorithm>

namespace trawl::scan {

AmbiguousCounts make_ambiguous_counts(const sequence::Reference& reference) {
  AmbiguousCounts counts;
  const auto& runs = reference.ambiguous_runs();
  if (runs.empty()) {
    return counts;
  }
  // One word more, so that the end of the reference has a count, too.
  counts.is_ambiguous.resize(reference.size() / 64 + 1);
  counts.before.resize(counts.is_ambiguous.size());
  for (const auto& run : runs) {
    const std::uint64_t end = run.begin + run.length;
    for (std::uint64_t at = run.begin; at < end;) {
      const std::uint64_t stop = std::min(end, (at / 64 + 1) * 64);
      const std::uint64_t ones = ~std::uint64_t{0} >> (64 - (stop - at));
      counts.is_ambiguous[at / 64] |= ones << (at % 64);
      at = stop;
    }
  }
  std::uint32_t sum = 0;
  for (std::size_t w = 0; w < counts.is_ambiguous.size(); ++w) {
    counts.before[w] = sum;
    sum += static_cast<std::uint32_t>(__builtin_popcountll(counts.is_ambiguous[w]));
  }
  return counts;
}

LeaningEnds::LeaningEnds(const sequence::Reference& reference, const sequence::AmbiguousLimit& limit,
                         std::uint64_t longest)
    : reference_(reference), limit_(limit), longest_(longest) {}

void LeaningEnds::load(std::uint64_t begin, std::uint64_t count) {
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

void LeaningEnds::mark(std::uint32_t length, std::uint64_t* words) const {
  for (std::uint64_t w = 0; w < count_ / 64; ++w) {
    std::uint64_t marks = 0;
    for (std::uint64_t i = 0; i < 64; ++i) {
      const std::uint64_t stop = longest_ + w * 64 + i + 1;
      const std::uint64_t marked = limit_.allows(before_[stop] - before_[stop - length], length) ? 0 : 1;
      marks |= marked << i;
    }
    words[w] = marks;
  }
}

}  // namespace trawl::scan
