#include "lab/matchers/sets/aho_corasick.hpp"

#include <algorithm>
#include <deque>

#include "base/error.hpp"

namespace trawl::matchers::sets {

namespace {

// Makes states level by level. The patterns are in order, so those that begin with the prefix of a state lie beside
// each other.
class Builder {
 public:
  explicit Builder(const PatternSet& set) : set_(set) {
    trie_.letters = letter_classes(set);
    trie_.shorter.assign(set.size(), kNone);
  }

  SetTrie build() && {
    add_state({0, set_.size(), 0}, 0);
    for (std::uint32_t state = 0; !waiting_.empty(); ++state) {
      const Prefix prefix = waiting_.front();
      waiting_.pop_front();
      complete(state, prefix);
    }
    return std::move(trie_);
  }

 private:
  struct Prefix {
    std::uint32_t begin, end;  // the patterns that begin with it
    std::uint64_t length;
  };

  void add_state(const Prefix& prefix, std::uint32_t supply) {
    if ((std::uint64_t{trie_.states} + 1) * (trie_.letters.count + 3u) > kMostEntries) {
      throw UsageError("the set of " + std::to_string(set_.size()) + " patterns needs an automaton of more than " +
                       std::to_string(kMostEntries) + " entries; search it in parts");
    }
    ++trie_.states;
    waiting_.push_back(prefix);
    trie_.supply.push_back(supply);
    trie_.children.resize(trie_.children.size() + trie_.letters.count, kNone);
  }

  std::uint32_t child(std::uint32_t state, unsigned letter) const {
    return trie_.children[std::uint64_t{state} * trie_.letters.count + letter];
  }

  // The patterns that end in a state, and its children.
  void complete(std::uint32_t state, Prefix prefix) {
    auto& [begin, end, length] = prefix;
    const std::uint32_t suffix = state == 0 ? kNone : trie_.pattern[trie_.supply[state]];
    if (set_[begin].size() == length) {
      trie_.shorter[begin] = suffix;
      trie_.pattern.push_back(begin++);
    } else {
      trie_.pattern.push_back(suffix);
    }
    while (begin < end) {
      const char c = set_[begin][length];
      std::uint32_t after = begin;
      while (after < end && set_[after][length] == c) {
        ++after;
      }
      const unsigned letter = trie_.letters.of[static_cast<unsigned char>(c)];
      trie_.children[std::uint64_t{state} * trie_.letters.count + letter] = trie_.states;
      add_state({begin, after, length + 1}, supply_of_child(state, letter));
      begin = after;
    }
  }

  std::uint32_t supply_of_child(std::uint32_t state, unsigned letter) const {
    while (state != 0) {
      state = trie_.supply[state];
      if (child(state, letter) != kNone) {
        return child(state, letter);
      }
    }
    return 0;
  }

  static constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 30;

  const PatternSet& set_;
  SetTrie trie_;
  std::deque<Prefix> waiting_;  // of the states that are not complete
};

}  // namespace

bool SetTrie::is_leaf(std::uint32_t state) const {
  return std::ranges::all_of(row(state), [](std::uint32_t child) { return child == kNone; });
}

SetTrie make_set_trie(const PatternSet& set) { return Builder(set).build(); }

}  // namespace trawl::matchers::sets
