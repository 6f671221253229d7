// Shift-Or and Wu-Manber as inclusive scans (Mitani, Ino and Hagihara 2017). The step from one column to the next is an
// associative operator. So a prefix scan can compute the columns of all text positions in parallel.
//
// A run of u text characters acts on a column R as   R -> ((R << u) & ~x) | y,
// and two runs, the left one first, compose to       (u1 + u2, (x1 << u2) | x2, ((y1 << u2) & ~x2) | y2).
// Shift-Or has x = 0: one character with pattern mask M (0 where it matches) is (1, M), the composition
// (u1 + u2, (y1 << u2) | y2). For Wu-Manber's level d >= 1,
//   N_j = R_{d-1}[j-1] & (R_{d-1}[j-1] << 1) & (R_{d-1}[j] << 1)
// and the character is (1, (~N_j, M_j & N_j)); the level starts from 1..1 0^d.
// A shift by as many bits as the word has leaves nothing. So only the last characters before a position matter.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace trawl::matchers {

/// `word` << `shift`; 0 if all bits are shifted out.
template <class Word>
TRAWL_HOST_DEVICE constexpr Word shift_out(Word word, unsigned shift) {
  return shift < 8 * sizeof(Word) ? static_cast<Word>(word << shift) : Word{0};
}

/// The high word of the number `high`:`low` after a left shift by `shift` <= 31.
TRAWL_HOST_DEVICE inline std::uint32_t funnel_left(std::uint32_t low, std::uint32_t high, unsigned shift) {
#ifdef __CUDA_ARCH__
  return __funnelshift_l(low, high, shift);
#else
  return shift == 0 ? high : (high << shift) | (low >> (32 - shift));
#endif
}

/// The low word of the number `high`:`low` after a right shift by `shift` <= 31.
TRAWL_HOST_DEVICE inline std::uint32_t funnel_right(std::uint32_t low, std::uint32_t high, unsigned shift) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(low, high, shift);
#else
  return shift == 0 ? low : (low >> shift) | (high << (32 - shift));
#endif
}

/// The effect of a run of characters on a Shift-Or column.
template <class Word>
struct ShiftOrRun {
  Word mask = 0;

  TRAWL_HOST_DEVICE static constexpr ShiftOrRun character(Word mask, Word /*allowed*/) { return {mask}; }

  /// This run followed by `next`, which has `next_length` characters.
  TRAWL_HOST_DEVICE constexpr ShiftOrRun then(const ShiftOrRun& next, unsigned next_length) const {
    return {static_cast<Word>(shift_out(mask, next_length) | next.mask)};
  }

  /// The column after this run of `length` characters.
  TRAWL_HOST_DEVICE constexpr Word apply(Word column, unsigned length) const {
    return static_cast<Word>(shift_out(column, length) | mask);
  }
};

/// The effect of a run of characters on a column of Wu-Manber's level d >= 1.
template <class Word>
struct WuManberRun {
  Word x = 0;
  Word y = 0;

  /// The run of one character: `mask` is M_j, `allowed` is N_j.
  TRAWL_HOST_DEVICE static constexpr WuManberRun character(Word mask, Word allowed) {
    return {static_cast<Word>(~allowed), static_cast<Word>(mask & allowed)};
  }

  TRAWL_HOST_DEVICE constexpr WuManberRun then(const WuManberRun& next, unsigned next_length) const {
    return {static_cast<Word>(shift_out(x, next_length) | next.x),
            static_cast<Word>((shift_out(y, next_length) & static_cast<Word>(~next.x)) | next.y)};
  }

  TRAWL_HOST_DEVICE constexpr Word apply(Word column, unsigned length) const {
    return static_cast<Word>((shift_out(column, length) & static_cast<Word>(~x)) | y);
  }
};

/// N_j of a level, from two columns of the level below: at the position before, and at this position.
template <class Word>
TRAWL_HOST_DEVICE constexpr Word edits_allowed(Word below_before, Word below_here) {
  return static_cast<Word>(below_before & static_cast<Word>(below_before << 1) & static_cast<Word>(below_here << 1));
}

}  // namespace trawl::matchers
