// The q-grams of a reference, for the seed index.
//
//   with: const sequence::Reference reference = reference_of("ACGTNACG")
//   std::size_t keys = 0;
//   visit_keys(reference, 0, reference.size(), 3, [&](std::uint32_t key, std::uint64_t) { keys += key == 0b000110; });
//   keys == 2         // ACG
//
// A key is as SeedIndex has it: the first base is its most significant digit, and from an ambiguous base or a gap on it
// is filled with A.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/bits.hpp"
#include "sequence/reference.hpp"

namespace trawl::seed {

namespace detail {

// Puts a zero before each of 32 bits.
inline std::uint64_t spread_bits(std::uint64_t bits) {
  bits = (bits | bits << 16) & 0x0000ffff0000ffff;
  bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
  bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
  bits = (bits | bits << 2) & 0x3333333333333333;
  return (bits | bits << 1) & 0x5555555555555555;
}

// The codes of 64 positions, with the first one at the top of `first`.
struct Codes {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

inline Codes codes_of(const sequence::PlaneBlock& block) {
  const std::uint64_t high = reverse_bits(block.high);
  const std::uint64_t low = reverse_bits(block.low);
  constexpr std::uint64_t half = 0xffffffff;
  return {spread_bits(high >> 32) << 1 | spread_bits(low >> 32),
          spread_bits(high & half) << 1 | spread_bits(low & half)};
}

// The keys of a block with ambiguous bases in it or soon after it. `after`: the next block.
inline void find_keys(const sequence::Reference& reference, std::uint64_t block, std::uint64_t after, unsigned q,
                      std::uint32_t* keys) {
  std::uint32_t key = 0;
  for (unsigned i = 64 + q - 1; i-- > 0;) {
    const std::uint64_t b = i < 64 ? block : after;
    const unsigned bit = i % 64;
    const auto& plane = reference.planes()[b];
    const auto code = static_cast<std::uint32_t>((plane.high >> bit & 1) << 1 | (plane.low >> bit & 1));
    key = (reference.ambiguous()[b] >> bit & 1) != 0 ? 0 : code << (2 * (q - 1)) | key >> 2;
    if (i < 64) {
      keys[i] = key;
    }
  }
}

}  // namespace detail

/// Calls visit(key, position) for every position of [begin, end) that has a base, from left to right. `begin` and `end`
/// are multiples of 64; `q` is at most 17.
template <class Visit>
void visit_keys(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t end, unsigned q,
                Visit&& visit) {
  if (begin == end) {
    return;
  }
  const auto planes = reference.planes();
  const auto ambiguous = reference.ambiguous();
  const std::uint64_t last = planes.size() - 1;
  const std::uint64_t following = (std::uint64_t{1} << (q - 1)) - 1;
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << (2 * q)) - 1);
  const unsigned unused = 64 - 2 * (q + 15);  // bits of a word after 16 keys
  detail::Codes here = detail::codes_of(planes[begin / 64]);
  for (std::uint64_t block = begin / 64; block < end / 64; ++block) {
    const std::uint64_t after = std::min(block + 1, last);  // the last block is in a gap
    const detail::Codes next = detail::codes_of(planes[after]);
    const std::uint64_t position = block * 64;
    const std::uint64_t unclear = ambiguous[block];
    if (unclear == 0 && (ambiguous[after] & following) == 0) {
      const std::uint64_t words[4] = {here.first, here.first << 32 | here.second >> 32, here.second,
                                      here.second << 32 | next.first >> 32};
      for (unsigned w = 0; w < 4; ++w) {
        const std::uint64_t word = words[w] >> unused;
        for (unsigned i = 0; i < 16; ++i) {
          visit(static_cast<std::uint32_t>(word >> (30 - 2 * i)) & mask, position + 16 * w + i);
        }
      }
    } else if (unclear != ~std::uint64_t{0}) {
      std::uint32_t keys[64];
      detail::find_keys(reference, block, after, q, keys);
      for (unsigned i = 0; i < 64; ++i) {
        if ((unclear >> i & 1) == 0) {
          visit(keys[i], position + i);
        }
      }
    }
    here = next;
  }
}

}  // namespace trawl::seed
