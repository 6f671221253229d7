// Extended backward oracle matching (Faro and Lecroq 2009, "Efficient variants of the backward-oracle-matching
// algorithm"): backward oracle matching reads each window from right to left with the factor oracle of the reversed
// pattern. A table with two dimensions, over the letters of the pattern, gives the oracle's state after the last two
// characters; most windows are left after one look at it.
#pragma once

#include "lab/matchers/oracle_pairs.hpp"

namespace trawl::matchers {

struct ExtendedBackwardOracle {
  static constexpr MatcherFacts kFacts = {.name = "extended-backward-oracle",
                                          .code = "ebom",
                                          .title = "Reads windows backward with an oracle, two characters first",
                                          .authors = "Faro and Lecroq",
                                          .year = 2009,
                                          .limits = "m = 1: looks at the same character twice"};

  struct Table {
    std::uint32_t m;
    std::uint32_t pairs;  // the row of the pairs with the letter of column 0
    TransitionTable<kOracleStates + 256> oracle;

    void set(std::string_view pattern) {
      m = static_cast<std::uint32_t>(pattern.size());
      oracle.set_letters(pattern);
      add_reversed_oracle(pattern, oracle);
      pairs = oracle.add_rows(oracle.row_cells());
    }
    TRAWL_HOST_DEVICE std::uint32_t index(unsigned char a, unsigned char b) const {
      return oracle.index(pairs + oracle.column[a], b);
    }
    void set_pair(unsigned char a, unsigned char b, std::uint16_t state) { oracle.cells[index(a, b)] = state; }
    TRAWL_HOST_DEVICE std::uint32_t pair(unsigned char a, unsigned char b) const { return oracle.cells[index(a, b)]; }
  };
  static std::size_t table_bytes(const Table& table) { return sizeof table - table.oracle.unused_bytes(); }

  static void prepare(std::string_view pattern, Table& table) {
    table.set(pattern);
    set_oracle_pairs(pattern, table);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    scan_oracle_pairs(table, text, begin, end, emit);
  }
};

}  // namespace trawl::matchers
