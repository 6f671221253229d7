// Highway includes this file once for every instruction set that it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scan/find/packed_text_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "scan/find/packed_text.hpp"

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

}  // namespace trawl::scan::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::scan {

namespace {

HWY_EXPORT(pack);

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

}  // namespace trawl::scan

#endif  // HWY_ONCE
