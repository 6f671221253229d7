// Wu-Manber by rows (wu_manber_rows.hpp) over one block, done by a warp: 8 words of 32 bits per lane, 8,192 positions.
// It runs on the device and, with a HostWarp, on the host.
//
//   row_position(1, 2, 9) == 1024 + 32 + 8 + 2       // lane 1, word 2, bit 9
//   pack_row(0b0101, RowKind::exact) == 0x25         // A or G, and no edit there
//
// Before striping, word v of lane l holds positions 1,024 v + 32 l .. + 31 of the block. After striping, bit b of word
// t of lane l is position 1,024 (b % 8) + 32 l + 8 (b / 8) + t.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "match/warp.hpp"
#include "match/word_ops.hpp"
#include "match/wu_manber_rows.hpp"

namespace trawl::match {

inline constexpr unsigned kRowWords = 8;
inline constexpr std::uint64_t kRowBlock = std::uint64_t{kRowWords} * 32 * kWarpLanes;

/// The position in the block that bit `bit` of word `word` of a lane stands for, after striping.
TRAWL_HOST_DEVICE constexpr unsigned row_position(unsigned lane, unsigned word, unsigned bit) {
  return bit % kRowWords * 32 * kWarpLanes + 32 * lane + bit / kRowWords * kRowWords + word;
}

/// A row as one byte: the set of bases that it matches, and its kind.
TRAWL_HOST_DEVICE constexpr std::uint8_t pack_row(unsigned set, RowKind kind) {
  return static_cast<std::uint8_t>(set | static_cast<unsigned>(kind) << 4);
}

/// S for word 0 of one lane. `last` is the last word of this lane, `before` that of the lane before (for lane 0: of
/// lane 31). In lane 0 (`first` = 1) the bits move up one place. No bit enters from the block before.
TRAWL_HOST_DEVICE inline std::uint32_t wrap_word(std::uint32_t last, std::uint32_t before, std::uint32_t first) {
  return (last << 8) | (((before >> 24) << first) & 0xFF);
}

/// The word operations for the lanes of a warp.
template <class Warp>
struct WarpOps {
  using Vector = typename Warp::template Value<std::uint32_t>;
  using P = PlainOps<std::uint32_t>;

  static Vector and_(const Vector& a, const Vector& b) {
    return each([](auto x, auto y) { return P::and_(x, y); }, a, b);
  }
  static Vector or_(const Vector& a, const Vector& b) {
    return each([](auto x, auto y) { return P::or_(x, y); }, a, b);
  }
  static Vector xor_(const Vector& a, const Vector& b) {
    return each([](auto x, auto y) { return P::xor_(x, y); }, a, b);
  }
  static Vector not_(const Vector& a) {
    return each([](auto x) { return P::not_(x); }, a);
  }
  static Vector or3(const Vector& a, const Vector& b, const Vector& c) {
    return each([](auto x, auto y, auto z) { return P::or3(x, y, z); }, a, b, c);
  }
  static Vector or_and(const Vector& o, const Vector& a, const Vector& b) {
    return each([](auto x, auto y, auto z) { return P::or_and(x, y, z); }, o, a, b);
  }
  template <int kBits>
  static Vector shift_left(const Vector& a) {
    return each([](auto x) { return P::template shift_left<kBits>(x); }, a);
  }
  template <int kBits>
  static Vector shift_right(const Vector& a) {
    return each([](auto x) { return P::template shift_right<kBits>(x); }, a);
  }
  static Vector set(unsigned long long bits) { return Warp().spread(P::set(bits)); }

 private:
  template <class F, class... V>
  static Vector each(F&& f, const V&... values) {
    return Warp().map([&](unsigned, auto... lanes) { return f(lanes...); }, values...);
  }
};

#ifdef __CUDACC__
/// On the device the word of a lane is a plain word.
template <>
struct WarpOps<DeviceWarp> : PlainOps<std::uint32_t> {};
#endif

/// The state of one list of rows in a block, for up to kLevels - 1 edits.
template <class Warp, unsigned kLevels>
struct WuManberWarp {
  using Ops = WarpOps<Warp>;
  using V = typename Ops::Vector;

  V state[kLevels][kRowWords];
  V wrapped[kLevels];

  /// Row 0: everything matches.
  TRAWL_HOST_DEVICE void start() {
    const V all = Ops::set(~0ull);
    TRAWL_UNROLL
    for (unsigned d = 0; d < kLevels; ++d) {
      TRAWL_UNROLL
      for (unsigned t = 0; t < kRowWords; ++t) {
        state[d][t] = all;
      }
      wrapped[d] = all;
    }
  }

  TRAWL_HOST_DEVICE V top_words() const {
    const Ops ops;
    const V* top = state[kLevels - 1];
    return ops.or3(ops.or3(top[0], top[1], top[2]), ops.or3(top[3], top[4], top[5]), ops.or_(top[6], top[7]));
  }

  /// Runs all rows of a list over one block. `text.eq(set, eq)` fills in the positions that a set of bases matches.
  /// Nothing matches before the block, so distances are those of substrings of the block. Returns whether any hit is
  /// left; the words of the top level say where.
  template <class Text>
  TRAWL_HOST_DEVICE bool run(const Warp& warp, const std::uint8_t* rows, unsigned length, const Text& text) {
    start();
    for (unsigned row = 0; row < length; ++row) {
      V eq[kRowWords];
      text.eq(rows[row] & 15u, eq);
      // Levels that are still all ones, inside the block and before it, do not change.
      const unsigned levels = may_spend(kind_of(rows[0])) && row + 1 < kLevels ? row + 1 : kLevels;
      switch (kind_of(rows[row])) {
        case RowKind::edits:
          step<RowKind::edits>(warp, levels, eq);
          break;
        case RowKind::mismatches:
          step<RowKind::mismatches>(warp, levels, eq);
          break;
        case RowKind::exact:
          step<RowKind::exact>(warp, levels, eq);
          break;
        case RowKind::anchor:
          step<RowKind::anchor>(warp, levels, eq);
          break;
      }
      if (row + 1 >= kEarliest && !warp.any(top_words())) {
        return false;
      }
    }
    return warp.any(top_words());
  }

  /// The same for lists in which all rows are of one kind: edits, mismatches or, with one level, any kind. The list
  /// must have more than kLevels - 1 rows. Without branches on the kind the state stays in registers.
  template <RowKind kKind, class Text>
  TRAWL_HOST_DEVICE bool run_alike(const Warp& warp, const std::uint8_t* rows, unsigned length, const Text& text) {
    start();
    V eq[kRowWords];
    TRAWL_UNROLL
    for (unsigned row = 0; row + 1 < kLevels; ++row) {
      text.eq(rows[row] & 15u, eq);
      step<kKind>(warp, row + 1, eq);
    }
    unsigned row = kLevels - 1;
    for (const unsigned untested = length < kEarliest ? length : kEarliest; row < untested; ++row) {
      text.eq(rows[row] & 15u, eq);
      step<kKind>(warp, kLevels, eq);
    }
    for (; row < length; ++row) {
      if (!warp.any(top_words())) {
        return false;
      }
      text.eq(rows[row] & 15u, eq);
      step<kKind>(warp, kLevels, eq);
    }
    return warp.any(top_words());
  }

 private:
  // On random text a block is never empty after fewer rows.
  static constexpr unsigned kEarliest = 6 + 2 * (kLevels - 1);

  TRAWL_HOST_DEVICE static constexpr RowKind kind_of(std::uint8_t row) { return static_cast<RowKind>(row >> 4); }

  template <RowKind kKind>
  TRAWL_HOST_DEVICE void step(const Warp& warp, unsigned levels, const V* eq) {
    const auto eq_word = [&](unsigned t) -> const V& { return eq[t]; };
    const auto wrap = [&](unsigned, const V& last) {
      const auto before = warp.gather(
          last, warp.map([](unsigned lane) { return (lane + kWarpLanes - 1) % kWarpLanes; }), std::uint32_t{0});
      return warp.map([](unsigned lane, std::uint32_t l, std::uint32_t b) { return wrap_word(l, b, lane == 0); }, last,
                      before);
    };
    striped_row<kKind, kRowWords, kLevels>(Ops(), levels, state, wrapped, eq_word, wrap);
  }
};

/// The planes of a block in which every position is one base.
template <class V, class Ops>
struct PlainBlockText {
  const V* high;  // striped words
  const V* low;

  TRAWL_HOST_DEVICE void eq(unsigned set, V* out) const {
    const Ops ops;
    switch (set) {
      case 1:
        fill(out, [&](unsigned t) { return ops.not_(ops.or_(high[t], low[t])); });
        break;
      case 2:
        fill(out, [&](unsigned t) { return ops.and_(ops.not_(high[t]), low[t]); });
        break;
      case 4:
        fill(out, [&](unsigned t) { return ops.and_(high[t], ops.not_(low[t])); });
        break;
      case 8:
        fill(out, [&](unsigned t) { return ops.and_(high[t], low[t]); });
        break;
      default: {
        const auto only = [&](unsigned bit) { return ops.set((set >> bit) & 1 ? ~0ull : 0ull); };
        const V a = only(0), c = only(1), g = only(2), u = only(3);
        fill(out, [&](unsigned t) {
          const V in_low = ops.or_(ops.and_(ops.not_(low[t]), a), ops.and_(low[t], c));
          const V in_high = ops.or_(ops.and_(ops.not_(low[t]), g), ops.and_(low[t], u));
          return ops.or_(ops.and_(ops.not_(high[t]), in_low), ops.and_(high[t], in_high));
        });
      }
    }
  }

 private:
  template <class F>
  TRAWL_HOST_DEVICE static void fill(V* out, F&& f) {
    TRAWL_UNROLL
    for (unsigned t = 0; t < kRowWords; ++t) {
      out[t] = f(t);
    }
  }
};

}  // namespace trawl::match
