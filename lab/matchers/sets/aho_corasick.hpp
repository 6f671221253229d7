// The machines of Aho and Corasick 1975 ("Efficient string matching: an aid to bibliographic search"): the state is the
// longest prefix of a pattern that ends at the current position.
#pragma once

#include <span>

#include "lab/matchers/sets/set_matcher.hpp"

namespace trawl::matchers::sets {

/// The trie of a set of patterns with the supply function, from which both machines of Aho and Corasick are made. A
/// state stands for a prefix of patterns. States are numbered by their length, so the root is 0 and the supply of a
/// state has a smaller number.
struct SetTrie {
  LetterClasses letters;
  std::uint32_t states = 0;
  std::vector<std::uint32_t> children;  // the row of a state has a state or kNone for each class of letters
  std::vector<std::uint32_t> supply;    // of a state: the longest other state that it ends with; of the root: the root
  std::vector<std::uint32_t> pattern;   // of a state: the longest pattern that it ends with, or kNone
  std::vector<std::uint32_t> shorter;   // of a pattern: the longest other pattern that it ends with, or kNone

  std::span<const std::uint32_t> row(std::uint32_t state) const {
    return {children.data() + std::uint64_t{state} * letters.count, letters.count};
  }
  bool is_leaf(std::uint32_t state) const;
};

/// Throws UsageError if it would be so large that the index of an entry, shifted by kMarkBits, is more than 32 bits.
SetTrie make_set_trie(const PatternSet& set);

/// Marks of an entry (a state that is reached, shifted left by kMarkBits): a pattern ends here; more than one does.
inline constexpr unsigned kMarkBits = 2;
inline constexpr std::uint32_t kAccepts = 1;
inline constexpr std::uint32_t kMore = 2;

/// The marks of a state.
inline std::uint32_t marks_of(const SetTrie& trie, std::uint32_t state) {
  const std::uint32_t pattern = trie.pattern[state];
  return pattern == kNone ? 0 : trie.shorter[pattern] == kNone ? kAccepts : kAccepts | kMore;
}

/// Emits the patterns that end at `j`, the longest first. `pattern` is read only if it is needed.
TRAWL_HOST_DEVICE inline void emit_patterns(std::uint32_t entry, const auto& shorter, auto&& pattern, Index j,
                                            auto&& emit) {
  if (entry & kAccepts) {
    emit(pattern(), j);
  }
  if (entry & kMore) {
    for (std::uint32_t p = shorter[pattern()]; p != kNone; p = shorter[p]) {
      emit(p, j);
    }
  }
}

/// With the goto and the supply (failure) function: if no pattern continues the state's prefix with the next letter,
/// the supply function gives the longest shorter one, until one can be continued.
struct AhoCorasick {
  static constexpr MatcherFacts kFacts = {"aho-corasick", "", "A trie of the patterns with goto and supply functions",
                                          1975};
  struct Numbers {
    std::uint32_t longest = 0;
  };

  // A state is the index of its row in `rows`: its supply state, its pattern, then an entry for each class of letters,
  // and one for all other characters.
  template <template <class> class Array>
  struct Tables : Numbers {
    Array<std::uint16_t> classes;
    Array<std::uint32_t> rows;
    Array<std::uint32_t> shorter;
    auto arrays() { return std::tie(classes, rows, shorter); }
    auto arrays() const { return std::tie(classes, rows, shorter); }
  };
  static constexpr unsigned kSupply = 0, kPattern = 1, kGoto = 2;

  static void prepare(const PatternSet& set, Tables<HostArray>& tables) {
    SetTrie trie = make_set_trie(set);
    const std::uint32_t width = kGoto + trie.letters.count + 1u;
    tables.longest = static_cast<std::uint32_t>(set.longest());
    tables.rows.assign(std::uint64_t{trie.states} * width, kNone);
    for (std::uint32_t state = 0; state < trie.states; ++state) {
      std::uint32_t* const row = tables.rows.data() + std::uint64_t{state} * width;
      row[kSupply] = trie.supply[state] * width;
      row[kPattern] = trie.pattern[state];
      for (unsigned c = 0; c < trie.letters.count; ++c) {
        const std::uint32_t child = trie.row(state)[c];
        row[kGoto + c] = child != kNone ? (child * width) << kMarkBits | marks_of(trie, child) : kNone;
      }
    }
    // At the root every other character leads to the root.
    std::replace(tables.rows.begin() + kGoto, tables.rows.begin() + width, kNone, 0u);
    tables.classes = std::move(trie.letters.of);
    tables.shorter = std::move(trie.shorter);
  }

  /// The entry that `character` leads to.
  TRAWL_HOST_DEVICE static std::uint32_t step(const auto& tables, std::uint32_t entry, unsigned char character) {
    const std::uint32_t place = kGoto + tables.classes[character];
    std::uint32_t state = entry >> kMarkBits;
    std::uint32_t next = tables.rows[state + place];
    while (next == kNone) {
      state = tables.rows[state + kSupply];
      next = tables.rows[state + place];
    }
    return next;
  }

  TRAWL_HOST_DEVICE static void scan(const auto& tables, const auto& text, Index begin, Index end, auto&& emit) {
    std::uint32_t entry = 0;
    Index j = first_window(begin, tables.longest);
    for (; j < begin; ++j) {
      entry = step(tables, entry, text[j]);
    }
    for (; j < end; ++j) {
      entry = step(tables, entry, text[j]);
      const auto pattern = [&] { return tables.rows[(entry >> kMarkBits) + kPattern]; };
      emit_patterns(entry, tables.shorter, pattern, j, emit);
    }
  }
};

/// The deterministic automaton (section 6): goto and supply functions are put together, so that each character of the
/// text is read once and costs one step. A state from which no pattern goes on needs no row: after it the automaton
/// goes on as after its supply state.
struct AhoCorasickFull {
  static constexpr MatcherFacts kFacts = {
      "aho-corasick-full", "", "A deterministic automaton of all patterns, one step for each character", 1975};
  struct Numbers {
    std::uint32_t longest = 0;
  };

  // A state is the index of its row in `next`, which has an entry for each class of letters, and one for all other
  // characters. Where an entry of `next` is marked, the same place of `patterns` has the longest pattern that ends.
  template <template <class> class Array>
  struct Tables : Numbers {
    Array<std::uint16_t> classes;
    Array<std::uint32_t> next;
    Array<std::uint32_t> patterns;
    Array<std::uint32_t> shorter;
    auto arrays() { return std::tie(classes, next, patterns, shorter); }
    auto arrays() const { return std::tie(classes, next, patterns, shorter); }
  };

  static void prepare(const PatternSet& set, Tables<HostArray>& tables) {
    SetTrie trie = make_set_trie(set);
    const std::uint32_t width = trie.letters.count + 1u;
    std::vector<std::uint32_t> rows(trie.states);  // of each state: its row, or that of a supply state
    std::uint32_t size = 0;
    for (std::uint32_t state = 0; state < trie.states; ++state) {
      const bool leaf = trie.is_leaf(state);
      rows[state] = leaf ? rows[trie.supply[state]] : size;
      size += leaf ? 0 : width;
    }
    tables.longest = static_cast<std::uint32_t>(set.longest());
    tables.next.resize(size);
    tables.patterns.resize(size, kNone);
    for (std::uint32_t state = 0; state < trie.states; ++state) {
      if (trie.is_leaf(state)) {
        continue;
      }
      const std::uint32_t row = rows[state];
      const std::uint32_t supply = rows[trie.supply[state]];
      for (unsigned c = 0; c < trie.letters.count; ++c) {
        const std::uint32_t child = trie.row(state)[c];
        if (child != kNone) {
          tables.next[row + c] = rows[child] << kMarkBits | marks_of(trie, child);
          tables.patterns[row + c] = trie.pattern[child];
        } else if (state != 0) {
          tables.next[row + c] = tables.next[supply + c];
          tables.patterns[row + c] = tables.patterns[supply + c];
        }
      }
    }
    tables.classes = std::move(trie.letters.of);
    tables.shorter = std::move(trie.shorter);
  }

  /// The entry that the automaton has reached before it reads text[begin].
  TRAWL_HOST_DEVICE static std::uint32_t entry_before(const auto& tables, const auto& text, Index begin) {
    std::uint32_t entry = 0;
    for (Index j = first_window(begin, tables.longest); j < begin; ++j) {
      entry = tables.next[(entry >> kMarkBits) + tables.classes[text[j]]];
    }
    return entry;
  }

  /// Reads text[j] and emits the patterns that end there.
  TRAWL_HOST_DEVICE static std::uint32_t step(const auto& tables, const auto& text, std::uint32_t entry, Index j,
                                              auto&& emit) {
    const std::uint32_t place = (entry >> kMarkBits) + tables.classes[text[j]];
    const std::uint32_t next = tables.next[place];
    emit_patterns(
        next, tables.shorter, [&] { return tables.patterns[place]; }, j, emit);
    return next;
  }

  TRAWL_HOST_DEVICE static void scan(const auto& tables, const auto& text, Index begin, Index end, auto&& emit) {
    std::uint32_t entry = entry_before(tables, text, begin);
    for (Index j = begin; j < end; ++j) {
      entry = step(tables, text, entry, j, emit);
    }
  }
};

/// The automaton in several places of the text at a time. One automaton waits for its next row before it can ask for
/// the one after; several wait together, so that a core searches a large set much faster. A new piece of the text
/// begins as a new stretch does: with the characters before it.
struct AhoCorasickLanes : AhoCorasickFull {
  static constexpr MatcherFacts kFacts = {"aho-corasick-lanes", "",
                                          "The automaton in eight places of the text at a time", 1975};
  static constexpr unsigned kLanes = 8;
  static constexpr std::uint64_t kPage = 4096, kLine = 64;

  static void scan(const auto& tables, const auto& text, Index begin, Index end, auto&& emit) {
    std::uint64_t piece = (end - begin) / kLanes;
    if (piece > kPage) {  // lanes that are pages apart would share the same few lines of the L1 cache
      piece = (piece - kLine) / kPage * kPage + kLine;
    }
    std::uint32_t entries[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      entries[lane] = entry_before(tables, text, begin + lane * piece);
    }
    for (Index j = begin; j < begin + piece; ++j) {
      TRAWL_UNROLL
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        entries[lane] = step(tables, text, entries[lane], j + lane * piece, emit);
      }
    }
    AhoCorasickFull::scan(tables, text, begin + kLanes * piece, end, emit);
  }
};

}  // namespace trawl::matchers::sets
