// A matcher is a published algorithm that finds where a pattern occurs in a text, written as one small type. list.txt
// lists all matchers and says how to add one. cpu_driver.hpp and gpu/matchers/gpu_driver.cuh run them.
//
//   struct BruteForce {
//     static constexpr MatcherFacts kFacts = {.name = "brute-force", .title = "...", .paper = "...", .longest = 1024};
//     struct Table {  // plain data without pointers: it is copied to the GPU
//       std::uint32_t m;
//       std::uint8_t pattern[1024];
//     };
//     static Table prepare(std::string_view pattern);  // with edits: prepare(pattern, max_edits)
//     template <class Text, class Emit>
//     TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin,
//                                        std::uint64_t end, Emit&& emit);
//   };
//
// scan() calls emit(j), or emit(j, distance), for every position j in [begin, end) where a match ends (text[j] is its
// last character), and for no other position. The drivers cut the text into stretches [begin, end). A match may begin
// before `begin`, so scan() starts to read earlier: see first_window() and first_column(). It may also read after
// `end`, but only before text.size(): some algorithms look at the character after the window.
//
//   text.size()                    characters of the whole text
//   text[j]                        0 to 255, for j < text.size()
//   text.template load<4>(j)       1, 4, 8 or 16 characters at once, as [0] to [3]; j is a multiple of their number;
//                                  up to 64 of them may lie after the text's end, where their values mean nothing
//
// A matcher may also have:
//   shortest, most_edits, letters, alphas   in kFacts
//   prepare(pattern, max_edits, alpha)      if kFacts has alphas
//   static constexpr unsigned kVariants; static unsigned variant(const Table&); scan<kVariant>(...)
//                                           scan() compiled once for each variant, for example for each number of edits
//   static std::size_t table_bytes(const Table&)   how many bytes of the table are used, from its begin
//   static constexpr unsigned kGpuStretch          end - begin on the GPU, a multiple of 8 up to 256; 64 by default
//
// On the GPU a table of up to 32 KiB is in shared memory, a larger one in global memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/host_device.hpp"

namespace trawl::matchers {

/// The facts about a matcher.
struct MatcherFacts {
  const char* name = "";     // as in `trawl bench NAME`: lower case, with - between words
  const char* title = "";    // what it does, in one line
  const char* paper = "";    // authors and year
  unsigned shortest = 1;     // shortest pattern, in characters
  unsigned longest = 0;      // longest pattern, in characters
  unsigned most_edits = 0;   // largest Levenshtein distance; 0: exact matches only
  const char* letters = "";  // allowed in the text and the pattern; empty: any bytes
  unsigned alphas[4] = {};   // choices for the number of characters loaded at a time, the default first
};

/// What a matcher should search for.
struct MatcherSettings {
  std::string pattern;
  unsigned max_edits = 0;
  unsigned alpha = 0;  // one of the matcher's alphas; 0: its first one, or the matcher has none
};

/// `settings` with alpha filled in. Throws UsageError for settings that the matcher does not support.
MatcherSettings resolve(const MatcherFacts& facts, MatcherSettings settings);

/// Where the first window of `m` characters that ends at `end` or later begins.
TRAWL_HOST_DEVICE constexpr std::uint64_t first_window(std::uint64_t end, std::uint64_t m) {
  return end > m - 1 ? end - (m - 1) : 0;
}

/// The first column that an algorithm must compute so that its results are right from `begin` on. A match has at most m
/// + max_edits characters.
TRAWL_HOST_DEVICE constexpr std::uint64_t first_column(std::uint64_t begin, std::uint64_t m, std::uint64_t max_edits) {
  return first_window(begin, m + max_edits);
}

/// `settings` must come from resolve().
template <class Matcher>
typename Matcher::Table prepare_table(const MatcherSettings& s) {
  static_assert(std::is_trivially_copyable_v<typename Matcher::Table>, "a table is copied to the GPU byte by byte");
  const std::string_view pattern = s.pattern;
  if constexpr (requires { Matcher::prepare(pattern, s.max_edits, s.alpha); }) {
    return Matcher::prepare(pattern, s.max_edits, s.alpha);
  } else if constexpr (requires { Matcher::prepare(pattern, s.max_edits); }) {
    return Matcher::prepare(pattern, s.max_edits);
  } else {
    static_assert(Matcher::kFacts.most_edits == 0, "a matcher with edits has prepare(pattern, max_edits)");
    return Matcher::prepare(pattern);
  }
}

/// The number of variants in which scan() is compiled.
template <class Matcher>
constexpr unsigned variant_count() {
  if constexpr (requires { Matcher::kVariants; }) {
    return Matcher::kVariants;
  } else {
    return 1;
  }
}

/// The variant that scan() needs for this table.
template <class Matcher>
unsigned variant_of(const typename Matcher::Table& table) {
  if constexpr (variant_count<Matcher>() > 1) {
    return Matcher::variant(table);
  } else {
    return 0;
  }
}

/// scan() in one of its variants.
template <class Matcher, unsigned kVariant, class Text, class Emit>
TRAWL_HOST_DEVICE inline void scan_variant(const typename Matcher::Table& table, const Text& text, std::uint64_t begin,
                                           std::uint64_t end, Emit&& emit) {
  if constexpr (variant_count<Matcher>() > 1) {
    Matcher::template scan<kVariant>(table, text, begin, end, emit);
  } else {
    Matcher::scan(table, text, begin, end, emit);
  }
}

}  // namespace trawl::matchers
