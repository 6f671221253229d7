// Shift-Or (Baeza-Yates and Gonnet 1992): exact matching with one word of state, one column (text position) at a time.
// Bit i of the state is 0 if the first i + 1 pattern characters match and end at the current text position.
#pragma once

#include "matchers/matcher.hpp"
#include "matchers/pattern_masks.hpp"

namespace trawl::matchers {

/// The recurrence.
///
///   auto state = ShiftOrColumn<std::uint64_t>::start();
///   for each text character c:  state = ShiftOrColumn<std::uint64_t>::step(state, masks[c]);
///                               if (ShiftOrColumn<std::uint64_t>::matches(state, m)) ...  // an occurrence ends here
///
/// masks[c] has bit i = 0 if pattern character i matches c (pattern_masks()).
template <class Word>
struct ShiftOrColumn {
  TRAWL_HOST_DEVICE static constexpr Word start() { return static_cast<Word>(~Word{0}); }

  TRAWL_HOST_DEVICE static constexpr Word step(Word state, Word mask) {
    return static_cast<Word>(static_cast<Word>(state << 1) | mask);
  }

  /// `m`: pattern length, from 1 to the number of bits of a word.
  TRAWL_HOST_DEVICE static constexpr bool matches(Word state, unsigned m) { return ((state >> (m - 1)) & 1) == 0; }
};

struct ShiftOr {
  static constexpr MatcherFacts kFacts = {.name = "shift-or",
                                          .title = "Exact matching by one bit-parallel word",
                                          .paper = "Baeza-Yates and Gonnet 1992",
                                          .longest = 64};

  struct Table {
    std::uint32_t m;
    std::uint64_t masks[256];
  };

  static Table prepare(std::string_view pattern) {
    Table table{};
    table.m = static_cast<std::uint32_t>(pattern.size());
    fill_pattern_masks(pattern, table.masks);
    return table;
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    using Column = ShiftOrColumn<std::uint64_t>;
    std::uint64_t state = Column::start();
    for (std::uint64_t j = first_column(begin, table.m, 0); j < end; ++j) {
      state = Column::step(state, table.masks[text[j]]);
      if (j >= begin && Column::matches(state, table.m)) {
        emit(j);
      }
    }
  }
};

}  // namespace trawl::matchers
