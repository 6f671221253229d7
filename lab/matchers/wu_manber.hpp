// Wu-Manber (1992) by columns: matching with up to k edits, with k + 1 words of state, one text position at a time. Bit
// i of level d is 0 if the first i + 1 pattern characters match with at most d edits and end at the current text
// position. As in Shift-Or, 0 means a match. With R the old and R' the new column,
//   R'_0 = (R_0 << 1) | mask
//   R'_d = ((R_d << 1) | mask) & R_{d-1} & (R_{d-1} << 1) & (R'_{d-1} << 1)       d = 1..k
//           match                insertion  substitution       deletion            (in the text)
#pragma once

#include "lab/matchers/matcher.hpp"

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

  static void prepare(const MatcherSettings& settings, Table& table) {
    table.max_edits = settings.max_edits;
    fill_pattern_masks(settings.pattern, table.masks);
  }

  // One variant for each number of edits, so that the levels stay in registers.
  static constexpr unsigned kVariants = kFacts.most_edits + 1;
  static unsigned variant(const Table& table) { return table.max_edits; }

  template <unsigned kEdits>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const auto& text, Index begin, Index end, auto&& emit) {
    using Column = WuManberColumn<std::uint64_t>;
    std::uint64_t levels[kEdits + 1];
    Column::start(levels, kEdits);
    for (Index j = first_column(begin, table.m, kEdits); j < end; ++j) {
      Column::step(levels, kEdits, table.masks[text[j]]);
      if (j >= begin && Column::matches(levels[kEdits], table.m)) {
        emit(j);
      }
    }
  }
};

/// GBPR, the baseline of cuShiftOr (Mitani, Ino and Hagihara 2017, section 3): each 8 characters are searched
/// separately. A thread runs Shift-Or or Wu-Manber on its 8 characters. To be right from the first of them, it begins m
/// + k - 1 characters earlier, rounded up to whole loads of alpha characters. In the paper alpha is 1, and 4 or 8 for
/// its tiled kernels.
struct Gbpr {
  static constexpr MatcherFacts kFacts = {.name = "gbpr",
                                          .title = "cuShiftOr's baseline: bit-parallel columns, 8 characters a thread",
                                          .authors = "Mitani, Ino and Hagihara",
                                          .year = 2017,
                                          .longest = 64,
                                          .most_edits = 8,
                                          .alphas = {1, 4, 8}};
  static constexpr unsigned kSegment = 8;  // characters
  static constexpr unsigned kGpuStretch = kSegment;

  // Words of 32 bits are used if they are long enough: they need half the registers and half the bandwidth of shared
  // memory.
  struct Table {
    std::uint32_t m;
    std::uint32_t max_edits;
    std::uint32_t alpha;
    union {
      std::uint32_t masks32[256];
      std::uint64_t masks64[256];
    };
    std::size_t used_bytes() const { return offsetof(Table, masks32) + (m <= 32 ? sizeof masks32 : sizeof masks64); }
  };

  static void prepare(const MatcherSettings& s, Table& table) {
    table.max_edits = s.max_edits;
    table.alpha = s.alpha;
    table.m <= 32 ? fill_pattern_masks(s.pattern, table.masks32) : fill_pattern_masks(s.pattern, table.masks64);
  }

  // One variant for each alpha, word and number of edits.
  static constexpr unsigned kEditsVariants = kFacts.most_edits + 1;
  static constexpr unsigned kVariants = 3 * 2 * kEditsVariants;
  static unsigned variant(const Table& table) {
    const unsigned alpha = table.alpha == 1 ? 0 : table.alpha == 4 ? 1 : 2;
    return (alpha * 2 + (table.m > 32)) * kEditsVariants + table.max_edits;
  }

  template <unsigned kVariant>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const auto& text, Index begin, Index end, auto&& emit) {
    constexpr unsigned kEdits = kVariant % kEditsVariants;
    constexpr unsigned kAlpha = kFacts.alphas[kVariant / kEditsVariants / 2];
    if constexpr (kVariant / kEditsVariants % 2 == 0) {
      scan_words<kEdits, kAlpha>(table.masks32, table.m, text, begin, end, emit);
    } else {
      scan_words<kEdits, kAlpha>(table.masks64, table.m, text, begin, end, emit);
    }
  }

 private:
  template <unsigned kEdits, unsigned kAlpha, class Word>
  TRAWL_HOST_DEVICE static void scan_words(const Word* masks, unsigned m, const auto& text, Index begin, Index end,
                                           auto&& emit) {
    using Column = WuManberColumn<Word>;
    const unsigned reach = (m - 1 + kEdits + kAlpha - 1) / kAlpha * kAlpha;
    for (Index segment = begin / kSegment * kSegment; segment < end; segment += kSegment) {
      Word levels[kEdits + 1];
      Column::start(levels, kEdits);
      for (Index j = segment > reach ? segment - reach : 0; j < segment; j += kAlpha) {
        const auto characters = text.template load<kAlpha>(j);
        TRAWL_UNROLL
        for (unsigned i = 0; i < kAlpha; ++i) {
          Column::step(levels, kEdits, masks[characters[i]]);
        }
      }
      unsigned ends = 0;
      TRAWL_UNROLL
      for (unsigned j = 0; j < kSegment; j += kAlpha) {
        const auto characters = text.template load<kAlpha>(segment + j);
        TRAWL_UNROLL
        for (unsigned i = 0; i < kAlpha; ++i) {
          Column::step(levels, kEdits, masks[characters[i]]);
          ends |= static_cast<unsigned>(Column::matches(levels[kEdits], m)) << (j + i);
        }
      }
      if (ends != 0) {
        TRAWL_UNROLL
        for (unsigned i = 0; i < kSegment; ++i) {
          if (((ends >> i) & 1) != 0 && segment + i >= begin && segment + i < end) {
            emit(segment + i);
          }
        }
      }
    }
  }
};

}  // namespace trawl::matchers
