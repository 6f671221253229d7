// Forward backward oracle matching (Faro and Lecroq 2009, "Efficient variants of the backward-oracle-matching
// algorithm"): extended backward oracle matching that looks at the window's last character and the one after it. If the
// last one cannot end the pattern, both belong to the next windows, so the pair table gives the oracle's state after
// both, and a window is moved by up to m + 1 characters.
#pragma once

#include "lab/matchers/exact/extended_backward_oracle.hpp"

namespace trawl::matchers {

struct ForwardBackwardOracle {
  static constexpr MatcherFacts kFacts = {.name = "forward-backward-oracle",
                                          .code = "fbom",
                                          .title = "Backward oracle that also looks at the character after the window",
                                          .authors = "Faro and Lecroq",
                                          .year = 2009};

  using Table = ExtendedBackwardOracle::Table;
  static std::size_t table_bytes(const Table& table) { return ExtendedBackwardOracle::table_bytes(table); }

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
