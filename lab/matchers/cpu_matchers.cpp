#include "lab/matchers/cpu_matchers.hpp"

#include <sys/mman.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>

#include "base/error.hpp"

namespace trawl::matchers {

void check_pattern(std::string_view pattern) {
  if (pattern.empty() || pattern.size() > kLongestPattern) {
    throw UsageError("the pattern has " + std::to_string(pattern.size()) + " characters; a matcher takes 1 to " +
                     std::to_string(kLongestPattern));
  }
}

namespace internal {

namespace {

constexpr std::uint64_t kWord = 64;                        // bits
constexpr std::size_t kLargeTable = std::size_t{1} << 17;  // asking the system takes some microseconds

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

void* new_table(std::size_t bytes) {
  void* table = nullptr;
  if (bytes < kLargeTable) {
    table = std::calloc(1, bytes);
  } else if (table = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
             table == MAP_FAILED) {
    table = nullptr;
  }
  return table != nullptr ? table : throw std::bad_alloc();
}

void free_table(void* table, std::size_t bytes) {
  if (bytes < kLargeTable) {
    std::free(table);
  } else {
    munmap(table, bytes);
  }
}

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
    throw std::logic_error(std::string(facts_.name) + " emits an end outside its stretch from " +
                           std::to_string(begin_) + " to " + std::to_string(end_));
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
  reserve();
  list_.insert(list_.end(), noted_, noted_ + used_);
  used_ = 0;
}

void EndSink::emit_bits(std::uint64_t j, std::uint64_t bits) {
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
  const std::uint64_t stretch = stretch_length(size, m, how.all_threads, how.stretch);
  const std::uint64_t stretches = (size + stretch - 1) / stretch;
  std::vector<std::vector<std::uint64_t>> lists(stretches);
  for_each_stretch(stretches, how.all_threads, [&](std::uint64_t s) {
    const std::uint64_t begin = s * stretch, end = std::min(size, begin + stretch);
    EndSink sink(facts, begin, end);
    search(begin, end, sink);
    sink.finish();
    lists[s] = std::move(sink.list());
  });
  if (stretches == 1) {
    found.list = std::move(lists[0]);
  } else {
    std::vector<std::uint64_t> first(stretches + 1);  // of each stretch: how many ends come before it
    std::transform(lists.begin(), lists.end(), first.begin() + 1, [](const auto& list) { return list.size(); });
    std::partial_sum(first.begin(), first.end(), first.begin());
    found.list.resize(first.back());
    for_each_stretch(stretches, how.all_threads, [&](std::uint64_t s) {
      std::copy(lists[s].begin(), lists[s].end(), found.list.begin() + static_cast<std::ptrdiff_t>(first[s]));
    });
  }
  watch.lap(found.search_seconds);
  return found;
}

}  // namespace internal

}  // namespace trawl::matchers
