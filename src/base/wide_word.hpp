// A word of 64 * kLimbs bits for bands that are wider than any machine word. It has the operators of an unsigned
// integer that the bit-parallel recurrences use. Host only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trawl {

template <unsigned kLimbs>
struct WideWord {
  std::array<std::uint64_t, kLimbs> limbs{};  // lowest bits first

  constexpr WideWord() = default;
  constexpr explicit WideWord(std::uint64_t low) { limbs[0] = low; }

  bool operator==(const WideWord&) const = default;

  friend constexpr WideWord operator&(WideWord a, const WideWord& b) {
    for (unsigned i = 0; i < kLimbs; ++i) {
      a.limbs[i] &= b.limbs[i];
    }
    return a;
  }
  friend constexpr WideWord operator|(WideWord a, const WideWord& b) {
    for (unsigned i = 0; i < kLimbs; ++i) {
      a.limbs[i] |= b.limbs[i];
    }
    return a;
  }
  friend constexpr WideWord operator^(WideWord a, const WideWord& b) {
    for (unsigned i = 0; i < kLimbs; ++i) {
      a.limbs[i] ^= b.limbs[i];
    }
    return a;
  }
  friend constexpr WideWord operator~(WideWord a) {
    for (auto& limb : a.limbs) {
      limb = ~limb;
    }
    return a;
  }
  friend constexpr WideWord operator+(WideWord a, const WideWord& b) {
    std::uint64_t carry = 0;
    for (unsigned i = 0; i < kLimbs; ++i) {
      const std::uint64_t with_carry = b.limbs[i] + carry;
      carry = with_carry < carry;
      a.limbs[i] += with_carry;
      carry |= a.limbs[i] < with_carry;
    }
    return a;
  }
  friend constexpr WideWord operator<<(const WideWord& a, unsigned shift) {
    WideWord moved;
    const unsigned skip = shift / 64, bits = shift % 64;
    for (unsigned i = kLimbs; i-- > skip;) {
      moved.limbs[i] = a.limbs[i - skip] << bits;
      if (bits > 0 && i > skip) {
        moved.limbs[i] |= a.limbs[i - skip - 1] >> (64 - bits);
      }
    }
    return moved;
  }
  friend constexpr WideWord operator>>(const WideWord& a, unsigned shift) {
    WideWord moved;
    const unsigned skip = shift / 64, bits = shift % 64;
    for (unsigned i = 0; i + skip < kLimbs; ++i) {
      moved.limbs[i] = a.limbs[i + skip] >> bits;
      if (bits > 0 && i + skip + 1 < kLimbs) {
        moved.limbs[i] |= a.limbs[i + skip + 1] << (64 - bits);
      }
    }
    return moved;
  }
};

/// Bit i of a word, or of a row of words.
inline bool bit(std::uint64_t word, unsigned i) { return (word >> i) & 1; }

template <unsigned kLimbs>
bool bit(const WideWord<kLimbs>& word, unsigned i) {
  return (word.limbs[i / 64] >> (i % 64)) & 1;
}

inline bool bit(const std::vector<std::uint64_t>& words, std::size_t i) { return (words[i / 64] >> (i % 64)) & 1; }

}  // namespace trawl
