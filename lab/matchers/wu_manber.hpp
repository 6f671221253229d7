// Wu-Manber (1992) by columns: matching with up to k edits, with k + 1 words of state, one text position at a time. Bit
// i of level d is 0 if the first i + 1 pattern characters match with at most d edits and end at the current text
// position. As in Shift-Or, 0 means a match. With R the old and R' the new column,
//   R'_0 = (R_0 << 1) | mask
//   R'_d = ((R_d << 1) | mask) & R_{d-1} & (R_{d-1} << 1) & (R'_{d-1} << 1)       d = 1..k
//           match                insertion  substitution       deletion            (in the text)
#pragma once

#include "lab/matchers/matcher.hpp"
#include "lab/matchers/pattern_masks.hpp"

namespace trawl::matchers {

/// The recurrence, for the max_edits + 1 words in `levels`.
template <class Word>
struct WuManberColumn {
  /// The column before the first text position: in level d the first d bits are 0 (d pattern characters deleted).
  TRAWL_HOST_DEVICE static constexpr void start(Word* levels, unsigned max_edits) {
    levels[0] = static_cast<Word>(~Word{0});
    for (unsigned d = 1; d <= max_edits; ++d) {
      levels[d] = static_cast<Word>(levels[d - 1] << 1);
    }
  }

  /// Moves on by one text position. `mask` has bit i = 0 if pattern character i matches it.
  TRAWL_HOST_DEVICE static constexpr void step(Word* levels, unsigned max_edits, Word mask) {
    Word before = levels[0];
    levels[0] = static_cast<Word>(static_cast<Word>(before << 1) | mask);
    for (unsigned d = 1; d <= max_edits; ++d) {
      const Word old = levels[d];
      levels[d] = static_cast<Word>((static_cast<Word>(old << 1) | mask) & before & static_cast<Word>(before << 1) &
                                    static_cast<Word>(levels[d - 1] << 1));
      before = old;
    }
  }

  /// Whether a match with at most d edits ends here; `level` is that of d. `m`: pattern length, 1 to the bits of a
  /// word.
  TRAWL_HOST_DEVICE static constexpr bool matches(Word level, unsigned m) { return ((level >> (m - 1)) & 1) == 0; }

  /// The smallest d for which a match ends here, or max_edits + 1.
  TRAWL_HOST_DEVICE static constexpr unsigned distance(const Word* levels, unsigned max_edits, unsigned m) {
    for (unsigned d = 0; d <= max_edits; ++d) {
      if (matches(levels[d], m)) {
        return d;
      }
    }
    return max_edits + 1;
  }
};

struct WuManber {
  static constexpr MatcherFacts kFacts = {.name = "wu-manber",
                                          .title = "Matching with edits by bit-parallel columns",
                                          .authors = "Wu and Manber",
                                          .year = 1992,
                                          .longest = 64,
                                          .most_edits = 8};

  struct Table {
    std::uint32_t m;
    std::uint32_t max_edits;
    std::uint64_t masks[256];
  };

  static void prepare(std::string_view pattern, unsigned max_edits, Table& table) {
    table.m = static_cast<std::uint32_t>(pattern.size());
    table.max_edits = max_edits;
    fill_pattern_masks(pattern, table.masks);
  }

  // One variant for each number of edits, so that the levels stay in registers.
  static constexpr unsigned kVariants = kFacts.most_edits + 1;
  static unsigned variant(const Table& table) { return table.max_edits; }

  template <unsigned kEdits, class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    using Column = WuManberColumn<std::uint64_t>;
    std::uint64_t levels[kEdits + 1];
    Column::start(levels, kEdits);
    for (std::uint64_t j = first_column(begin, table.m, kEdits); j < end; ++j) {
      Column::step(levels, kEdits, table.masks[text[j]]);
      if (j >= begin && Column::matches(levels[kEdits], table.m)) {
        emit(j, Column::distance(levels, kEdits, table.m));
      }
    }
  }
};

}  // namespace trawl::matchers
