// A matcher is a published algorithm that finds where a pattern occurs in a text, written as one small type. list.txt
// lists all matchers and says how to add one. cpu_matchers.hpp and lab/kernels/gpu_driver.cuh run them.
//
//   struct BruteForce {  // plain data without pointers, its table: it is copied to the GPU
//     static constexpr MatcherFacts kFacts = {"brute-force", "bf", "Compares every window from left to right"};
//     Pattern pattern;
//     static void prepare(std::string_view pattern, BruteForce& table);
//     TRAWL_HOST_DEVICE static void scan(const BruteForce& table, const auto& text, Index begin, Index end, auto&&
//     emit);
//   };
//
// A table whose members `m`, `pattern` (Pattern) or `automaton` (TransitionTable) need nothing but the pattern has them
// filled in before prepare(), and all other bytes are 0. With nothing else to do, there is no prepare().
//
// scan() calls emit(j) for every position j in [begin, end) where a match ends (text[j] is its last character, 0 to
// 255), and for no other position; it calls it once for each, in any order. The drivers cut the text into stretches
// [begin, end). A match may begin before `begin`, so scan() starts to read earlier: see first_window(). It may also
// read after `end`, but only before text.size(), which on the GPU can be that of a part of the whole text: some
// algorithms look at the character after the window.
//
// A matcher may have used_bytes(): how many bytes of it are used, from its beginning; one with `pattern` or `automaton`
// as its last member does not need it.
//
// A matcher for one engine only has `cpu` or `cuda` as the last word of its line in list.txt. On the CPU it may have
// search() in place of scan(), with the text as it lies in memory (Memmem in packed/packed.hpp is the shortest
// example), and a prepare() that looks at the text, for example at how frequent its letters are:
//   static void search(const Memmem& table, std::string_view text, Index begin, Index end, auto&& emit);
//   static void prepare(std::string_view pattern, std::string_view text, Memmem& table);
// Its emit also has emit_bits(j, bits), which emits j + i for every bit i that is 1.
// On the GPU it may have a kernel of its own (packed/word_compare.hpp): kOwnKernel says so, and own_search(table) in
// lab/kernels makes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/host_device.hpp"
#include "base/made_text.hpp"
#include "lab/matchers/pattern.hpp"

namespace trawl::matchers {

/// The facts about a matcher.
struct MatcherFacts {
  const char* name = "";   // lower case, with - between words
  const char* code = "";   // of an exact matcher, as in `trawl-bench exact --algorithm CODE`: CUSMART's, of its Table 1
  const char* title = "";  // what it does, in one line
  unsigned year = 0;       // of the publication; 0: none
  const char* limits = "";  // what it does with patterns that the publication does not take; empty: it takes all
};

/// The form of a result: exact matchers give a list, the others bytes, on a GPU also bits or a list.
enum class Output {
  bytes,  // one byte per position: 1 if a match ends there, otherwise 0, as in the papers
  bits,   // one bit per position
  list,   // the positions where a match ends
};

/// A short value to compare two results for the same text, whatever their output. Different results have, almost
/// surely, different digests.
struct EndsDigest {
  std::uint64_t count = 0;  // positions where a match ends
  std::uint64_t hash = 0;   // the sum of mixed() of these positions

  void add(std::uint64_t position) {
    ++count;
    hash += mixed(position);
  }
  bool operator==(const EndsDigest&) const = default;
};

/// Throws UsageError for a pattern that no exact matcher takes.
void check_pattern(std::string_view pattern);

/// Where the first window of `m` characters that ends at `end` or later begins.
TRAWL_HOST_DEVICE constexpr std::uint64_t first_window(std::uint64_t end, std::uint64_t m) {
  return end > m - 1 ? end - (m - 1) : 0;
}

namespace internal {

/// Cleared memory. A table can have megabytes, of which most are never touched, so its pages come from the system,
/// which clears them when they are; calloc() clears all of a block that was used before. Throws std::bad_alloc.
void* new_table(std::size_t bytes);
void free_table(void* table, std::size_t bytes);

}  // namespace internal

template <class Matcher>
struct FreeTable {
  void operator()(Matcher* table) const { internal::free_table(table, sizeof(Matcher)); }
};

template <class Matcher>
using TablePointer = std::unique_ptr<Matcher, FreeTable<Matcher>>;

/// `text`: for a matcher that looks at the text first. Throws UsageError.
template <class Matcher>
TablePointer<Matcher> prepare_table(std::string_view pattern, [[maybe_unused]] std::string_view text = {}) {
  static_assert(std::is_trivially_copyable_v<Matcher>, "a table is copied to the GPU byte by byte");
  static_assert(alignof(Matcher) <= alignof(std::max_align_t));
  check_pattern(pattern);
  TablePointer<Matcher> table(static_cast<Matcher*>(internal::new_table(sizeof(Matcher))));
  if constexpr (requires { table->m; }) {
    table->m = static_cast<std::uint32_t>(pattern.size());
  }
  if constexpr (requires { table->pattern.set(pattern); }) {
    table->pattern.set(pattern);
  }
  if constexpr (requires { table->automaton.set_letters(pattern); }) {
    table->automaton.set_letters(pattern);
  }
  if constexpr (requires { Matcher::prepare(pattern, text, *table); }) {
    Matcher::prepare(pattern, text, *table);
  } else if constexpr (requires { Matcher::prepare(pattern, *table); }) {
    Matcher::prepare(pattern, *table);
  } else {
    static_assert(
        !requires { &Matcher::prepare; }, "no prepare() as above");
  }
  return table;
}

/// How many bytes of the table are used, from its begin.
template <class Matcher>
std::size_t table_bytes(const Matcher& table) {
  if constexpr (requires { table.used_bytes(); }) {
    return table.used_bytes();
  } else if constexpr (requires { table.automaton.unused_bytes(); }) {
    return sizeof table - table.automaton.unused_bytes();
  } else if constexpr (requires { table.pattern.used_bytes(); }) {
    const auto begin =
        static_cast<std::size_t>(reinterpret_cast<const char*>(&table.pattern) - reinterpret_cast<const char*>(&table));
    const bool last = begin + sizeof table.pattern + alignof(Matcher) > sizeof table;
    return last ? begin + table.pattern.used_bytes() : sizeof table;
  } else {
    return sizeof table;
  }
}

}  // namespace trawl::matchers
