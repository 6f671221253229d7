// Deterministic automaton (Aho, Hopcroft and Ullman 1974, "The design and analysis of computer algorithms"): state s
// means that the longest prefix of the pattern that ends here has s characters. Each character of the text is read once
// and costs one step in the table of all states and characters.
#pragma once

#include <algorithm>

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct Automaton {
  static constexpr MatcherFacts kFacts = {.name = "automaton",
                                          .code = "dfa",
                                          .title = "A deterministic automaton, one step for each character",
                                          .authors = "Aho, Hopcroft and Ullman",
                                          .year = 1974};

  struct Table {
    std::uint32_t m;
    std::uint16_t next[kLongestPattern + 1][256];
  };
  static std::size_t table_bytes(const Table& table) {
    return offsetof(Table, next) + (table.m + 1) * sizeof table.next[0];
  }

  static void prepare(std::string_view pattern, Table& table) {
    table.m = static_cast<std::uint32_t>(pattern.size());
    unsigned border = 0;  // the state after the pattern's prefix without its first character
    for (unsigned state = 0; state <= table.m; ++state) {
      std::copy(table.next[border], table.next[border] + 256, table.next[state]);
      if (state < table.m) {
        const auto letter = static_cast<unsigned char>(pattern[state]);
        border = state == 0 ? 0 : table.next[border][letter];
        table.next[state][letter] = static_cast<std::uint16_t>(state + 1);
      }
    }
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.m;
    std::uint32_t state = 0;
    for (std::uint64_t j = first_window(begin, m); j < end; ++j) {
      state = table.next[state][text[j]];
      if (state == m) {
        emit(j);
      }
    }
  }
};

}  // namespace trawl::matchers
