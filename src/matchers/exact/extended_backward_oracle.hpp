// Extended backward oracle matching (Faro and Lecroq 2009): backward oracle matching reads each window from right to
// left with the factor oracle of the reversed pattern. A table with two dimensions, over the letters of the pattern,
// gives the oracle's state after the last two characters; most windows are left after one look at it.
#pragma once

#include "matchers/oracle_pairs.hpp"

namespace trawl::matchers {

struct ExtendedBackwardOracle {
  static constexpr MatcherFacts kFacts = {.name = "extended-backward-oracle",
                                          .code = "ebom",
                                          .title = "Reads windows backwards with an oracle, two characters first",
                                          .authors = "Faro and Lecroq",
                                          .year = 2009,
                                          .limits = "m = 1: looks at the same character twice"};

  struct Table {
    std::uint32_t m;
    std::uint32_t pairs;  // the row of the pairs with the letter of column 0
    TransitionTable<kOracleStates + 256> oracle;
  };

  static void prepare(std::string_view pattern, Table& table) {
    table.m = static_cast<std::uint32_t>(pattern.size());
    table.oracle.set_letters(pattern);
    add_reversed_oracle(pattern, table.oracle);
    table.pairs = table.oracle.add_rows(table.oracle.row_cells());
    set_oracle_pairs(pattern, table.oracle, [&](unsigned char a, unsigned char b, std::uint32_t state) {
      table.oracle.cells[table.oracle.index(table.pairs + table.oracle.column[a], b)] =
          static_cast<std::uint16_t>(state);
    });
  }
  static std::size_t table_bytes(const Table& table) { return sizeof table - table.oracle.unused_bytes(); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const auto pair = [&](unsigned char a, unsigned char b) {
      return table.oracle.at(table.pairs + table.oracle.column[a], b);
    };
    scan_oracle_pairs(table.oracle, table.m, pair, text, begin, end, emit);
  }
};

}  // namespace trawl::matchers
