// Sorting by whole numbers, in a time that grows with the number of elements only.
//
//   std::vector<std::string> words{"tree", "ant", "bee"}, room;
//   radix_sort(words, room, [](const std::string& word) { return word.size(); });     // a stable sort
//   words.front() == "ant"
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trawl {

/// Sorts by key(element), a std::uint64_t; elements with the same key keep their order. `room` is overwritten. Only the
/// bits in which keys differ cost time: 11 of them about 2 nanoseconds an element. T is copied.
template <class T, class Key>
void radix_sort(std::vector<T>& elements, std::vector<T>& room, const Key& key) {
  constexpr unsigned kDigit = 11;
  constexpr std::size_t kFew = 256;
  if (elements.size() < kFew) {
    std::stable_sort(elements.begin(), elements.end(), [&](const T& a, const T& b) { return key(a) < key(b); });
    return;
  }
  const std::uint64_t first = key(elements.front());
  std::uint64_t differ = 0;
  bool is_sorted = true;
  std::uint64_t before = first;
  for (const T& element : elements) {
    const std::uint64_t k = key(element);
    differ |= k ^ first;
    is_sorted &= before <= k;
    before = k;
  }
  if (is_sorted) {
    return;
  }
  room.resize(elements.size());
  for (auto at = static_cast<unsigned>(std::countr_zero(differ)); at < 64 && differ >> at != 0; at += kDigit) {
    constexpr std::size_t kDigits = std::size_t{1} << kDigit;
    if ((differ >> at) % kDigits == 0) {
      continue;
    }
    std::array<std::size_t, kDigits> next{};
    for (const T& element : elements) {
      ++next[(key(element) >> at) % kDigits];
    }
    std::size_t sum = 0;
    for (std::size_t& n : next) {
      sum += n;
      n = sum - n;
    }
    for (const T& element : elements) {
      room[next[(key(element) >> at) % kDigits]++] = element;
    }
    elements.swap(room);
  }
}

}  // namespace trawl
