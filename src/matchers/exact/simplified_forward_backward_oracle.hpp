// Simplified forward backward oracle matching (Fan, Yao and Ma 2009): forward backward oracle matching whose pair table
// is one array with the index 256 a + b over all characters, as in SMART. This takes one step less than a table with
// two dimensions over the pattern's letters, but 128 KB.
#pragma once

#include "matchers/oracle_pairs.hpp"

namespace trawl::matchers {

struct SimplifiedForwardBackwardOracle {
  static constexpr MatcherFacts kFacts = {.name = "simplified-forward-backward-oracle",
                                          .code = "sfbom",
                                          .title = "forward-backward-oracle with one flat array of pairs",
                                          .authors = "Fan, Yao and Ma",
                                          .year = 2009};

  struct Table {
    std::uint32_t m;
    std::uint16_t pairs[256 * 256];
    TransitionTable<kOracleStates> oracle;
  };

  static void prepare(std::string_view pattern, Table& table) {
    table.m = static_cast<std::uint32_t>(pattern.size());
    table.oracle.set_letters(pattern);
    add_reversed_oracle(pattern, table.oracle);
    set_forward_pairs(pattern, table.oracle, [&](unsigned char a, unsigned char b, std::uint32_t state) {
      table.pairs[256u * a + b] = static_cast<std::uint16_t>(state);
    });
  }
  static std::size_t table_bytes(const Table& table) { return sizeof table - table.oracle.unused_bytes(); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const auto pair = [&](unsigned char a, unsigned char b) { return table.pairs[256u * a + b]; };
    scan_forward_pairs(table.oracle, table.m, pair, text, begin, end, emit);
  }
};

}  // namespace trawl::matchers
