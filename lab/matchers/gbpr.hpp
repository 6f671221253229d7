// GBPR, the baseline of cuShiftOr (Mitani, Ino and Hagihara 2017, section 3): each 8 characters of the text are
// searched separately, by Wu-Manber's columns (1992; with no edits Shift-Or's). To be right from the first of the 8, it
// begins m + k - 1 characters earlier, rounded up to whole loads of alpha characters. In the paper alpha is 1, and 4 or
// 8 for its tiled kernels.
//
// Bit i of level d is 0 if the first i + 1 pattern characters match with at most d edits and end at the current text
// position. With R the old and R' the new column,
//   R'_0 = (R_0 << 1) | mask
//   R'_d = ((R_d << 1) | mask) & R_{d-1} & (R_{d-1} << 1) & (R'_{d-1} << 1)       d = 1..k
//           match                insertion  substitution       deletion            (in the text)
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/host_device.hpp"
#include "base/with_constant.hpp"
#include "lab/matchers/paper_settings.hpp"
#include "lab/matchers/pattern.hpp"

namespace trawl::matchers {

inline constexpr unsigned kGbprSegment = 8;  // characters

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
};

/// Bit i is 1 if a match of `m` characters ends at character i of the segment that begins at `segment`. load(j): the
/// kAlpha characters from j on, as [0], [1], ...; those after the text's end may be any.
template <unsigned kEdits, unsigned kAlpha, class Word>
TRAWL_HOST_DEVICE unsigned gbpr_ends(const Word* masks, unsigned m, Index segment, auto&& load) {
  using Column = WuManberColumn<Word>;
  const unsigned reach = (m - 1 + kEdits + kAlpha - 1) / kAlpha * kAlpha;
  Word levels[kEdits + 1];
  Column::start(levels, kEdits);
  for (Index j = segment > reach ? segment - reach : 0; j < segment; j += kAlpha) {
    const auto characters = load(j);
    TRAWL_UNROLL
    for (unsigned i = 0; i < kAlpha; ++i) {
      Column::step(levels, kEdits, masks[characters[i]]);
    }
  }
  unsigned ends = 0;
  TRAWL_UNROLL
  for (unsigned j = 0; j < kGbprSegment; j += kAlpha) {
    const auto characters = load(segment + j);
    TRAWL_UNROLL
    for (unsigned i = 0; i < kAlpha; ++i) {
      Column::step(levels, kEdits, masks[characters[i]]);
      ends |= static_cast<unsigned>(((levels[kEdits] >> (m - 1)) & 1) == 0) << (j + i);
    }
  }
  return ends;
}

/// Calls f(masks, edits, alpha) with the pattern's masks and two integral constants. Words of 32 bits are used if they
/// are long enough: they need half the registers and half the bandwidth of shared memory. `s` must come from resolve().
decltype(auto) with_gbpr_variant(const GbprSettings& s, auto&& f) {
  const auto with_words = [&]<class Word>(Word) {
    Word masks[256];
    fill_pattern_masks(s.pattern, masks);
    return with_constant<2>(s.alpha / 4, [&](auto quarter) {
      constexpr unsigned kQuarter = decltype(quarter)::value;
      return with_constant<GbprSettings::kMostEdits>(s.max_edits, [&](auto edits) {
        return f(masks, edits, std::integral_constant < unsigned, kQuarter == 0 ? 1 : 4 * kQuarter > ());
      });
    });
  };
  return s.pattern.size() <= 32 ? with_words(std::uint32_t{}) : with_words(std::uint64_t{});
}

/// The CPU twin of lab/kernels/gbpr.cu: ends[j] is 1 if a match ends at text position j.
inline std::vector<std::uint8_t> gbpr_on_host(std::string_view text, const GbprSettings& s) {
  std::vector<std::uint8_t> ends(text.size());
  with_gbpr_variant(s, [&]<unsigned kEdits, unsigned kAlpha>(const auto& masks,
                                                             std::integral_constant<unsigned, kEdits>,
                                                             std::integral_constant<unsigned, kAlpha>) {
    const auto load = [&](Index j) {
      std::array<unsigned char, kAlpha> characters{};
      for (unsigned i = 0; i < kAlpha && j + i < text.size(); ++i) {
        characters[i] = static_cast<unsigned char>(text[j + i]);
      }
      return characters;
    };
    for (Index segment = 0; segment < text.size(); segment += kGbprSegment) {
      const unsigned bits = gbpr_ends<kEdits, kAlpha>(masks, static_cast<unsigned>(s.pattern.size()), segment, load);
      for (unsigned i = 0; i < kGbprSegment && segment + i < text.size(); ++i) {
        ends[segment + i] = bits >> i & 1;
      }
    }
  });
  return ends;
}

}  // namespace trawl::matchers
