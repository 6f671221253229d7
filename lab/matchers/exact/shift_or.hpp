// Shift-Or (Baeza-Yates and Gonnet 1992, "A new approach to text searching"): exact matching with one word of state,
// one column (text position) at a time. Bit i of the state is 0 if the first i + 1 pattern characters match and end at
// the current text position.
#pragma once

#include "lab/matchers/matcher.hpp"
#include "lab/matchers/pattern_masks.hpp"
#include "lab/matchers/word_prefix.hpp"

namespace trawl::matchers {

/// The recurrence.
///
///   auto state = ShiftOrColumn<std::uint64_t>::start();
///   for each text character c:  state = ShiftOrColumn<std::uint64_t>::step(state, masks[c]);
///                               if (ShiftOrColumn<std::uint64_t>::matches(state, m)) ...  // an occurrence ends here
///
/// masks[c] has bit i = 0 if pattern character i matches c (fill_pattern_masks()).
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
                                          .code = "so",
                                          .title = "One bit-parallel word that is shifted and ored with a mask",
                                          .authors = "Baeza-Yates and Gonnet",
                                          .year = 1992,
                                          .limits = kPrefixLimit};

  struct Table {
    std::uint64_t masks[256];
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_pattern_masks(word_prefix(pattern), table.masks);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    using Column = ShiftOrColumn<std::uint64_t>;
    const WordPrefix prefix(table.pattern.m);
    const std::uint64_t first = first_window(begin, table.pattern.m);
    const std::uint64_t last = prefix.last_end(end);
    std::uint64_t state = Column::start();
    for (std::uint64_t j = first; j < last; ++j) {
      state = Column::step(state, table.masks[text[j]]);
      if (Column::matches(state, prefix.length)) {
        prefix.verify(table.pattern, text, j, emit);
      }
    }
  }
};

}  // namespace trawl::matchers
