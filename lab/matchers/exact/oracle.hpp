// Backward oracle matchers: they read each window from right to left with the factor oracle of the reversed pattern. A
// table of pairs of characters gives the oracle's state after two of them, so that most windows are left after one
// look. The matchers differ in how they store the pairs, and in which pairs they take: the last two characters of the
// window, or (forward pairs) its last and the one after it.
#pragma once

#include "lab/matchers/exact/automata.hpp"

namespace trawl::matchers {

/// A table whose pairs are over the letters of the pattern, in rows after those of the oracle.
struct OracleLetterPairs {
  std::uint32_t m;
  std::uint32_t pairs;  // the row of the pairs with the letter of column 0
  TransitionTable<kOracleStates + 256> automaton;

  void make_pairs() { pairs = automaton.add_rows(automaton.row_cells()); }
  TRAWL_HOST_DEVICE std::uint32_t index(unsigned char a, unsigned char b) const {
    return automaton.index(pairs + automaton.column[a], b);
  }
  void set_pair(unsigned char a, unsigned char b, std::uint16_t state) { automaton.cells[index(a, b)] = state; }
  TRAWL_HOST_DEVICE std::uint32_t pair(unsigned char a, unsigned char b) const { return automaton.cells[index(a, b)]; }
};

/// A table whose pairs are one array with the index 256 a + b over all characters, as in SMART. This takes one step
/// less than OracleLetterPairs, but 128 KB.
struct OracleFlatPairs {
  std::uint32_t m;
  std::uint16_t pairs[256 * 256];
  TransitionTable<kOracleStates> automaton;

  void make_pairs() {}
  void set_pair(unsigned char a, unsigned char b, std::uint16_t state) { pairs[256u * a + b] = state; }
  TRAWL_HOST_DEVICE std::uint32_t pair(unsigned char a, unsigned char b) const { return pairs[256u * a + b]; }
};

/// Calls set(first, second, state) for the pairs of characters that the oracle of the reversed pattern reads. A pattern
/// of one letter counts as a pair: the letter twice.
void for_each_oracle_pair(std::string_view pattern, const auto& oracle, auto&& set) {
  for (unsigned pair = 0; pair < 256 * 256; ++pair) {
    const auto first = static_cast<unsigned char>(pair >> 8), second = static_cast<unsigned char>(pair);
    const std::uint16_t state = oracle.at(0, first);
    if (state == 0) {
      pair |= 255;  // to the next first character
    } else if (pattern.size() == 1 && first == second) {
      set(first, second, state);
    } else if (oracle.at(state, second) != 0) {
      set(first, second, oracle.at(state, second));
    }
  }
}

/// table.pair(last, before) is the oracle's state after a window's last character and the one before it, or 0: then the
/// next window begins with the last character.
template <class Pairs>
struct OraclePairSearch : Pairs {
  static void prepare(std::string_view pattern, Pairs& table) {
    add_reversed_oracle(pattern, table.automaton);
    table.make_pairs();
    for_each_oracle_pair(pattern, table.automaton, [&](unsigned char last, unsigned char before, std::uint16_t state) {
      table.set_pair(last, before, state);
    });
  }

  TRAWL_HOST_DEVICE static void scan(const Pairs& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.m, before = m > 1 ? m - 2 : 0;
    for (Index window = first_window(begin, m); window + m <= end;) {
      const std::uint32_t state = table.pair(text[window + m - 1], text[window + before]);
      if (state == 0) {
        window += before + 1;
        continue;
      }
      const std::uint32_t left = read_to_left(table.automaton, text, window, state, before);
      if (left == 0) {
        emit(window + m - 1);
      }
      window += left > 0 ? left : 1;
    }
  }
};

/// table.pair(last, after) is for a window's last character and the one after it. If `last` ends the pattern, it is the
/// state after `last`; otherwise this window cannot match and only the next ones are of interest: it is the state after
/// both, or kBeginsAfter: no match contains both, but one may begin with the second. For a pair that is 0, the next
/// window begins after both.
template <class Pairs>
struct OracleForwardPairSearch : Pairs {
  static constexpr std::uint16_t kBeginsAfter = 0xFFFF;

  static void prepare(std::string_view pattern, Pairs& table) {
    add_reversed_oracle(pattern, table.automaton);
    table.make_pairs();
    const auto first = static_cast<unsigned char>(pattern.front()), last = static_cast<unsigned char>(pattern.back());
    for (unsigned c = 0; c < 256; ++c) {
      table.set_pair(static_cast<unsigned char>(c), first, kBeginsAfter);
    }
    if (pattern.size() > 1) {
      for_each_oracle_pair(pattern, table.automaton,
                           [&](unsigned char after, unsigned char before, std::uint16_t state) {
                             table.set_pair(before, after, state);
                           });
    }
    for (unsigned c = 0; c < 256; ++c) {
      table.set_pair(last, static_cast<unsigned char>(c), table.automaton.at(0, last));
    }
  }

  TRAWL_HOST_DEVICE static void scan(const Pairs& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.m;
    Index window = first_window(begin, m);
    while (window + m < end) {
      const std::uint32_t state = table.pair(text[window + m - 1], text[window + m]);
      if (state == 0) {
        window += m + 1;
        continue;
      }
      if (state == kBeginsAfter) {
        window += m;
        continue;
      }
      const std::uint32_t left = read_to_left(table.automaton, text, window, state, m - 1);
      if (left == 0) {
        emit(window + m - 1);
      }
      window += left > 0 ? left : 1;
    }
    // The last window has nothing after it.
    if (window + m == end && read_to_left(table.automaton, text, window, 0, m) == 0) {
      emit(end - 1);
    }
  }
};

/// Extended backward oracle matching (Faro and Lecroq 2009, "Efficient variants of the backward-oracle-matching
/// algorithm").
struct ExtendedBackwardOracle : OraclePairSearch<OracleLetterPairs> {
  static constexpr MatcherFacts kFacts = {"extended-backward-oracle", "ebom",
                                          "Reads windows backward with an oracle, two characters first", 2009,
                                          "m = 1: looks at the same character twice"};
};

/// Simplified extended backward oracle matching (Fan, Yao and Ma 2009, "Fast variants of the backward-oracle-marching
/// algorithm").
struct SimplifiedExtendedBackwardOracle : OraclePairSearch<OracleFlatPairs> {
  static constexpr MatcherFacts kFacts = {"simplified-extended-backward-oracle", "sebom",
                                          "extended-backward-oracle with one flat array of pairs", 2009,
                                          "m = 1: looks at the same character twice"};
};

/// Forward backward oracle matching (Faro and Lecroq 2009): a window is moved by up to m + 1 characters.
struct ForwardBackwardOracle : OracleForwardPairSearch<OracleLetterPairs> {
  static constexpr MatcherFacts kFacts = {"forward-backward-oracle", "fbom",
                                          "Backward oracle that also looks at the character after the window", 2009};
};

/// Simplified forward backward oracle matching (Fan, Yao and Ma 2009).
struct SimplifiedForwardBackwardOracle : OracleForwardPairSearch<OracleFlatPairs> {
  static constexpr MatcherFacts kFacts = {"simplified-forward-backward-oracle", "sfbom",
                                          "forward-backward-oracle with one flat array of pairs", 2009};
};

}  // namespace trawl::matchers
