// Aho-Corasick (1975, "Efficient string matching: an aid to bibliographic search") with the goto and the supply
// (failure) function: the state is the longest prefix of a pattern that ends at the current position. If no pattern
// continues it with the next letter, the supply function gives the longest shorter one, until one can be continued.
#pragma once

#include <algorithm>

#include "lab/matchers/sets/set_trie.hpp"

namespace trawl::matchers::sets {

struct AhoCorasick {
  static constexpr SetFacts kFacts = {.name = "aho-corasick",
                                      .title = "A trie of the patterns with goto and supply functions",
                                      .authors = "Aho and Corasick",
                                      .year = 1975};

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
  template <class Tables>
  TRAWL_HOST_DEVICE static std::uint32_t step(const Tables& tables, std::uint32_t entry, unsigned char character) {
    const std::uint32_t place = kGoto + tables.classes[character];
    std::uint32_t state = entry >> kMarkBits;
    std::uint32_t next = tables.rows[state + place];
    while (next == kNone) {
      state = tables.rows[state + kSupply];
      next = tables.rows[state + place];
    }
    return next;
  }

  template <class Tables, class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Tables& tables, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    std::uint32_t entry = 0;
    std::uint64_t j = first_window(begin, tables.longest);
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

}  // namespace trawl::matchers::sets
