// Q-gram filter: looks only at one q-gram of each window (sampled_q_grams.hpp), in a table of bits that stays in the
// nearest cache, and compares the windows that have a q-gram of the pattern there. The steps grow with the pattern, so
// that of a text much less than all is read. This is Trawl's own form of the idea of Wu and Manber's block shifts.
#pragma once

#include "lab/matchers/packed/place_filter.hpp"
#include "lab/matchers/packed/sampled_q_grams.hpp"

namespace trawl::matchers {

struct QGramFilter {
  static constexpr MatcherFacts kFacts = {.name = "q-gram-filter",
                                          .code = "qgram",
                                          .title = "Looks up one q-gram of each window; reads a part of the text only",
                                          .authors = "Trawl",
                                          .limits = "m < 16: searches as rare-bytes"};

  struct Table {
    packed::PlaceFilter filter;  // for short patterns
    packed::QGramTable grams;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, std::string_view text, Table& table) {
    const auto m = static_cast<std::uint32_t>(pattern.size());
    table.pattern.set(pattern);
    if (m < 16) {
      table.filter = packed::choose_places(pattern, text);
    } else if (m < 48) {
      table.grams.prepare<8>(pattern, m - 7, packed::QGramTable::kListBits, true);
    } else {
      table.grams.prepare<16>(pattern, m - 15, packed::QGramTable::kListBits, true);
    }
  }

  template <class Emit>
  static void search(const Table& table, std::string_view text, std::uint64_t begin, std::uint64_t end, Emit&& emit) {
    if (table.grams.q == 0) {
      packed::search_with_places(table.filter, table.pattern, text, begin, end, emit);
    } else if (table.grams.q == 8) {
      table.grams.search<8, true>(table.pattern, text, begin, end, emit);
    } else {
      table.grams.search<16, true>(table.pattern, text, begin, end, emit);
    }
  }
};

}  // namespace trawl::matchers
