// Packed matchers: they compare many windows of the text with a word or a vector at once, or only look at samples of
// it. They run on the CPU.
#pragma once

#include <algorithm>
#include <cstring>

#include "lab/matchers/packed/place_filter.hpp"

namespace trawl::matchers {

namespace packed {

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

/// The pattern's q-grams by their hash, to search by samples of the text: every window has exactly one of the positions
/// x, x + s, x + 2 s, ... where a q-gram (a piece of q characters) of it begins, if s = m - q + 1 or less. So only the
/// q-grams there are looked up in a table of the pattern's; a window is compared where one occurs. Of a long pattern's
/// text, only a part is read.
///
///   text     G A T T A C A G A T T A C A      m = 6, q = 4, s = 3: the windows at 0, 1, 2 have the q-gram at 2,
///                |-----| |-----|               those at 3, 4, 5 have the q-gram at 5
///                      |-----|
///
/// All bytes are 0 before prepare().
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

  template <unsigned kQ, bool kSeen>
  void search(const Pattern& pattern, std::string_view text, Index begin, Index end, auto&& emit) const {
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

/// The table and the search of a matcher that finds candidates by places, or by q-grams (then grams.q is not 0).
template <bool kSeen>
struct FilterSearch {
  PlaceFilter filter;
  QGramTable grams;
  Pattern pattern;

  static void search(const FilterSearch& table, std::string_view text, Index begin, Index end, auto&& emit) {
    if (table.grams.q == 0) {
      search_with_places(table.filter, table.pattern, text, begin, end, emit);
    } else if (table.grams.q == 8) {
      table.grams.template search<8, kSeen>(table.pattern, text, begin, end, emit);
    } else {
      table.grams.template search<16, kSeen>(table.pattern, text, begin, end, emit);
    }
  }
};

}  // namespace packed

/// Rare bytes: compares a few places of the pattern with 16 to 64 windows at once, and the whole pattern where they
/// agree. The places are those that are together rarest in samples of this text. This is Trawl's own; filters of two
/// bytes (the first and the last, or the two rarest) are common.
struct RareBytes {
  static constexpr MatcherFacts kFacts = {"rare-bytes", "rare",
                                          "Compares the rarest places of the pattern in 64 windows at once"};

  packed::PlaceFilter filter;
  Pattern pattern;

  static void prepare(std::string_view pattern, std::string_view text, RareBytes& table) {
    table.filter = packed::choose_places(pattern, text);
  }

  static void search(const RareBytes& table, std::string_view text, Index begin, Index end, auto&& emit) {
    packed::search_with_places(table.filter, table.pattern, text, begin, end, emit);
  }
};

/// Q-gram filter: looks only at one q-gram of each window (QGramTable), in a table of bits that stays in the
/// nearest cache, and compares the windows that have a q-gram of the pattern there. The steps grow with the pattern, so
/// that of a text much less than all is read. This is Trawl's own form of the idea of Wu and Manber's block shifts.
struct QGramFilter : packed::FilterSearch<true> {
  static constexpr MatcherFacts kFacts = {"q-gram-filter", "qgram",
                                          "Looks up one q-gram of each window; reads a part of the text only", 0,
                                          "m < 16: searches as rare-bytes"};

  static void prepare(std::string_view pattern, std::string_view text, FilterSearch& table) {
    const auto m = static_cast<std::uint32_t>(pattern.size());
    if (m < 16) {
      table.filter = packed::choose_places(pattern, text);
    } else if (m < 48) {
      table.grams.prepare<8>(pattern, m - 7, packed::QGramTable::kListBits, true);
    } else {
      table.grams.prepare<16>(pattern, m - 15, packed::QGramTable::kListBits, true);
    }
  }
};

/// EPSM, exact packed string matching (Faro and Kulekci 2013): compares the characters of a word at once. Short
/// patterns (m < 4) are compared completely, with one shifted comparison for each character; of longer ones (m < 16)
/// the first four characters, then the rest; of long ones (m >= 16) every floor(m / 8) - 1st block of 8 characters is
/// looked up by a hash of 11 bits. In place of the publication's instructions mpsadbw and crc32 it has comparisons of
/// bytes and a multiplication, so that it runs on any machine.
struct Epsm : packed::FilterSearch<false> {
  static constexpr MatcherFacts kFacts = {"epsm", "epsm", "Compares packed characters; hashes blocks for long patterns",
                                          2013};

  static void prepare(std::string_view pattern, FilterSearch& table) {
    constexpr unsigned kPrefix = 4, kBlock = 8, kHashBits = 11;
    const auto m = static_cast<std::uint32_t>(pattern.size());
    if (m < 2 * kBlock) {
      table.filter = packed::first_places(pattern, std::min(m, kPrefix));
    } else {
      table.grams.prepare<kBlock>(pattern, kBlock * (m / kBlock - 1), kHashBits, false);
    }
  }
};

/// The C library's memmem(), called again after each match: the peer of all others. glibc has Two-Way (Crochemore and
/// Perrin 1991) for patterns of more than 256 characters, and a shift by a hash of two characters for shorter ones.
struct Memmem {
  static constexpr MatcherFacts kFacts = {"memmem", "memmem", "The C library's memmem()"};

  Pattern pattern;

  static void search(const Memmem& table, std::string_view text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.pattern.m;
    std::uint64_t from = first_window(begin, m);
    while (from + m <= end) {
      const void* found = memmem(text.data() + from, end - from, table.pattern.letters, m);
      if (found == nullptr) {
        return;
      }
      const auto window = static_cast<std::uint64_t>(static_cast<const char*>(found) - text.data());
      emit(window + m - 1);
      from = window + 1;
    }
  }
};

}  // namespace trawl::matchers
