// The trie of a set of patterns with the supply function, from which both machines of Aho and Corasick are made. A
// state stands for a prefix of patterns. States are numbered by their length, so the root is 0 and the supply of a
// state has a smaller number.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/host_device.hpp"
#include "lab/matchers/sets/letter_classes.hpp"
#include "lab/matchers/sets/pattern_set.hpp"
#include "lab/matchers/sets/set_matcher.hpp"

namespace trawl::matchers {

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
template <class Shorter, class Pattern, class Emit>
TRAWL_HOST_DEVICE inline void emit_patterns(std::uint32_t entry, const Shorter& shorter, Pattern&& pattern,
                                            std::uint64_t j, Emit&& emit) {
  if (entry & kAccepts) {
    emit(pattern(), j);
  }
  if (entry & kMore) {
    for (std::uint32_t p = shorter[pattern()]; p != kNone; p = shorter[p]) {
      emit(p, j);
    }
  }
}

}  // namespace trawl::matchers
