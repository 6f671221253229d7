// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "mappability/word_pairs_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mappability/word_choices.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::mappability::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Others and their weights that stay in the L1 cache while all words are compared with them.
constexpr std::size_t kTile = 1024;
static_assert(kTile % WordPairs::kTogether == 0);

template <unsigned kMost, unsigned kParts, class T>
HWY_INLINE void count_pairs(const WordPairs& pairs, const WordSpans<T>& spans) {
  constexpr int kHalf = 4 * sizeof(T);
  const hn::CappedTag<T, WordPairs::kTogether> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const V low = hn::Set(d, (T{1} << kHalf) - 1);
  const V one = hn::Set(d, T{1});
  const V part0 = hn::Set(d, T{pairs.part[0]});
  const V part1 = hn::Set(d, T{pairs.part[1]});
  const V part2 = hn::Set(d, T{pairs.part[2]});
  const V part3 = hn::Set(d, T{pairs.part[3]});
  const T* const words = spans.words.data();
  const T* const others = spans.others.data();
  const T* const weights = spans.weights.data();
  for (std::size_t tile = 0; tile < spans.others.size(); tile += kTile) {
    const std::size_t end = std::min(spans.others.size(), tile + kTile);
    for (std::size_t q = 0; q < spans.words.size(); ++q) {
      const V word = hn::Set(d, words[q]);
      V sum = hn::Zero(d);
      for (std::size_t i = tile; i < end; i += lanes) {
        const V differing = hn::Xor(word, hn::LoadU(d, others + i));
        const V bases = hn::And(hn::Or(differing, hn::ShiftRight<kHalf>(differing)), low);
        V left = bases;
        for (unsigned m = 0; m < kMost; ++m) {
          left = hn::And(left, hn::Sub(left, one));
        }
        V weight = hn::IfThenElseZero(hn::Eq(left, hn::Zero(d)), hn::LoadU(d, weights + i));
        const auto must_differ = [&](V part) HWY_ATTR {
          weight = hn::IfThenZeroElse(hn::Eq(hn::And(bases, part), hn::Zero(d)), weight);
        };
        if constexpr (kParts > 0) {
          must_differ(part0);
        }
        if constexpr (kParts > 1) {
          must_differ(part1);
        }
        if constexpr (kParts > 2) {
          must_differ(part2);
        }
        if constexpr (kParts > 3) {
          must_differ(part3);
        }
        sum = hn::Add(sum, weight);
      }
      spans.sums[q] += hn::GetLane(hn::SumOfLanes(d, sum));
    }
  }
}

// Each part that must differ needs a mismatch, so there are no more of them.
template <unsigned kMost, class T>
HWY_INLINE void count_with_parts(const WordPairs& pairs, const WordSpans<T>& spans) {
  if (pairs.parts == 0) {
    count_pairs<kMost, 0>(pairs, spans);
  } else if (pairs.parts == 1) {
    count_pairs<kMost, 1>(pairs, spans);
  } else if (pairs.parts == 2) {
    count_pairs<kMost, 2>(pairs, spans);
  } else if (pairs.parts == 3) {
    count_pairs<kMost, 3>(pairs, spans);
  } else {
    count_pairs<kMost, 4>(pairs, spans);
  }
}

template <class T>
HWY_INLINE void count_all(const WordPairs& pairs, const WordSpans<T>& spans) {
  switch (pairs.most) {
    case 0:
      return count_pairs<0, 0>(pairs, spans);
    case 1:
      return count_with_parts<1>(pairs, spans);
    case 2:
      return count_with_parts<2>(pairs, spans);
    case 3:
      return count_with_parts<3>(pairs, spans);
    default:
      return count_with_parts<4>(pairs, spans);
  }
}

void count32(const WordPairs& pairs, const WordSpans<std::uint32_t>& spans) { count_all(pairs, spans); }
void count64(const WordPairs& pairs, const WordSpans<std::uint64_t>& spans) { count_all(pairs, spans); }

}  // namespace trawl::mappability::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::mappability {

HWY_EXPORT(count32);
HWY_EXPORT(count64);

void WordPairs::count(const WordSpans<std::uint32_t>& spans) const { HWY_DYNAMIC_DISPATCH(count32)(*this, spans); }

void WordPairs::count(const WordSpans<std::uint64_t>& spans) const { HWY_DYNAMIC_DISPATCH(count64)(*this, spans); }

}  // namespace trawl::mappability

#endif  // HWY_ONCE
