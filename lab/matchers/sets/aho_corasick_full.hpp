// The deterministic automaton of Aho and Corasick (1975, section 6): goto and supply functions are put together, so
// that each character of the text is read once and costs one step. A state from which no pattern goes on needs no row:
// after it the automaton goes on as after its supply state.
#pragma once

#include "lab/matchers/sets/set_trie.hpp"

namespace trawl::matchers::sets {

struct AhoCorasickFull {
  static constexpr SetFacts kFacts = {.name = "aho-corasick-full",
                                      .title = "A deterministic automaton of all patterns, one step for each character",
                                      .authors = "Aho and Corasick",
                                      .year = 1975};

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
  template <class Tables, class Text>
  TRAWL_HOST_DEVICE static std::uint32_t entry_before(const Tables& tables, const Text& text, std::uint64_t begin) {
    std::uint32_t entry = 0;
    for (std::uint64_t j = first_window(begin, tables.longest); j < begin; ++j) {
      entry = tables.next[(entry >> kMarkBits) + tables.classes[text[j]]];
    }
    return entry;
  }

  /// Reads text[j] and emits the patterns that end there.
  template <class Tables, class Text, class Emit>
  TRAWL_HOST_DEVICE static std::uint32_t step(const Tables& tables, const Text& text, std::uint32_t entry,
                                              std::uint64_t j, Emit&& emit) {
    const std::uint32_t place = (entry >> kMarkBits) + tables.classes[text[j]];
    const std::uint32_t next = tables.next[place];
    emit_patterns(
        next, tables.shorter, [&] { return tables.patterns[place]; }, j, emit);
    return next;
  }

  template <class Tables, class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Tables& tables, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    std::uint32_t entry = entry_before(tables, text, begin);
    for (std::uint64_t j = begin; j < end; ++j) {
      entry = step(tables, text, entry, j, emit);
    }
  }
};

}  // namespace trawl::matchers::sets
