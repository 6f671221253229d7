// Highway includes this file once for every instruction set that it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scan/find/text_grams_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "scan/find/text_grams.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::scan::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Bit i of the low half of each lane becomes bit 2 i.
template <class V>
HWY_INLINE V spread_bits(V x) {
  const hn::DFromV<V> d;
  x = hn::And(hn::Or(x, hn::ShiftLeft<16>(x)), hn::Set(d, 0x0000FFFF0000FFFFu));
  x = hn::And(hn::Or(x, hn::ShiftLeft<8>(x)), hn::Set(d, 0x00FF00FF00FF00FFu));
  x = hn::And(hn::Or(x, hn::ShiftLeft<4>(x)), hn::Set(d, 0x0F0F0F0F0F0F0F0Fu));
  x = hn::And(hn::Or(x, hn::ShiftLeft<2>(x)), hn::Set(d, 0x3333333333333333u));
  return hn::And(hn::Or(x, hn::ShiftLeft<1>(x)), hn::Set(d, 0x5555555555555555u));
}

// Two words of 32 letters for each of `count` blocks.
void pack(const sequence::PlaneBlock* blocks, std::size_t count, std::uint64_t* out) {
  const hn::CappedTag<std::uint64_t, 8> d;
  const hn::CappedTag<std::uint64_t, 1> one;
  const auto some = [&](auto tag, std::size_t b) {
    using V = hn::Vec<decltype(tag)>;
    V high, low;
    hn::LoadInterleaved2(tag, reinterpret_cast<const std::uint64_t*>(blocks + b), high, low);
    const V half = hn::Set(tag, 0xFFFFFFFFu);
    const V first = hn::Or(spread_bits(hn::And(low, half)), hn::ShiftLeft<1>(spread_bits(hn::And(high, half))));
    const V second =
        hn::Or(spread_bits(hn::ShiftRight<32>(low)), hn::ShiftLeft<1>(spread_bits(hn::ShiftRight<32>(high))));
    hn::StoreInterleaved2(first, second, tag, out + 2 * b);
  };
  std::size_t b = 0;
  for (; b + hn::Lanes(d) <= count; b += hn::Lanes(d)) {
    some(d, b);
  }
  for (; b < count; ++b) {
    some(one, b);
  }
}

using D16 = hn::CappedTag<std::uint16_t, 32>;
using D32 = hn::RepartitionToWide<D16>;
using D8 = hn::Repartition<std::uint8_t, D16>;

// Calls f(i) for i = 0, one vector after the other, until `count` is covered.
template <class F>
HWY_INLINE void for_vectors(std::size_t count, F&& f) {
  for (std::size_t i = 0; i < count; i += hn::Lanes(D16())) {
    f(i);
  }
}

#if HWY_TARGET == HWY_SCALAR
HWY_INLINE void make_ranks(const std::uint8_t* letters, std::size_t count, unsigned ranked, std::uint16_t* ranks) {
  const std::uint32_t mask = (std::uint32_t{1} << (2 * ranked)) - 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t word;
    std::memcpy(&word, letters + i / 4, sizeof word);
    ranks[i] = TextGrams::rank(word >> (2 * (i % 4)) & mask);
  }
}
#else
// The ranks of `count` grams, from a byte of four letters on.
HWY_INLINE void make_ranks(const std::uint8_t* letters, std::size_t count, unsigned ranked, std::uint16_t* ranks) {
  const D16 d;
  const D32 d32;
  const D8 d8;
  // The four lanes of a block begin in the same byte.
  alignas(64) std::uint8_t bytes[64];
  alignas(64) std::uint32_t shifts[16];
  for (std::size_t i = 0; i < 64; ++i) {
    bytes[i] = static_cast<std::uint8_t>(i / 16 + i % 4);
    shifts[i / 4] = static_cast<std::uint32_t>(2 * (i / 4 % 4));
  }
  const auto in_byte = hn::Load(d8, bytes);
  const auto shift = hn::Load(d32, shifts);
  const auto mask = hn::Set(d, static_cast<std::uint16_t>((std::uint32_t{1} << (2 * ranked)) - 1));
  const auto not_run = hn::Set(d, static_cast<std::uint16_t>(TextGrams::kNotRun));
  const auto factor1 = hn::Set(d, static_cast<std::uint16_t>(TextGrams::kFactor1));
  const auto factor2 = hn::Set(d, static_cast<std::uint16_t>(TextGrams::kFactor2));
  const auto from = [&](std::size_t i) {
    return hn::Shr(hn::BitCast(d32, hn::TableLookupBytes(hn::LoadDup128(d8, letters + i / 4), in_byte)), shift);
  };
  for_vectors(count, [&](std::size_t i) {
    // The lower halves of the lanes.
    auto x = hn::And(hn::ConcatEven(d, hn::BitCast(d, from(i + hn::Lanes(d32))), hn::BitCast(d, from(i))), mask);
    x = hn::Mul(hn::Xor(x, not_run), factor1);
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<8>(x)), factor2);
    hn::StoreU(x, d, ranks + i);
  });
}
#endif

// Element i becomes op(elements i to i + window - 1).
template <class Op>
HWY_INLINE void slide(std::size_t count, unsigned window, const std::uint16_t* in, std::uint16_t* out, const Op& op) {
  const D16 d;
  for (unsigned done = 1; done < window;) {
    const unsigned shift = std::min(done, window - done);
    for_vectors(count,
                [&](std::size_t i) { hn::StoreU(op(hn::LoadU(d, in + i), hn::LoadU(d, in + i + shift)), d, out + i); });
    in = out;
    done += shift;
  }
}

std::size_t select(const std::uint8_t* letters, std::size_t windows, unsigned ranked, unsigned window,
                   std::uint16_t* ranks, std::uint16_t* smallest, std::uint16_t* largest, std::uint16_t* selected) {
  const D16 d;
  const std::size_t grams = windows + window - 1;
  // What is made past the last gram and window is never used.
  make_ranks(letters, grams, ranked, ranks);
  std::fill_n(ranks + (grams + 63) / 64 * 64, 64, std::uint16_t{0});
  slide(grams, window, ranks, smallest, [](auto a, auto b) { return hn::Min(a, b); });
  // A gram is taken if the smallest rank of any of its windows is its own rank; none of them is larger than that.
  std::fill_n(largest, window - 1, std::uint16_t{0});
  std::copy_n(smallest, windows, largest + window - 1);
  std::fill_n(largest + grams, 64, std::uint16_t{0});
  slide(grams, window, largest, largest, [](auto a, auto b) { return hn::Max(a, b); });
  std::uint16_t* out = selected;
  for_vectors(grams, [&](std::size_t i) {
    const auto taken = hn::Eq(hn::LoadU(d, largest + i), hn::LoadU(d, ranks + i));
    out += hn::CompressStore(hn::Iota(d, static_cast<std::uint16_t>(i)), taken, d, out);
  });
  while (out > selected && out[-1] >= grams) {
    --out;
  }
  return static_cast<std::size_t>(out - selected);
}

}  // namespace trawl::scan::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::scan {

namespace {

HWY_EXPORT(pack);
HWY_EXPORT(select);

}  // namespace

void PackedText::load(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t end) {
  static_assert(sizeof(sequence::PlaneBlock) == 16);
  const auto planes = reference.planes();
  begin_ = begin;
  is_plain_ = true;
  const std::uint64_t first = begin / 64;
  const std::uint64_t last = std::min<std::uint64_t>(planes.size(), end / 64 + 2);
  HWY_DYNAMIC_DISPATCH(pack)(planes.data() + first, last - first, words_);
  for (std::uint64_t b = first; b * 64 < end && b < last; ++b) {
    is_plain_ &= !reference.block_has_ambiguous(b);
  }
}

void TextGrams::select(const PackedText& text, std::uint64_t first, std::size_t windows) {
  if (plan_.by_rank) {
    count_ = HWY_DYNAMIC_DISPATCH(select)(text.bytes() + first / 4, windows, std::min(plan_.gram, kRanked),
                                          plan_.window, ranks_, smallest_, largest_, selected_);
    return;
  }
  // The first gram is in the first window, and the last one in the last.
  count_ = (windows + 2 * plan_.window - 2) / plan_.window;
  for (std::size_t i = 0; i < count_; ++i) {
    selected_[i] = static_cast<std::uint16_t>(i * plan_.window);
  }
}

}  // namespace trawl::scan

#endif  // HWY_ONCE
