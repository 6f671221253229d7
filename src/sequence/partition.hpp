// Sorting into parts, on all threads: elements of one part lie together afterwards, so that each part can be worked on
// in the cache.
//
//   std::vector<std::uint64_t> first;                    // part p: [first[p], first[p + 1])
//   const auto sorted = partition<std::size_t>(6, 2, first, [](std::size_t i, auto&& put) {
//     put(i % 2, i);                                     // any number of times for each i, the same in every call
//   });
//   first == {0, 3, 6}
//   sorted[3] == 1
#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sequence/huge_array.hpp"

namespace trawl::sequence {

/// The elements that `give(i, put)` puts for i in [0, count), sorted by part; within a part in the order of i. It is
/// called twice for each i, on any thread.
template <class T, class Give>
HugeArray<T> partition(std::size_t count, std::size_t parts, std::vector<std::uint64_t>& first, const Give& give) {
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t stretches = std::clamp<std::size_t>(count / (8 * parts), 1, threads);
  const auto in_stretches = [&](const auto& work) {
    tbb::parallel_for(std::size_t{0}, stretches,
                      [&](std::size_t s) { work(s, count * s / stretches, count * (s + 1) / stretches); });
  };
  std::vector<std::vector<std::uint64_t>> next(stretches, std::vector<std::uint64_t>(parts));
  in_stretches([&](std::size_t s, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      give(i, [&](std::size_t part, const T&) { ++next[s][part]; });
    }
  });
  first.assign(parts + 1, 0);
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    first[p] = sum;
    for (auto& of_stretch : next) {
      const std::uint64_t size = of_stretch[p];
      of_stretch[p] = sum;
      sum += size;
    }
  }
  first[parts] = sum;
  HugeArray<T> sorted(sum);
  in_stretches([&](std::size_t s, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      give(i, [&](std::size_t part, const T& element) { sorted[next[s][part]++] = element; });
    }
  });
  return sorted;
}

}  // namespace trawl::sequence
