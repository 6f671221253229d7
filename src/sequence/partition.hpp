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

/// How many elements of each part there are, for each of some stretches of [0, count).
using PartSizes = std::vector<std::vector<std::uint64_t>>;

/// Calls work(s, begin, end) for each stretch s, on many threads.
template <class Work>
void for_stretches(std::size_t count, std::size_t stretches, const Work& work) {
  tbb::parallel_for(std::size_t{0}, stretches,
                    [&](std::size_t s) { work(s, count * s / stretches, count * (s + 1) / stretches); });
}

/// The sizes for the elements that `give(i, put)` puts, by put(part, element), for i in [0, count). It is called on any
/// thread.
template <class T, class Give>
PartSizes part_sizes(std::size_t count, std::size_t parts, const Give& give) {
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t stretches = std::clamp<std::size_t>(count / (8 * parts), 1, threads);
  PartSizes sizes(stretches, std::vector<std::uint64_t>(parts));
  for_stretches(count, stretches, [&](std::size_t s, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      give(i, [&](std::size_t part, const T&) { ++sizes[s][part]; });
    }
  });
  return sizes;
}

/// The elements of the parts [begin_part, end_part), sorted by part; within a part in the order of i. `first`: where
/// each of these parts begins, and the end. `sizes`: those of the same `give`.
template <class T, class Give>
HugeArray<T> sorted_parts(PartSizes sizes, std::size_t count, std::size_t begin_part, std::size_t end_part,
                          std::vector<std::uint64_t>& first, const Give& give) {
  const std::size_t parts = end_part - begin_part;
  first.assign(parts + 1, 0);
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    first[p] = sum;
    for (auto& of_stretch : sizes) {
      const std::uint64_t size = of_stretch[begin_part + p];
      of_stretch[begin_part + p] = sum;
      sum += size;
    }
  }
  first[parts] = sum;
  HugeArray<T> sorted(sum);
  for_stretches(count, sizes.size(), [&](std::size_t s, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      give(i, [&](std::size_t part, const T& element) {
        if (part - begin_part < parts) {
          sorted[sizes[s][part]++] = element;
        }
      });
    }
  });
  return sorted;
}

/// All elements, sorted by part. `give` is called twice for each i.
template <class T, class Give>
HugeArray<T> partition(std::size_t count, std::size_t parts, std::vector<std::uint64_t>& first, const Give& give) {
  return sorted_parts<T>(part_sizes<T>(count, parts, give), count, 0, parts, first, give);
}

}  // namespace trawl::sequence
