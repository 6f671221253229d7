// Simplified extended backward oracle matching (Fan, Yao and Ma 2009, "Fast variants of the backward-oracle-marching
// algorithm"): extended backward oracle matching whose pair table is one array with the index 256 a + b over all
// characters, as in SMART. This takes one step less than a table with two dimensions over the pattern's letters, but
// 128 KB.
#pragma once

#include "lab/matchers/oracle_pairs.hpp"

namespace trawl::matchers {

struct SimplifiedExtendedBackwardOracle {
  static constexpr MatcherFacts kFacts = {.name = "simplified-extended-backward-oracle",
                                          .code = "sebom",
                                          .title = "extended-backward-oracle with one flat array of pairs",
                                          .authors = "Fan, Yao and Ma",
                                          .year = 2009,
                                          .limits = "m = 1: looks at the same character twice"};

  struct Table {
    std::uint32_t m;
    std::uint16_t pairs[256 * 256];
    TransitionTable<kOracleStates> oracle;

    void set(std::string_view pattern) {
      m = static_cast<std::uint32_t>(pattern.size());
      oracle.set_letters(pattern);
      add_reversed_oracle(pattern, oracle);
    }
    void set_pair(unsigned char a, unsigned char b, std::uint16_t state) { pairs[256u * a + b] = state; }
    TRAWL_HOST_DEVICE std::uint32_t pair(unsigned char a, unsigned char b) const { return pairs[256u * a + b]; }
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
