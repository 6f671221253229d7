// Rare bytes: compares a few places of the pattern with 16 to 64 windows at once, and the whole pattern where they
// agree. The places are those that are together rarest in samples of this text. This is Trawl's own; filters of two
// bytes (the first and the last, or the two rarest) are common.
#pragma once

#include "lab/matchers/packed/place_filter.hpp"

namespace trawl::matchers {

struct RareBytes {
  static constexpr MatcherFacts kFacts = {.name = "rare-bytes",
                                          .code = "rare",
                                          .title = "Compares the rarest places of the pattern in 64 windows at once",
                                          .authors = "Trawl"};

  struct Table {
    packed::PlaceFilter filter;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, std::string_view text, Table& table) {
    table.filter = packed::choose_places(pattern, text);
    table.pattern.set(pattern);
  }

  template <class Emit>
  static void search(const Table& table, std::string_view text, std::uint64_t begin, std::uint64_t end, Emit&& emit) {
    packed::search_with_places(table.filter, table.pattern, text, begin, end, emit);
  }
};

}  // namespace trawl::matchers
