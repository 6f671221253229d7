// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "io/read/md5_lanes_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <bit>
#include <cstring>

#include "io/read/md5_lanes.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::io::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<std::uint32_t, kMostMd5Lanes>;
using V = hn::Vec<D>;
using Words = std::uint32_t[16][kMostMd5Lanes];

// RFC 1321, section 3.4.
constexpr std::uint32_t kSines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

template <unsigned round>
HWY_INLINE V mix(V b, V c, V d) {
  if constexpr (round == 0) {
    return hn::Xor(d, hn::And(b, hn::Xor(c, d)));
  } else if constexpr (round == 1) {
    return hn::Xor(c, hn::And(d, hn::Xor(b, c)));
  } else if constexpr (round == 2) {
    return hn::Xor(b, hn::Xor(c, d));
  } else {
    return hn::Xor(c, hn::Or(b, hn::Not(d)));
  }
}

template <unsigned round, int turn>
HWY_INLINE void step(V& a, V b, V c, V d, const Words& words, unsigned i) {
  constexpr unsigned factor[4] = {1, 5, 3, 7};
  constexpr unsigned first[4] = {0, 1, 5, 0};
  const D tag;
  const V word = hn::Load(tag, words[(factor[round] * i + first[round]) % 16]);
  const V sum = hn::Add(hn::Add(a, hn::Add(word, hn::Set(tag, kSines[16 * round + i]))), mix<round>(b, c, d));
  a = hn::Add(b, hn::RotateRight<32 - turn>(sum));
}

template <unsigned round, int turn_0, int turn_1, int turn_2, int turn_3>
HWY_INLINE void sixteen_steps(V& a, V& b, V& c, V& d, const Words& words) {
  for (unsigned i = 0; i < 16; i += 4) {
    step<round, turn_0>(a, b, c, d, words, i);
    step<round, turn_1>(d, a, b, c, words, i + 1);
    step<round, turn_2>(c, d, a, b, words, i + 2);
    step<round, turn_3>(b, c, d, a, words, i + 3);
  }
}

void md5_blocks(Md5States& states, const char* text, std::size_t stride, std::size_t blocks) {
  const D tag;
  const std::size_t lanes = hn::Lanes(tag);
  V a = hn::Load(tag, states.words[0].data());
  V b = hn::Load(tag, states.words[1].data());
  V c = hn::Load(tag, states.words[2].data());
  V d = hn::Load(tag, states.words[3].data());
  HWY_ALIGN Words words;
  for (std::size_t block = 0; block < blocks; ++block, text += kMd5Block) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      for (std::size_t w = 0; w < 16; ++w) {
        std::uint32_t word = 0;
        std::memcpy(&word, text + lane * stride + 4 * w, 4);
        words[w][lane] = std::endian::native == std::endian::little ? word : __builtin_bswap32(word);
      }
    }
    const V before[4] = {a, b, c, d};
    sixteen_steps<0, 7, 12, 17, 22>(a, b, c, d, words);
    sixteen_steps<1, 5, 9, 14, 20>(a, b, c, d, words);
    sixteen_steps<2, 4, 11, 16, 23>(a, b, c, d, words);
    sixteen_steps<3, 6, 10, 15, 21>(a, b, c, d, words);
    a = hn::Add(a, before[0]);
    b = hn::Add(b, before[1]);
    c = hn::Add(c, before[2]);
    d = hn::Add(d, before[3]);
  }
  hn::Store(a, tag, states.words[0].data());
  hn::Store(b, tag, states.words[1].data());
  hn::Store(c, tag, states.words[2].data());
  hn::Store(d, tag, states.words[3].data());
}

std::size_t md5_lanes() { return hn::Lanes(D()); }

}  // namespace trawl::io::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::io {

HWY_EXPORT(md5_blocks);
HWY_EXPORT(md5_lanes);

std::size_t md5_lanes() { return HWY_DYNAMIC_DISPATCH(md5_lanes)(); }

void md5_blocks(Md5States& states, const char* text, std::size_t stride, std::size_t blocks) {
  HWY_DYNAMIC_DISPATCH(md5_blocks)(states, text, stride, blocks);
}

void Md5States::begin(std::size_t lane) {
  constexpr std::uint32_t start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
  for (std::size_t w = 0; w < 4; ++w) {
    words[w][lane] = start[w];
  }
}

std::string Md5States::digest(std::size_t lane) const {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const auto& word : words) {
    for (unsigned byte = 0; byte < 4; ++byte) {
      const std::uint32_t value = word[lane] >> (8 * byte) & 0xff;
      text += {digits[value >> 4], digits[value & 15]};
    }
  }
  return text;
}

}  // namespace trawl::io

#endif  // HWY_ONCE
