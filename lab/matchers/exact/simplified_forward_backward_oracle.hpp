// Simplified forward backward oracle matching (Fan, Yao and Ma 2009, "Fast variants of the backward-oracle-marching
// algorithm"): forward backward oracle matching whose pair table is one array with the index 256 a + b over all
// characters, as in SMART. This takes one step less than a table with two dimensions over the pattern's letters, but
// 128 KB.
#pragma once

#include "lab/matchers/exact/simplified_extended_backward_oracle.hpp"

namespace trawl::matchers {

struct SimplifiedForwardBackwardOracle {
  static constexpr MatcherFacts kFacts = {.name = "simplified-forward-backward-oracle",
                                          .code = "sfbom",
                                          .title = "forward-backward-oracle with one flat array of pairs",
                                          .authors = "Fan, Yao and Ma",
                                          .year = 2009};

  using Table = SimplifiedExtendedBackwardOracle::Table;
  static std::size_t table_bytes(const Table& table) { return SimplifiedExtendedBackwardOracle::table_bytes(table); }

  static void prepare(std::string_view pattern, Table& table) {
    table.set(pattern);
    set_forward_pairs(pattern, table);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    scan_forward_pairs(table, text, begin, end, emit);
  }
};

}  // namespace trawl::matchers
