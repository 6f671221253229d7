// Forward backward oracle matching (Faro and Lecroq 2009): extended backward oracle matching that looks at the window's
// last character and the one after it. If the last one cannot end the pattern, both belong to the next windows, so the
// pair table gives the oracle's state after both, and a window is moved by up to m + 1 characters.
#pragma once

#include "matchers/oracle_pairs.hpp"

namespace trawl::matchers {

struct ForwardBackwardOracle {
  static constexpr MatcherFacts kFacts = {.name = "forward-backward-oracle",
                                          .code = "fbom",
                                          .title = "Backward oracle that also looks at the character after the window",
                                          .authors = "Faro and Lecroq",
                                          .year = 2009};

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
    set_forward_pairs(pattern, table.oracle, [&](unsigned char a, unsigned char b, std::uint32_t state) {
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
    scan_forward_pairs(table.oracle, table.m, pair, text, begin, end, emit);
  }
};

}  // namespace trawl::matchers
