// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rescue/mate_overlap_simd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "rescue/mate_overlap.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::rescue::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Letters 32 half .. 32 half + 31.
std::uint32_t half_of(const std::vector<std::uint64_t>& plane, std::size_t half) {
  return static_cast<std::uint32_t>(plane[half / 2] >> 32 * (half % 2));
}

// A lane is a shift. Ambiguous letters are as A.
void shifts(const LetterPlanes& fixed, const LetterPlanes& moved, std::uint32_t* fits) {
  constexpr std::uint32_t kLetters = LetterPlanes::kFirstLetters;
  const hn::CappedTag<std::uint32_t, 16> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(d, 1u);
  const auto all = hn::Set(d, kLetters);
  const auto high = hn::Set(d, half_of(fixed.high, 0));
  const auto low = hn::Set(d, half_of(fixed.low, 0));
  const auto most = hn::Min(hn::Set(d, static_cast<std::uint32_t>(fixed.length)), all);
  for (std::size_t first = 0; first < moved.length; first += lanes) {
    const auto shift = hn::Iota(d, static_cast<std::uint32_t>(first % kLetters));
    const auto back = hn::Sub(hn::Set(d, kLetters - 1), shift);
    const auto letters_of = [&](const std::vector<std::uint64_t>& plane) HWY_ATTR {
      const auto next = hn::Set(d, 2 * half_of(plane, first / kLetters + 1));
      return hn::Or(hn::Shr(hn::Set(d, half_of(plane, first / kLetters)), shift), hn::Shl(next, back));
    };
    // What lies beside each other; lanes behind the end of `moved` say nothing.
    const auto beside =
        hn::Sub(hn::Set(d, static_cast<std::uint32_t>(moved.length)), hn::Iota(d, static_cast<std::uint32_t>(first)));
    const auto letters = hn::Min(beside, most);
    const auto mask = hn::Shr(hn::Set(d, ~0u), hn::Sub(all, hn::Max(letters, one)));
    const auto differ = hn::Or(hn::Xor(letters_of(moved.high), high), hn::Xor(letters_of(moved.low), low));
    const auto count = hn::PopulationCount(hn::And(differ, mask));
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Eq(hn::Max(hn::ShiftLeft<2>(count), letters), letters), bits);
    fits[first / kLetters] |= (bits[0] | std::uint32_t{bits[1]} << 8) << first % kLetters;
  }
}

}  // namespace trawl::rescue::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::rescue {

HWY_EXPORT(shifts);

void find_shifts(const LetterPlanes& fixed, const LetterPlanes& moved, std::vector<std::uint32_t>& fits) {
  fits.assign(moved.length / LetterPlanes::kFirstLetters + 1, 0);
  HWY_DYNAMIC_DISPATCH(shifts)(fixed, moved, fits.data());
}

}  // namespace trawl::rescue

#endif
