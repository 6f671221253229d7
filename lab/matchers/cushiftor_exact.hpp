// cuShiftOr for k = 0, as used by its streamed segments: 16 characters per lane, and a pattern that ends with 15
// wildcards. So the column after a lane's last character shows the matches at all 16 (Mitani, Ino and Hagihara 2017,
// section 5). A column has as many bits as pattern and wildcards need, up to 64 + 15. Lengths and shifts in the scan
// are multiples of half a limb, so a shift is a permutation of bytes.
//
//   for each tile of 512 characters, from left to right:
//     columns = exact_lane_column(...) in each lane
//     // m <= 33: 3 halves
//     misses = ExactCascade<HostWarp, 3>::misses(warp, columns, columns of the tile before, m);
//
// A lane's own column is made with tables of masks that are already shifted to their place among 8 characters. So 16
// characters need look-ups and ORs, but not one shift each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/host_device.hpp"
#include "lab/matchers/cushiftor_cascade.hpp"
#include "match/warp.hpp"

namespace trawl::matchers {

inline constexpr unsigned kExactAlpha = 16;  // characters per lane
inline constexpr unsigned kExactBits = 80;   // the most bits of a column: 64 + 15, in halves
inline constexpr unsigned kExactTile = match::kWarpLanes * kExactAlpha;  // characters that a warp takes at a time
inline constexpr unsigned kExactGroup = 8;  // characters whose masks are shifted in the table

/// A column of 32-bit words, lowest bits first.
template <unsigned kLimbs>
using Limbs = Few<std::uint32_t, kLimbs>;

/// The number of limbs for the columns of 8 characters, which the tables hold: 1 to 3.
constexpr unsigned exact_group_limbs(unsigned m) { return (m + kExactGroup - 1 + 31) / 32; }

/// Calls f(halves, limbs) with two integral constants. `halves`: how many half limbs the columns need for a pattern of
/// `m` characters, 1 to 64, and its wildcards. `limbs`: exact_group_limbs(m).
decltype(auto) with_exact_shape(unsigned m, auto&& f) {
  constexpr unsigned kHalves[] = {2, 3, 3, 4, 5, 5}, kLimbs[] = {1, 1, 2, 2, 2, 3};
  const unsigned shape = m <= 17 ? 0 : m <= 25 ? 1 : m <= 33 ? 2 : m <= 49 ? 3 : m <= 57 ? 4 : 5;
  return with_constant<5>(shape, [&](auto s) -> decltype(auto) {
    return f(std::integral_constant<unsigned, kHalves[decltype(s)::value]>(),
             std::integral_constant<unsigned, kLimbs[decltype(s)::value]>());
  });
}

/// The tables: limb l of the mask of character c, shifted by s < 8, is at [(l * 8 + s) * 256 + c]. A bit is 1 if a
/// pattern character does not match. All bits after the pattern are 0. `pattern` must have 1 to 64 characters.
inline std::vector<std::uint32_t> exact_tables(std::string_view pattern) {
  const unsigned limbs = exact_group_limbs(static_cast<unsigned>(pattern.size()));
  std::vector<std::uint32_t> tables(std::size_t{limbs} * kExactGroup * 256);
  for (unsigned s = 0; s < kExactGroup; ++s) {
    for (unsigned i = 0; i < pattern.size(); ++i) {
      const unsigned bit = i + s;
      for (unsigned c = 0; c < 256; ++c) {
        if (static_cast<unsigned char>(pattern[i]) != c) {
          tables[((bit / 32) * kExactGroup + s) * 256 + c] |= 1u << (bit % 32);
        }
      }
    }
  }
  return tables;
}

/// The effect of 16 characters on a column. The masks of characters i and 8 + i are look_up(7 - i, i) and look_up(7 -
/// i, 8 + i).
template <unsigned kLimbs, unsigned kGroupLimbs, class LookUp>
TRAWL_HOST_DEVICE inline Limbs<kLimbs> exact_lane_column(LookUp&& look_up) {
  Limbs<kGroupLimbs> first{}, second{};
  TRAWL_UNROLL
  for (unsigned i = 0; i < kExactGroup; ++i) {
    const Limbs<kGroupLimbs> a = look_up(kExactGroup - 1 - i, i);
    const Limbs<kGroupLimbs> b = look_up(kExactGroup - 1 - i, kExactGroup + i);
    for (unsigned l = 0; l < kGroupLimbs; ++l) {
      first[l] |= a[l];
      second[l] |= b[l];
    }
  }
  Limbs<kLimbs> column;
  for (unsigned l = 0; l < kLimbs; ++l) {
    const std::uint32_t high = l < kGroupLimbs ? first[l] : 0;
    const std::uint32_t low = l > 0 && l - 1 < kGroupLimbs ? first[l - 1] : 0;
    column[l] = funnel_left(low, high, kExactGroup) | (l < kGroupLimbs ? second[l] : 0);
  }
  return column;
}

/// A column in which nothing matches: the one before the text.
template <unsigned kLimbs>
TRAWL_HOST_DEVICE inline Limbs<kLimbs> exact_nothing() {
  Limbs<kLimbs> nothing;
  for (unsigned l = 0; l < kLimbs; ++l) {
    nothing[l] = ~std::uint32_t{0};
  }
  return nothing;
}

/// Lane i gets the first kMoved limbs of `v` in lane i - delta. The first delta lanes get those of `before` in lane 32
/// - delta + i.
template <unsigned kMoved, unsigned kLimbs>
auto shift_in(const match::HostWarp&, const match::HostWarp::Value<Limbs<kLimbs>>& v,
              const match::HostWarp::Value<Limbs<kLimbs>>& before, unsigned delta) {
  match::HostWarp::Value<Limbs<kMoved>> out;
  for (unsigned lane = 0; lane < match::kWarpLanes; ++lane) {
    const auto& from = lane < delta ? before[match::kWarpLanes - delta + lane] : v[lane - delta];
    std::copy_n(from.values, kMoved, out[lane].values);
  }
  return out;
}

#ifdef __CUDACC__
template <unsigned kMoved, unsigned kLimbs>
__device__ Limbs<kMoved> shift_in(const match::DeviceWarp& warp, const Limbs<kLimbs>& v, const Limbs<kLimbs>& before,
                                  unsigned delta) {
  const bool from_before = warp.lane() >= match::kWarpLanes - delta;
  Limbs<kMoved> out;
#pragma unroll
  for (unsigned l = 0; l < kMoved; ++l) {
    out[l] = __shfl_sync(match::kAllLanes, from_before ? before[l] : v[l], warp.lane() - delta);
  }
  return out;
}
#endif

/// The scan of one tile by a warp. `kHalves`: see with_exact_shape().
template <class Warp, unsigned kHalves>
class ExactCascade {
 public:
  static constexpr unsigned kLimbs = (kHalves + 1) / 2;
  /// How many lanes of the tile before are needed: its last ones.
  static constexpr unsigned kLanesBefore = kHalves - 1;
  using Column = Limbs<kLimbs>;
  template <class T>
  using Value = typename Warp::template Value<T>;

  /// `columns`: the effect of each lane's characters on a column. `before`: the same for the tile before; only its last
  /// kLanesBefore lanes are used. In the result, bit 15 - r of a lane is 0 if a match of the pattern of `m` characters
  /// ends at the lane's character r. The bits above these are undefined.
  TRAWL_HOST_DEVICE static Value<std::uint32_t> misses(const Warp& warp, const Value<Column>& columns,
                                                       const Value<Column>& before, unsigned m) {
    const auto sums = add_left<1>(warp, columns, columns, before);
    return warp.map(
        [=](unsigned, const Column& column) {
          // Rows m - 1 to m + 14. With 4 or more halves, m - 1 > 32.
          constexpr unsigned kFirst = kHalves >= 4 ? 1 : 0;
          const std::uint32_t high = kFirst + 1 < kLimbs ? column[kFirst + 1] : 0;
          const unsigned shift = m - 1 - 32 * kFirst;
          return shift == 32 ? high : funnel_right(column[kFirst], high, shift);
        },
        sums);
  }

 private:
  // Adds the columns of the lanes that are kDelta lanes (16 kDelta characters) to the left, and of those further left.
  template <unsigned kDelta>
  TRAWL_HOST_DEVICE static Value<Column> add_left(const Warp& warp, const Value<Column>& sums,
                                                  const Value<Column>& columns, const Value<Column>& before) {
    constexpr unsigned kMoved = (kHalves - kDelta + 1) / 2;  // limbs that stay in the column
    const auto left = shift_in<kMoved>(warp, columns, before, kDelta);
    const auto more = warp.map(
        [](unsigned, const Column& here, const Limbs<kMoved>& from) {
          Column sum = here;
          for (unsigned l = kDelta / 2; l < kLimbs; ++l) {
            const unsigned high_limb = l - kDelta / 2;
            const std::uint32_t high = high_limb < kMoved ? from[high_limb] : 0;
            if constexpr (kDelta % 2 == 0) {
              sum[l] |= high;
            } else {
              const std::uint32_t low = high_limb > 0 && high_limb - 1 < kMoved ? from[high_limb - 1] : 0;
              sum[l] |= funnel_left(low, high, 16);
            }
          }
          return sum;
        },
        sums, left);
    if constexpr (kDelta < kLanesBefore) {
      return add_left<kDelta + 1>(warp, more, columns, before);
    } else {
      return more;
    }
  }
};

}  // namespace trawl::matchers
