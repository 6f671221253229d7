// Shift-And (Baeza-Yates and Gonnet 1992, "A new approach to text searching", in the form of Wu and Manber 1992): bit i
// of the state is 1 if the first i + 1 pattern characters match and end at the current text position. It is Shift-Or
// with the bits inverted: a new match must be started in each step, where Shift-Or gets it from the shift.
#pragma once

#include "lab/matchers/exact/shift_or.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/word_prefix.hpp"

namespace trawl::matchers {

struct ShiftAnd {
  static constexpr MatcherFacts kFacts = {.name = "shift-and",
                                          .code = "sa",
                                          .title = "One bit-parallel word that is shifted and masked",
                                          .authors = "Baeza-Yates and Gonnet",
                                          .year = 1992,
                                          .limits = kPrefixLimit};

  using Table = ShiftOr::Table;

  static void prepare(std::string_view pattern, Table& table) {
    ShiftOr::prepare(pattern, table);
    for (std::uint64_t& mask : table.masks) {
      mask = ~mask;
    }
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const WordPrefix prefix(table.pattern.m);
    const std::uint64_t last = prefix.last_end(end);
    const std::uint64_t whole = std::uint64_t{1} << (prefix.length - 1);
    std::uint64_t state = 0;
    for (std::uint64_t j = first_window(begin, table.pattern.m); j < last; ++j) {
      state = (state << 1 | 1) & table.masks[text[j]];
      if ((state & whole) != 0) {
        prefix.verify(table.pattern, text, j, emit);
      }
    }
  }
};

}  // namespace trawl::matchers
