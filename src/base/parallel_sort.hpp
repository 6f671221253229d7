// Sorting by whole numbers with all threads.
//
//   using Pair = std::pair<std::uint64_t, char>;
//   std::vector<Pair> pairs{{7, 'a'}, {3, 'b'}, {3, 'a'}}, room(3);
//   parallel_sort<Pair>(pairs, room, 8, [](const Pair& pair) { return pair.first; },        // numbers of 8 bits
//                       [](const Pair& a, const Pair& b) { return a.second < b.second; });  // of the same number
//   pairs[0].first == 3
//   pairs[0].second == 'a'
#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace trawl {

/// A stable sort by key(element), a std::uint64_t of at most `bits` bits; elements of the same key are sorted by
/// comes_before(a, b). `room`, of the same size, is overwritten. T is copied. Time grows with the number of elements,
/// and many of the same key are sorted by one thread.
template <class T, class Key, class ComesBefore>
void parallel_sort(std::span<T> elements, std::span<T> room, unsigned bits, const Key& key,
                   const ComesBefore& comes_before) {
  constexpr std::size_t kFew = std::size_t{1} << 13, kMostParts = 64;
  constexpr unsigned kMostBinBits = 11;
  if (elements.size() < kFew || bits == 0) {
    std::stable_sort(elements.begin(), elements.end(), [&](const T& a, const T& b) {
      const std::uint64_t key_a = key(a), key_b = key(b);
      return key_a != key_b ? key_a < key_b : comes_before(a, b);
    });
    return;
  }
  // Elements are put into bins by the first bits of their keys, then each bin is sorted.
  const unsigned shift = std::max(bits, kMostBinBits) - kMostBinBits;
  const std::size_t bins = std::size_t{1} << (bits - shift);
  const auto bin_of = [&](const T& element) { return static_cast<std::size_t>(key(element) >> shift) % bins; };
  const std::size_t parts = std::min(kMostParts, elements.size() / kFew);
  const auto part_of = [&](std::size_t part) {
    const std::size_t first = elements.size() * part / parts;
    return elements.subspan(first, elements.size() * (part + 1) / parts - first);
  };
  std::vector<std::size_t> next(parts * bins);  // where the next element of this part and bin belongs
  tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t part) {
    for (const T& element : part_of(part)) {
      ++next[part * bins + bin_of(element)];
    }
  });
  std::vector<std::size_t> begins{0};
  std::size_t sum = 0;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    for (std::size_t part = 0; part < parts; ++part) {
      sum += next[part * bins + bin];
      next[part * bins + bin] = sum - next[part * bins + bin];
    }
    begins.push_back(sum);
  }
  tbb::parallel_for(std::size_t{0}, parts, [&](std::size_t part) {
    for (const T& element : part_of(part)) {
      room[next[part * bins + bin_of(element)]++] = element;
    }
  });
  tbb::parallel_for(std::size_t{0}, bins, [&](std::size_t bin) {
    const std::size_t size = begins[bin + 1] - begins[bin];
    const auto from = room.subspan(begins[bin], size);
    const auto to = elements.subspan(begins[bin], size);
    std::copy(from.begin(), from.end(), to.begin());
    parallel_sort(to, from, shift, key, comes_before);
  });
}

/// Replaces `all` by the elements of all parts, one part after the other, on all threads. The parts are empty then.
template <class T>
void concatenate(std::vector<std::vector<T>>& parts, std::vector<T>& all) {
  std::vector<std::size_t> begins{0};
  for (const auto& part : parts) {
    begins.push_back(begins.back() + part.size());
  }
  all.resize(begins.back());
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t p) {
    std::ranges::copy(std::exchange(parts[p], {}), all.begin() + static_cast<std::ptrdiff_t>(begins[p]));
  });
}

}  // namespace trawl
