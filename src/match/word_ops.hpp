// The bit operations that the recurrences of this folder use, for plain integers. Other kinds of word have the same
// members, for example SIMD vectors with one pattern or candidate per lane.
//
//   using Ops = PlainOps<std::uint64_t>;
//   Ops::shift_left_1(0b01) == 0b10
//   Ops::or_and(0b1000, 0b0110, 0b0011) == 0b1010
#pragma once

#include "base/host_device.hpp"

namespace trawl::match {

template <class Word>
struct PlainOps {
  using Vector = Word;

  TRAWL_HOST_DEVICE static constexpr Word and_(Word a, Word b) { return static_cast<Word>(a & b); }
  TRAWL_HOST_DEVICE static constexpr Word or_(Word a, Word b) { return static_cast<Word>(a | b); }
  TRAWL_HOST_DEVICE static constexpr Word xor_(Word a, Word b) { return static_cast<Word>(a ^ b); }
  TRAWL_HOST_DEVICE static constexpr Word not_(Word a) { return static_cast<Word>(~a); }
  TRAWL_HOST_DEVICE static constexpr Word add(Word a, Word b) { return static_cast<Word>(a + b); }
  TRAWL_HOST_DEVICE static constexpr Word shift_left_1(Word a) { return static_cast<Word>(a << 1); }
  TRAWL_HOST_DEVICE static constexpr Word shift_right_1(Word a) { return static_cast<Word>(a >> 1); }
  template <int kBits>
  TRAWL_HOST_DEVICE static constexpr Word shift_left(Word a) {
    return static_cast<Word>(a << kBits);
  }
  template <int kBits>
  TRAWL_HOST_DEVICE static constexpr Word shift_right(Word a) {
    return static_cast<Word>(a >> kBits);
  }
  /// a | b | c
  TRAWL_HOST_DEVICE static constexpr Word or3(Word a, Word b, Word c) { return static_cast<Word>(a | b | c); }
  /// o | (a & b)
  TRAWL_HOST_DEVICE static constexpr Word or_and(Word o, Word a, Word b) { return static_cast<Word>(o | (a & b)); }
  /// The lowest bits of `bits`, in every lane.
  TRAWL_HOST_DEVICE static constexpr Word set(unsigned long long bits) { return static_cast<Word>(bits); }
};

}  // namespace trawl::match
