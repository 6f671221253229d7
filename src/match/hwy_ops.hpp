// The operations of match/word_ops.hpp for Highway vectors. Included once for every instruction set.
#if defined(TRAWL_MATCH_HWY_OPS_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAWL_MATCH_HWY_OPS_HPP
#undef TRAWL_MATCH_HWY_OPS_HPP
#else
#define TRAWL_MATCH_HWY_OPS_HPP
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trawl::match::HWY_NAMESPACE {

template <class D>
struct HwyOps {
  using Vector = hwy::HWY_NAMESPACE::Vec<D>;

  static HWY_INLINE Vector and_(Vector a, Vector b) { return hwy::HWY_NAMESPACE::And(a, b); }
  static HWY_INLINE Vector or_(Vector a, Vector b) { return hwy::HWY_NAMESPACE::Or(a, b); }
  static HWY_INLINE Vector xor_(Vector a, Vector b) { return hwy::HWY_NAMESPACE::Xor(a, b); }
  static HWY_INLINE Vector not_(Vector a) { return hwy::HWY_NAMESPACE::Not(a); }
  static HWY_INLINE Vector add(Vector a, Vector b) { return hwy::HWY_NAMESPACE::Add(a, b); }
  static HWY_INLINE Vector shift_left_1(Vector a) { return hwy::HWY_NAMESPACE::ShiftLeft<1>(a); }
  static HWY_INLINE Vector shift_right_1(Vector a) { return hwy::HWY_NAMESPACE::ShiftRight<1>(a); }
  template <int kBits>
  static HWY_INLINE Vector shift_left(Vector a) {
    return hwy::HWY_NAMESPACE::ShiftLeft<kBits>(a);
  }
  template <int kBits>
  static HWY_INLINE Vector shift_right(Vector a) {
    return hwy::HWY_NAMESPACE::ShiftRight<kBits>(a);
  }
  static HWY_INLINE Vector or3(Vector a, Vector b, Vector c) { return hwy::HWY_NAMESPACE::Or3(a, b, c); }
  static HWY_INLINE Vector or_and(Vector o, Vector a, Vector b) { return hwy::HWY_NAMESPACE::OrAnd(o, a, b); }
  static HWY_INLINE Vector set(unsigned long long bits) {
    return hwy::HWY_NAMESPACE::Set(D(), static_cast<hwy::HWY_NAMESPACE::TFromD<D>>(bits));
  }
};

}  // namespace trawl::match::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
