// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "words/word_pairs_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/with_constant.hpp"
#include "words/word_choices.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::words::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Others and their weights that stay in the L1 cache while all words are compared with them.
constexpr std::size_t kTile = 1024;
static_assert(kTile % WordPairs::kTogether == 0);

// The differing bases of words, as in WordPairs::allows().
template <class D, class V = hn::Vec<D>>
HWY_INLINE V differing_bases(D d, V a, V b) {
  constexpr int kHalf = 4 * sizeof(hn::TFromD<D>);
  const V differing = hn::Xor(a, b);
  return hn::And(hn::Or(differing, hn::ShiftRight<kHalf>(differing)), hn::Set(d, (hn::TFromD<D>{1} << kHalf) - 1));
}

// Where at most kMost bits are 1.
template <unsigned kMost, class D, class V = hn::Vec<D>>
HWY_INLINE hn::Mask<D> has_few_bits(D d, V bits) {
  for (unsigned m = 0; m < kMost; ++m) {
    bits = hn::And(bits, hn::Sub(bits, hn::Set(d, hn::TFromD<D>{1})));
  }
  return hn::Eq(bits, hn::Zero(d));
}

template <unsigned kMost, unsigned kParts, class T>
HWY_INLINE void count_pairs(const WordPairs& pairs, const WordSpans<T>& spans) {
  const hn::CappedTag<T, WordPairs::kTogether> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const T* const others = spans.others.data();
  const T* const weights = spans.weights.data();
  for (std::size_t tile = 0; tile < spans.others.size(); tile += kTile) {
    const std::size_t end = std::min(spans.others.size(), tile + kTile);
    for (std::size_t q = 0; q < spans.words.size(); ++q) {
      const V word = hn::Set(d, spans.words[q]);
      V sum = hn::Zero(d);
      for (std::size_t i = tile; i < end; i += lanes) {
        const V bases = differing_bases(d, word, hn::LoadU(d, others + i));
        V weight = hn::IfThenElseZero(has_few_bits<kMost>(d, bases), hn::LoadU(d, weights + i));
        for (unsigned p = 0; p < kParts; ++p) {
          weight = hn::IfThenZeroElse(hn::Eq(hn::And(bases, hn::Set(d, T{pairs.part[p]})), hn::Zero(d)), weight);
        }
        sum = hn::Add(sum, weight);
      }
      spans.sums[q] += hn::GetLane(hn::SumOfLanes(d, sum));
    }
  }
}

// Each part that must differ needs a mismatch, so there are no more of them.
template <class T>
HWY_INLINE void count_all(const WordPairs& pairs, const WordSpans<T>& spans) {
  with_constant<WordPairs::kMost>(pairs.most, [&](auto most) HWY_ATTR {
    with_constant<most()>(pairs.parts, [&](auto parts) HWY_ATTR { count_pairs<most(), parts()>(pairs, spans); });
  });
}

// Most vectors have no pair, so the parts are looked at where one may be.
template <unsigned kMost, class T>
HWY_INLINE std::size_t find_pairs(const WordPairs& pairs, T word, std::span<const T> others, std::uint32_t* found) {
  const hn::CappedTag<T, WordPairs::kTogether> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const V all = hn::Set(d, word);
  std::uint32_t* const begin = found;
  for (std::size_t i = 0; i < others.size(); i += lanes) {
    const V bases = differing_bases(d, all, hn::LoadU(d, others.data() + i));
    hn::Mask<decltype(d)> is_pair = has_few_bits<kMost>(d, bases);
    if (hn::AllFalse(d, is_pair)) {
      continue;
    }
    for (std::uint32_t p = 0; p < pairs.parts; ++p) {
      is_pair = hn::AndNot(hn::Eq(hn::And(bases, hn::Set(d, T{pairs.part[p]})), hn::Zero(d)), is_pair);
    }
    std::uint8_t bytes[8] = {};
    hn::StoreMaskBits(d, is_pair, bytes);
    std::uint64_t bits;
    for (std::memcpy(&bits, bytes, sizeof bits); bits != 0; bits &= bits - 1) {
      *found++ = static_cast<std::uint32_t>(i + hwy::Num0BitsBelowLS1Bit_Nonzero64(bits));
    }
  }
  return static_cast<std::size_t>(found - begin);
}

template <class T>
HWY_INLINE std::size_t find_all(const WordPairs& pairs, T word, std::span<const T> others, std::uint32_t* found) {
  return with_constant<WordPairs::kMost>(
      pairs.most, [&](auto most) HWY_ATTR { return find_pairs<most()>(pairs, word, others, found); });
}

std::size_t find32(const WordPairs& pairs, std::uint32_t word, std::span<const std::uint32_t> others,
                   std::uint32_t* found) {
  return find_all(pairs, word, others, found);
}
std::size_t find64(const WordPairs& pairs, std::uint64_t word, std::span<const std::uint64_t> others,
                   std::uint32_t* found) {
  return find_all(pairs, word, others, found);
}

void count32(const WordPairs& pairs, const WordSpans<std::uint32_t>& spans) { count_all(pairs, spans); }
void count64(const WordPairs& pairs, const WordSpans<std::uint64_t>& spans) { count_all(pairs, spans); }

}  // namespace trawl::words::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::words {

HWY_EXPORT(count32);
HWY_EXPORT(count64);
HWY_EXPORT(find32);
HWY_EXPORT(find64);

void WordPairs::count(const WordSpans<std::uint32_t>& spans) const { HWY_DYNAMIC_DISPATCH(count32)(*this, spans); }

void WordPairs::count(const WordSpans<std::uint64_t>& spans) const { HWY_DYNAMIC_DISPATCH(count64)(*this, spans); }

std::size_t WordPairs::find(std::uint32_t word, std::span<const std::uint32_t> others, std::uint32_t* found) const {
  return HWY_DYNAMIC_DISPATCH(find32)(*this, word, others, found);
}

std::size_t WordPairs::find(std::uint64_t word, std::span<const std::uint64_t> others, std::uint32_t* found) const {
  return HWY_DYNAMIC_DISPATCH(find64)(*this, word, others, found);
}

}  // namespace trawl::words

#endif  // HWY_ONCE
