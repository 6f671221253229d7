// EPSM, exact packed string matching (Faro and Kulekci 2013): compares the characters of a word at once. Short patterns
// (m < 4) are compared completely, with one shifted comparison for each character; of longer ones (m < 16) the first
// four characters, then the rest; of long ones (m >= 16) every floor(m / 8) - 1st block of 8 characters is looked up by
// a hash of 11 bits. In place of the publication's instructions mpsadbw and crc32 it has comparisons of bytes and a
// multiplication, so that it runs on any machine.
#pragma once

#include "lab/matchers/packed/place_filter.hpp"
#include "lab/matchers/packed/sampled_q_grams.hpp"

namespace trawl::matchers {

struct Epsm {
  static constexpr MatcherFacts kFacts = {.name = "epsm",
                                          .code = "epsm",
                                          .title = "Compares packed characters; hashes blocks for long patterns",
                                          .authors = "Faro and Kulekci",
                                          .year = 2013};

  struct Table {
    packed::PlaceFilter filter;  // for m < 16
    packed::QGramTable grams;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    constexpr unsigned kPrefix = 4, kBlock = 8, kHashBits = 11;
    const auto m = static_cast<std::uint32_t>(pattern.size());
    table.pattern.set(pattern);
    if (m < 2 * kBlock) {
      table.filter = packed::first_places(pattern, std::min(m, kPrefix));
    } else {
      table.grams.prepare<kBlock>(pattern, kBlock * (m / kBlock - 1), kHashBits, false);
    }
  }

  template <class Emit>
  static void search(const Table& table, std::string_view text, std::uint64_t begin, std::uint64_t end, Emit&& emit) {
    if (table.grams.q == 0) {
      packed::search_with_places(table.filter, table.pattern, text, begin, end, emit);
    } else {
      table.grams.search<8, false>(table.pattern, text, begin, end, emit);
    }
  }
};

}  // namespace trawl::matchers
