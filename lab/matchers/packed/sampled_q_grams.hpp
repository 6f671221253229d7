// Search by samples of the text: every window has exactly one of the positions x, x + s, x + 2 s, ... where a q-gram (a
// piece of q characters) of it begins, if s = m - q + 1 or less. So only the q-grams there are looked up in a table of
// the pattern's; a window is compared where one occurs. Of a long pattern's text, only a part is read.
//
//   text     G A T T A C A G A T T A C A      m = 6, q = 4, s = 3: the windows at 0, 1, 2 have the q-gram at 2,
//                |-----| |-----|               those at 3, 4, 5 have the q-gram at 5
//                      |-----|
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers::packed {

/// The bytes at `from` as a number, mixed; the upper bits are the best.
template <unsigned kQ>
std::uint64_t hash_of(const void* from) {
  static_assert(kQ == 8 || kQ == 16);
  std::uint64_t words[kQ / 8];
  std::memcpy(words, from, kQ);
  std::uint64_t hash = words[0] * 0x9E3779B97F4A7C15u;
  if constexpr (kQ == 16) {
    hash += words[1] * 0xD6E8FEB86659FD93u;
  }
  return hash;
}

/// The pattern's q-grams by their hash. All bytes are 0 before prepare().
struct QGramTable {
  static constexpr unsigned kListBits = 12;
  static constexpr unsigned kMostBits = 17;

  std::uint32_t q;
  std::uint32_t step;                          // s
  std::uint32_t list_bits;                     // of the hash
  std::uint32_t seen_bits;                     // of the hash; 0: without `seen`
  std::uint16_t first[1u << kListBits];        // by hash: 1 + the last place of such a q-gram; 0: none
  std::uint16_t next[kLongestPattern];         // by place: 1 + the next place before it; 0: none
  std::uint64_t seen[(1u << kMostBits) / 64];  // by a longer hash: whether there is such a q-gram

  /// Takes the q-grams at the places 0 to step - 1. `list_bits` is at most kListBits.
  template <unsigned kQ>
  void prepare(std::string_view pattern, std::uint32_t text_step, std::uint32_t bits_for_list, bool with_seen) {
    q = kQ;
    step = text_step;
    list_bits = bits_for_list;
    if (with_seen) {
      constexpr unsigned kSparse = 32;  // bits for each q-gram
      for (seen_bits = kListBits; seen_bits < kMostBits && (1u << seen_bits) < kSparse * step; ++seen_bits) {
      }
    }
    for (std::uint32_t i = 0; i < step; ++i) {
      const std::uint64_t hash = hash_of<kQ>(pattern.data() + i);
      std::uint16_t& head = first[hash >> (64 - list_bits)];
      next[i] = head;
      head = static_cast<std::uint16_t>(i + 1);
      if (with_seen) {
        const std::uint64_t bit = hash >> (64 - seen_bits);
        seen[bit / 64] |= std::uint64_t{1} << (bit % 64);
      }
    }
  }

  template <unsigned kQ, bool kSeen, class Emit>
  void search(const Pattern& pattern, std::string_view text, std::uint64_t begin, std::uint64_t end,
              Emit&& emit) const {
    const std::uint32_t m = pattern.m;
    const std::uint64_t first_one = first_window(begin, m);
    if (first_one + m > end) {
      return;
    }
    const std::uint64_t last_one = end - m;
    const char* const at = text.data();
    const unsigned list_shift = 64 - list_bits, seen_shift = 64 - seen_bits;
    const std::uint64_t s = step;
    const std::uint64_t ahead = std::max<std::uint64_t>(kAheadBytes, kAheadSamples * s);
    for (std::uint64_t x = first_one + s - 1; x <= last_one + s - 1; x += s) {
      __builtin_prefetch(at + x + ahead);
      const std::uint64_t hash = hash_of<kQ>(at + x);
      if constexpr (kSeen) {
        const std::uint64_t bit = hash >> seen_shift;
        if (((seen[bit / 64] >> (bit % 64)) & 1) == 0) [[likely]] {
          continue;
        }
      }
      for (std::uint32_t i = first[hash >> list_shift]; i != 0; i = next[i - 1]) {
        const std::uint64_t window = x - (i - 1);
        if (std::memcmp(at + x, pattern.letters + i - 1, 8) == 0 && window <= last_one &&
            std::memcmp(at + window, pattern.letters, m) == 0) {
          emit(window + m - 1);
        }
      }
    }
  }

 private:
  static constexpr std::uint64_t kAheadBytes = 4096;
  static constexpr std::uint64_t kAheadSamples = 16;
};

}  // namespace trawl::matchers::packed
