// A matcher is a published algorithm that finds where a pattern occurs in a text, written as one small type. list.txt
// lists all matchers and says how to add one. cpu_matchers.hpp and lab/kernels/gpu_driver.cuh run them.
//
//   struct BruteForce {
//     static constexpr MatcherFacts kFacts = exact_facts("brute-force", "bf", "Compares every window", "folklore");
//     struct Table {  // plain data without pointers: it is copied to the GPU
//       Pattern pattern;
//     };
//     static void prepare(std::string_view pattern, Table& table);
//     TRAWL_HOST_DEVICE static void scan(const Table& table, const auto& text, Index begin, Index end, auto&& emit);
//   };
//
// A table whose members `m`, `pattern` (Pattern) or `automaton` (TransitionTable) need nothing but the pattern has them
// filled in before prepare(), and all other bytes are 0. With nothing else to do, there is no prepare().
//
// scan() calls emit(j) for every position j in [begin, end) where a match ends (text[j] is its
// last character), and for no other position; it calls it once for each, in any order. The drivers cut the text into
// stretches [begin, end). A match may begin before `begin`, so scan() starts to read earlier: see first_window() and
// first_column(). It may also read after `end`, but only before text.size(): some algorithms look at the character
// after the window.
//
//   text.size()                    characters of the text; on the GPU this can be a part of the whole one
//   text[j]                        0 to 255, for j < text.size()
//   text.template load<4>(j)       1, 4, 8 or 16 characters at once, as [0] to [3]; j is a multiple of their number;
//                                  up to 64 of them may lie after the text's end, where their values mean nothing
//
// A matcher may also have:
//   longest, most_edits, alphas   in kFacts
//   prepare(const MatcherSettings& settings, Table& table)   with edits
//   static constexpr unsigned kVariants; static unsigned variant(const Table&); scan<kVariant>(...)
//                                           scan() compiled once for each variant, for example for each number of edits
//   std::size_t used_bytes() const in its Table   how many bytes of the table are used, from its beginning; a table
//                                           with `pattern` or `automaton` as its last member does not need it
//   static constexpr unsigned kGpuStretch          8: end - begin on the GPU, if the algorithm sets it; otherwise the
//                                           GPU's driver chooses it
//
// A matcher for one engine only has `cpu` or `cuda` as the last word of its line in list.txt. On the CPU it may have
// search() in place of scan(), with the text as it lies in memory (Memmem in packed/packed.hpp is the shortest
// example), and a prepare() that looks at the text, for example at how frequent its letters are:
//   static void search(const Table& table, std::string_view text, Index begin, Index end, auto&& emit);
//   static void prepare(std::string_view pattern, std::string_view text, Table& table);
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
#include "base/with_constant.hpp"
#include "lab/matchers/pattern.hpp"

namespace trawl::matchers {

/// The facts about a matcher.
struct MatcherFacts {
  const char* name = "";   // as in `trawl-bench NAME`: lower case, with - between words
  const char* code = "";   // as in `trawl-bench exact --algorithm CODE`: for the 64 of CUSMART its Table 1's; a matcher
                           // with edits has none
  const char* title = "";  // what it does, in one line
  const char* authors = "";  // of the publication
  unsigned year = 0;         // of the publication; 0: none
  const char* limits = "";   // what it does with patterns that the publication does not take; empty: it takes all
  unsigned longest = kLongestPattern;  // longest pattern, in characters
  unsigned most_edits = 0;             // largest Levenshtein distance; 0: exact matches only
  unsigned alphas[4] = {};             // choices for the number of characters loaded at a time, the default first

  /// "Wu and Manber 1992".
  std::string paper() const { return year == 0 ? authors : std::string(authors) + " " + std::to_string(year); }
};

/// The facts about a matcher without edits, in the order of MatcherFacts.
constexpr MatcherFacts exact_facts(const char* name, const char* code, const char* title, const char* authors,
                                   unsigned year = 0, const char* limits = "") {
  return {.name = name, .code = code, .title = title, .authors = authors, .year = year, .limits = limits};
}

/// Throws std::logic_error, which names both, if two of them have one name or one code.
void check_unique(const std::vector<const MatcherFacts*>& facts);

/// For an entry of the list: &Matcher::kFacts, with a check of what the compiler can check.
template <class Matcher>
constexpr const MatcherFacts* checked_facts() {
  static_assert(Matcher::kFacts.name[0] != '\0', "the matcher has no name: set kFacts.name");
  static_assert(
      (Matcher::kFacts.code[0] != '\0') == (Matcher::kFacts.most_edits == 0),
      "an exact matcher has a code, which trawl-bench exact shows (set kFacts.code); one with edits has none");
  return &Matcher::kFacts;
}

/// `matchers`, the entries of a list. Throws std::logic_error, which names both, if two have one name or one code.
template <class Entry>
std::vector<Entry> checked_list(std::vector<Entry> matchers) {
  std::vector<const MatcherFacts*> facts;
  for (const Entry& matcher : matchers) {
    facts.push_back(matcher.facts);
  }
  check_unique(facts);
  return matchers;
}

/// The form of a result.
enum class Output {
  bytes,  // one byte per position: 1 if a match ends there, otherwise 0, as in the papers
  bits,   // one bit per position
  list,   // the positions where a match ends
  count,  // their number only
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

namespace internal {

/// Cleared memory. A table can have megabytes, of which most are never touched, so its pages come from the system,
/// which clears them when they are; calloc() clears all of a block that was used before. Throws std::bad_alloc.
void* new_table(std::size_t bytes);
void free_table(void* table, std::size_t bytes);

}  // namespace internal

template <class Table>
struct FreeTable {
  void operator()(Table* table) const { internal::free_table(table, sizeof(Table)); }
};

template <class Matcher>
using TablePointer = std::unique_ptr<typename Matcher::Table, FreeTable<typename Matcher::Table>>;

/// `settings` must come from resolve(). `text`: for a matcher that looks at the text first.
template <class Matcher>
TablePointer<Matcher> prepare_table(const MatcherSettings& s, [[maybe_unused]] std::string_view text = {}) {
  using Table = typename Matcher::Table;
  static_assert(std::is_trivially_copyable_v<Table>, "a table is copied to the GPU byte by byte");
  static_assert(alignof(Table) <= alignof(std::max_align_t));
  TablePointer<Matcher> table(static_cast<Table*>(internal::new_table(sizeof(Table))));
  const std::string_view pattern = s.pattern;
  if constexpr (requires { table->m; }) {
    table->m = static_cast<std::uint32_t>(pattern.size());
  }
  if constexpr (requires { table->pattern.set(pattern); }) {
    table->pattern.set(pattern);
  }
  if constexpr (requires { table->automaton.set_letters(pattern); }) {
    table->automaton.set_letters(pattern);
  }
  if constexpr (requires { Matcher::prepare(s, *table); }) {
    Matcher::prepare(s, *table);
  } else if constexpr (requires { Matcher::prepare(pattern, text, *table); }) {
    Matcher::prepare(pattern, text, *table);
  } else if constexpr (requires { Matcher::prepare(pattern, *table); }) {
    static_assert(Matcher::kFacts.most_edits == 0, "a matcher with edits has prepare(settings, table)");
    Matcher::prepare(pattern, *table);
  } else {
    static_assert(
        !requires { &Matcher::prepare; }, "no prepare() as above");
  }
  return table;
}

/// How many bytes of the table are used, from its begin.
template <class Matcher>
std::size_t table_bytes(const typename Matcher::Table& table) {
  if constexpr (requires { table.used_bytes(); }) {
    return table.used_bytes();
  } else if constexpr (requires { table.automaton.unused_bytes(); }) {
    return sizeof table - table.automaton.unused_bytes();
  } else if constexpr (requires { table.pattern.used_bytes(); }) {
    const auto begin =
        static_cast<std::size_t>(reinterpret_cast<const char*>(&table.pattern) - reinterpret_cast<const char*>(&table));
    const bool last = begin + sizeof table.pattern + alignof(typename Matcher::Table) > sizeof table;
    return last ? begin + table.pattern.used_bytes() : sizeof table;
  } else {
    return sizeof table;
  }
}

/// Calls f(variant) with the constant of the variant that scan() needs for this table; 0 if it has none.
template <class Matcher>
decltype(auto) with_variant(const typename Matcher::Table& table, auto&& f) {
  if constexpr (requires { Matcher::kVariants; }) {
    return with_constant<Matcher::kVariants - 1>(Matcher::variant(table), f);
  } else {
    return f(std::integral_constant<unsigned, 0>());
  }
}

/// scan() in one of its variants.
template <class Matcher, unsigned kVariant>
TRAWL_HOST_DEVICE inline void scan_variant(const typename Matcher::Table& table, const auto& text, Index begin,
                                           Index end, auto&& emit) {
  if constexpr (requires { Matcher::kVariants; }) {
    Matcher::template scan<kVariant>(table, text, begin, end, emit);
  } else {
    Matcher::scan(table, text, begin, end, emit);
  }
}

}  // namespace trawl::matchers
