// GBPR, the baseline of cuShiftOr (Mitani, Ino and Hagihara 2017, section 3): each 8 characters are searched
// separately. A thread runs Shift-Or or Wu-Manber on its 8 characters. To be right from the first of them, it begins m
// + k - 1 characters earlier, rounded up to whole loads of alpha characters. In the paper alpha is 1, and 4 or 8 for
// its tiled kernels.
#pragma once

#include <algorithm>
#include <cstddef>

#include "lab/matchers/matcher.hpp"
#include "lab/matchers/pattern_masks.hpp"
#include "lab/matchers/wu_manber.hpp"

namespace trawl::matchers {

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
  };

  static void prepare(std::string_view pattern, unsigned max_edits, unsigned alpha, Table& table) {
    table.m = static_cast<std::uint32_t>(pattern.size());
    table.max_edits = max_edits;
    table.alpha = alpha;
    table.m <= 32 ? fill_pattern_masks(pattern, table.masks32) : fill_pattern_masks(pattern, table.masks64);
  }

  static std::size_t table_bytes(const Table& table) {
    return offsetof(Table, masks32) + (table.m <= 32 ? sizeof table.masks32 : sizeof table.masks64);
  }

  // One variant for each alpha, word and number of edits.
  static constexpr unsigned kEditsVariants = kFacts.most_edits + 1;
  static constexpr unsigned kVariants = 3 * 2 * kEditsVariants;
  static unsigned variant(const Table& table) {
    const unsigned alpha = table.alpha == 1 ? 0 : table.alpha == 4 ? 1 : 2;
    return (alpha * 2 + (table.m > 32)) * kEditsVariants + table.max_edits;
  }

  template <unsigned kVariant, class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    constexpr unsigned kEdits = kVariant % kEditsVariants;
    constexpr unsigned kAlpha = kFacts.alphas[kVariant / kEditsVariants / 2];
    if constexpr (kVariant / kEditsVariants % 2 == 0) {
      scan_words<kEdits, kAlpha>(table.masks32, table.m, text, begin, end, emit);
    } else {
      scan_words<kEdits, kAlpha>(table.masks64, table.m, text, begin, end, emit);
    }
  }

 private:
  template <unsigned kEdits, unsigned kAlpha, class Word, class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan_words(const Word* masks, unsigned m, const Text& text, std::uint64_t begin,
                                           std::uint64_t end, Emit&& emit) {
    using Column = WuManberColumn<Word>;
    const unsigned reach = (m - 1 + kEdits + kAlpha - 1) / kAlpha * kAlpha;
    for (std::uint64_t segment = begin / kSegment * kSegment; segment < end; segment += kSegment) {
      Word levels[kEdits + 1];
      Column::start(levels, kEdits);
      for (std::uint64_t j = segment > reach ? segment - reach : 0; j < segment; j += kAlpha) {
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
