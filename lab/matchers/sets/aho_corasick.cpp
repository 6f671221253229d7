#include "lab/matchers/sets/aho_corasick.hpp"

#include <algorithm>
#include <deque>

#include "base/error.hpp"

namespace trawl::matchers::sets {

bool SetTrie::is_leaf(std::uint32_t state) const {
  return std::ranges::all_of(row(state), [](std::uint32_t child) { return child == kNone; });
}

// Makes states level by level. The patterns are in order, so those that begin with the prefix of a state lie beside
// each other.
SetTrie make_set_trie(const PatternSet& set) {
  constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 30;
  struct Prefix {
    std::uint32_t begin, end;  // the patterns that begin with it
    std::uint64_t length;
  };
  SetTrie trie;
  std::deque<Prefix> waiting;  // of the states that are not complete
  trie.letters = letter_classes(set);
  trie.shorter.assign(set.size(), kNone);
  const auto add_state = [&](const Prefix& prefix, std::uint32_t supply) {
    if ((std::uint64_t{trie.states} + 1) * (trie.letters.count + 3u) > kMostEntries) {
      throw UsageError("the set of " + std::to_string(set.size()) + " patterns needs an automaton of more than " +
                       std::to_string(kMostEntries) + " entries; search it in parts");
    }
    ++trie.states;
    waiting.push_back(prefix);
    trie.supply.push_back(supply);
    trie.children.resize(trie.children.size() + trie.letters.count, kNone);
  };
  const auto child = [&](std::uint32_t state, unsigned letter) -> std::uint32_t& {
    return trie.children[std::uint64_t{state} * trie.letters.count + letter];
  };
  const auto supply_of_child = [&](std::uint32_t state, unsigned letter) {
    while (state != 0) {
      state = trie.supply[state];
      if (child(state, letter) != kNone) {
        return child(state, letter);
      }
    }
    return 0u;
  };

  add_state({0, set.size(), 0}, 0);
  for (std::uint32_t state = 0; !waiting.empty(); ++state) {
    auto [begin, end, length] = waiting.front();
    waiting.pop_front();
    const std::uint32_t suffix = state == 0 ? kNone : trie.pattern[trie.supply[state]];
    if (set[begin].size() == length) {
      trie.shorter[begin] = suffix;
      trie.pattern.push_back(begin++);
    } else {
      trie.pattern.push_back(suffix);
    }
    while (begin < end) {
      const char c = set[begin][length];
      std::uint32_t after = begin;
      while (after < end && set[after][length] == c) {
        ++after;
      }
      const unsigned letter = trie.letters.of[static_cast<unsigned char>(c)];
      child(state, letter) = trie.states;
      add_state({begin, after, length + 1}, supply_of_child(state, letter));
      begin = after;
    }
  }
  return trie;
}

}  // namespace trawl::matchers::sets
