// Forward nondeterministic DAWG matching (Holub and Durian 2005, talk "Fast variants of bit parallel approach to suffix
// automata"): starts at the window's last character with all positions of the pattern alive and reads to the right, as
// Shift-Or does, until no position is alive: then no match contains the current character, and the next window begins
// after it. While fewer than m characters were read, the beginning of a match still has to be compared.
#pragma once

#include "lab/matchers/exact/shift_or.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/word_prefix.hpp"

namespace trawl::matchers {

struct ForwardNondeterministicDawg {
  static constexpr MatcherFacts kFacts = {.name = "forward-nondeterministic-dawg",
                                          .code = "fndm",
                                          .title = "Shift-Or from each window's end, until no position is alive",
                                          .authors = "Holub and Durian",
                                          .year = 2005,
                                          .limits = kPrefixLimit};

  using Table = ShiftOr::Table;

  static void prepare(std::string_view pattern, Table& table) { ShiftOr::prepare(pattern, table); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    constexpr std::uint64_t kDead = ~std::uint64_t{0};
    const WordPrefix prefix(table.pattern.m);
    const std::uint32_t m = prefix.length;
    const std::uint64_t last = prefix.last_end(end);
    for (std::uint64_t j = first_window(begin, table.pattern.m) + m - 1; j < last; j += m) {
      std::uint64_t state = table.masks[text[j]];
      for (std::uint32_t unread = m - 1; state != kDead; unread -= unread > 0 ? 1 : 0) {
        if ((state >> (m - 1) & 1) == 0 && table.pattern.agrees(text, j + 1 - m, 0, unread)) {
          prefix.verify(table.pattern, text, j, emit);
        }
        if (++j >= last) {
          return;
        }
        state = state << 1 | table.masks[text[j]];
      }
    }
  }
};

}  // namespace trawl::matchers
