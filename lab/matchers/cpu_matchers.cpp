#include "lab/matchers/cpu_matchers.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <stdexcept>
#include <string>

namespace trawl::matchers::internal {

namespace {

constexpr std::uint64_t kWord = 64;  // bits

// Stretches for all threads: enough of them that no thread waits long for the last one, and so long that the m - 1
// characters that two neighbours both read do not count.
std::uint64_t chosen_stretch(std::uint64_t size, std::uint64_t m) {
  constexpr std::uint64_t kShortest = std::uint64_t{1} << 15;
  constexpr std::uint64_t kLongest = std::uint64_t{1} << 20;
  constexpr std::uint64_t kPerThread = 32;
  constexpr std::uint64_t kOverlap = 32;  // at most 1/32 is read twice
  const auto threads = static_cast<std::uint64_t>(tbb::this_task_arena::max_concurrency());
  const std::uint64_t even = std::clamp(size / (kPerThread * threads), kShortest, kLongest);
  return std::max(even, kOverlap * m) / kWord * kWord;
}

}  // namespace

std::uint64_t stretch_length(std::uint64_t size, std::uint64_t m, bool all_threads, std::uint64_t wanted) {
  return wanted != 0 ? wanted : all_threads ? chosen_stretch(size, m) : std::max<std::uint64_t>(1, size);
}

void for_each_stretch(std::uint64_t stretches, bool all_threads, const std::function<void(std::uint64_t)>& work) {
  if (all_threads) {
    tbb::parallel_for(std::uint64_t{0}, stretches, work);
  } else {
    for (std::uint64_t s = 0; s < stretches; ++s) {
      work(s);
    }
  }
}

void EndSink::check() {
  const std::uint64_t size = end_ - begin_;
  bool all_inside = true;
  std::uint64_t before = last_;
  for (unsigned i = 0; i < used_; ++i) {
    all_inside &= noted_[i] - begin_ < size;
    ascending_ &= noted_[i] >= before;
    before = noted_[i];
  }
  last_ = before;
  if (!all_inside) {
    throw_outside();
  }
}

void EndSink::throw_outside() const {
  throw std::logic_error(std::string(facts_.name) + " emits an end outside its stretch from " + std::to_string(begin_) +
                         " to " + std::to_string(end_));
}

void EndSink::set_bits(std::uint64_t word, std::uint64_t bits) {
  if (shared_) {
    std::atomic_ref<std::uint64_t>(ends_.bits[word]).fetch_or(bits, std::memory_order_relaxed);
  } else {
    ends_.bits[word] |= bits;
  }
}

// If there is no room for the noted ends: as much as the part searched so far leads to expect for all of the stretch,
// because moving a long list takes longer than the search. Never more than one end for each position: a matcher that
// searches from the right to the left has ends before it seems to have searched anything.
void EndSink::reserve() {
  const std::size_t size = list_.size() + used_;
  if (used_ == 0 || size <= list_.capacity()) {
    return;
  }
  constexpr std::size_t kMostGrowth = 32;
  const double part = static_cast<double>(noted_[used_ - 1] + 1 - begin_) / static_cast<double>(end_ - begin_);
  const double expected = 1.05 * static_cast<double>(size) / part;
  const auto wanted = static_cast<std::uint64_t>(
      std::clamp(expected, 2.0 * static_cast<double>(size), static_cast<double>(kMostGrowth * size)));
  list_.reserve(std::min(wanted, end_ - begin_));
}

void EndSink::store() {
  check();
  count_ += used_;
  switch (how_.output) {
    case Output::bytes:
      for (unsigned i = 0; i < used_; ++i) {
        ends_.ends[noted_[i]] = 1;
      }
      break;
    case Output::bits:
      for (unsigned i = 0; i < used_; ++i) {
        set_bits(noted_[i] / kWord, std::uint64_t{1} << (noted_[i] % kWord));
      }
      break;
    case Output::list:
      reserve();
      list_.insert(list_.end(), noted_, noted_ + used_);
      break;
    case Output::count:
      break;
  }
  used_ = 0;
}

void EndSink::emit_bits(std::uint64_t j, std::uint64_t bits) {
  if (bits == 0) {
    return;
  }
  if (how_.output == Output::count || how_.output == Output::bits) {
    const auto after = static_cast<unsigned>(std::countl_zero(bits));
    if (j + static_cast<unsigned>(std::countr_zero(bits)) < begin_ || j + kWord - after > end_) {
      throw_outside();
    }
    count_ += static_cast<unsigned>(std::popcount(bits));
    if (how_.output == Output::bits) {
      const auto place = static_cast<unsigned>(j % kWord);
      set_bits(j / kWord, bits << place);
      if (place != 0 && bits >> (kWord - place) != 0) {
        set_bits(j / kWord + 1, bits >> (kWord - place));
      }
    }
    return;
  }
  if (used_ + kWord > kRoom) {
    store();
  }
  for (; bits != 0; bits &= bits - 1) {
    noted_[used_++] = j + static_cast<unsigned>(std::countr_zero(bits));
  }
  if (used_ == kRoom) {
    store();
  }
}

void EndSink::finish() {
  store();
  if (!ascending_) {
    std::sort(list_.begin(), list_.end());
  }
}

CpuEnds search_in_stretches(const MatcherFacts& facts, std::uint64_t size, std::uint64_t m, const CpuWork& how,
                            const SearchStretch& search) {
  CpuEnds found;
  Stopwatch watch;
  found.ends.resize(how.output == Output::bytes ? size : 0);
  found.bits.resize(how.output == Output::bits ? (size + kWord - 1) / kWord : 0);

  const std::uint64_t stretch = stretch_length(size, m, how.all_threads, how.stretch);
  const std::uint64_t stretches = (size + stretch - 1) / stretch;
  const bool shared = how.all_threads && stretch % kWord != 0;
  std::vector<std::uint64_t> first(stretches + 1);  // of each stretch: how many ends come before it
  std::vector<std::vector<std::uint64_t>> lists(how.output == Output::list ? stretches : 0);
  const auto run = [&](std::uint64_t s) {
    const std::uint64_t begin = s * stretch;
    const std::uint64_t end = std::min(size, begin + stretch);
    EndSink sink(facts, how, found, begin, end, shared);
    search(begin, end, sink);
    sink.finish();
    first[s + 1] = sink.count();
    if (how.output == Output::list) {
      lists[s] = std::move(sink.list());
    }
  };
  for_each_stretch(stretches, how.all_threads, run);
  std::partial_sum(first.begin(), first.end(), first.begin());
  found.count = first.back();
  if (lists.size() == 1) {
    found.list = std::move(lists[0]);
  } else if (!lists.empty()) {
    found.list.resize(found.count);
    for_each_stretch(stretches, how.all_threads, [&](std::uint64_t s) {
      std::copy(lists[s].begin(), lists[s].end(), found.list.begin() + static_cast<std::ptrdiff_t>(first[s]));
    });
  }
  watch.lap(found.search_seconds);
  return found;
}

}  // namespace trawl::matchers::internal
