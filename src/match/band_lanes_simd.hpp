// Banded Myers for many windows at once, one window per SIMD lane. This file is included once for every instruction
// set.
//
//   with: std::size_t l, std::size_t m, std::uint64_t high, std::uint64_t low, std::size_t w
//   BandLanes<std::uint16_t> band;                      // 16 diagonals
//   band.begin(m);                                      // letters of the longest pattern
//   band.set_length(l, m);                              // for each lane in use
//   band.set_text(l, high, low);                        // letters 64 w .. of the window of lane l
//   band.set_read(l, high, low);                        // and of its pattern
//   band.end_words(w);                                  // when all lanes have their words w
//   band.compute(true);
//   if (band.smallest(l) <= 2) { ... }                  // the pattern matches with at most 2 edits
//
// BandLanes<T, true> also takes, by set_unknown(), which letters of the windows match nothing.
#if defined(TRAWL_MATCH_BAND_LANES_SIMD_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAWL_MATCH_BAND_LANES_SIMD_HPP
#undef TRAWL_MATCH_BAND_LANES_SIMD_HPP
#else
#define TRAWL_MATCH_BAND_LANES_SIMD_HPP
#endif

#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/host_device.hpp"
#include "match/hwy_ops.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::match::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "match/banded_myers.inc"

// A row must wait for the row before it. Two vectors that do not depend on each other keep the processor busy.
constexpr std::size_t kVectors = 2;

// The planes of a window and its pattern. The last one has the letters of the window that match nothing.
enum LanePlane : std::size_t { kTextHigh, kTextLow, kReadHigh, kReadLow, kTextUnknown, kLanePlanes };

// Splits the 64-bit words of one vector's lanes into words of T: out[w * lanes + l] is part w of words[l].
template <class T, class D = hn::ScalableTag<T>>
HWY_INLINE void transpose(const std::uint64_t* words, T* out, std::size_t lanes) {
  const D d;
  const T* parts = reinterpret_cast<const T*>(words);
  if constexpr (sizeof(T) == 2) {
    hn::Vec<D> a, b, c, e;
    hn::LoadInterleaved4(d, parts, a, b, c, e);
    hn::Store(a, d, out);
    hn::Store(b, d, out + lanes);
    hn::Store(c, d, out + 2 * lanes);
    hn::Store(e, d, out + 3 * lanes);
  } else if constexpr (sizeof(T) == 4) {
    hn::Vec<D> a, b;
    hn::LoadInterleaved2(d, parts, a, b);
    hn::Store(a, d, out);
    hn::Store(b, d, out + lanes);
  } else {
    hn::Store(hn::Load(d, parts), d, out);
  }
}

template <class T, bool kUnknown = false>
class BandLanes {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr unsigned kBand = 8 * sizeof(T);
  static constexpr std::size_t kMaxLanes = kVectors * HWY_MAX_BYTES / sizeof(T);

  /// The number of windows that are computed at once.
  static HWY_INLINE std::size_t lanes() { return kVectors * hn::Lanes(D()); }

  /// Starts a group of windows. Lanes without a length are not used.
  void begin(std::size_t longest) {
    longest_ = longest;
    std::fill(length_, length_ + kMaxLanes, T{0});
    const std::size_t words = (longest_ + kBand + 63) / 64 * (64 / kBand) + 64 / kBand;
    if (words > capacity_) {
      capacity_ = words + 16;
      for (std::size_t p = 0; p < kPlanes; ++p) {
        planes_[p] = hwy::AllocateAligned<T>(capacity_ * lanes());
      }
    }
  }
  void set_length(std::size_t lane, std::size_t length) { length_[lane] = static_cast<T>(length); }
  /// Letters 64 w .. of a lane's window, and of its pattern. Call it with ascending w, and end_words() after each w.
  void set_text(std::size_t lane, std::uint64_t high, std::uint64_t low) {
    words_[kTextHigh][lane] = high;
    words_[kTextLow][lane] = low;
  }
  void set_unknown(std::size_t lane, std::uint64_t letters) { words_[kTextUnknown][lane] = letters; }
  void set_read(std::size_t lane, std::uint64_t high, std::uint64_t low) {
    words_[kReadHigh][lane] = high;
    words_[kReadLow][lane] = low;
  }
  HWY_INLINE void end_words(std::size_t w) {
    for (std::size_t v = 0; v < lanes(); v += hn::Lanes(D())) {
      const std::size_t at = w * (64 / kBand) * lanes() + v;
      for (std::size_t p = 0; p < kPlanes; ++p) {
        transpose<T>(words_[p] + v, planes_[p].get() + at, lanes());
      }
    }
  }

  /// `same_length`: every lane in use has the longest length. kAnchored: matches begin at letter `start` of the window;
  /// otherwise they may begin anywhere.
  template <bool kAnchored = false>
  HWY_INLINE void compute(bool same_length, unsigned start = 0) {
    if (same_length) {
      compute_lanes<true, kAnchored>(lanes(), start);
    } else {
      compute_lanes<false, kAnchored>(lanes(), start);
    }
  }

  /// D in bit 0 of a lane's band; the differences along the band; the smallest D in the band.
  T distance(std::size_t lane) const { return distance_[lane]; }
  T vp(std::size_t lane) const { return vp_[lane]; }
  T vn(std::size_t lane) const { return vn_[lane]; }
  T smallest(std::size_t lane) const { return smallest_[lane]; }

 private:
  static constexpr unsigned kStep = 8;  // rows between two moves of the words; in between, shifts by constants

  struct Registers {
    BandState<V> band;
    V equal;                         // number of rows so far whose cell in bit 0 equals its upper left neighbour
    V last_equal, last_vp, last_vn;  // at the last row of each lane, where lengths differ
  };

  struct PlaneVectors {
    V text_high, text_high_next, text_low, text_low_next, read_high, read_low;
    V unknown, unknown_next;  // of no meaning without kUnknown
  };

  // Row kShift of the current step.
  template <unsigned kShift, bool kSameLength>
  HWY_INLINE void row(const PlaneVectors& w, Registers& r, std::size_t rows_done, V length) const {
    const D d;
    const hn::RebindToSigned<D> ds;
    const HwyOps<D> ops;
    V high = w.text_high;
    V low = w.text_low;
    if constexpr (kShift > 0) {
      high = hn::Or(hn::ShiftRight<kShift>(high), hn::ShiftLeft<kBand - kShift>(w.text_high_next));
      low = hn::Or(hn::ShiftRight<kShift>(low), hn::ShiftLeft<kBand - kShift>(w.text_low_next));
    }
    const auto spread = [&](V plane) {
      return hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(ds, hn::ShiftLeft<kBand - 1 - kShift>(plane))));
    };
    V differ = hn::Or(hn::Xor(high, spread(w.read_high)), hn::Xor(low, spread(w.read_low)));
    if constexpr (kUnknown && kShift > 0) {
      differ = hn::Or3(differ, hn::ShiftRight<kShift>(w.unknown), hn::ShiftLeft<kBand - kShift>(w.unknown_next));
    } else if constexpr (kUnknown) {
      differ = hn::Or(differ, w.unknown);
    }
    const auto cells = banded_row(ops, r.band, hn::Not(differ));
    r.equal = hn::Add(r.equal, hn::And(cells.d0, hn::Set(d, T{1})));
    if constexpr (!kSameLength) {
      const auto ends = hn::Eq(length, hn::Set(d, static_cast<T>(rows_done + kShift + 1)));
      r.last_equal = hn::IfThenElse(ends, r.equal, r.last_equal);
      r.last_vp = hn::IfThenElse(ends, r.band.vp, r.last_vp);
      r.last_vn = hn::IfThenElse(ends, r.band.vn, r.last_vn);
    }
  }

  // The data of one vector of lanes.
  struct LaneVectors {
    V length;
    PlaneVectors words;
    Registers registers;
  };

  // The next kStep rows, or as many as are left.
  template <bool kSameLength, unsigned... kShifts>
  HWY_INLINE void step(LaneVectors& a, LaneVectors& b, std::size_t done,
                       std::integer_sequence<unsigned, kShifts...>) const {
    const std::size_t left = longest_ - done;
    (void)((kShifts < left && (row<kShifts, kSameLength>(a.words, a.registers, done, a.length),
                               row<kShifts, kSameLength>(b.words, b.registers, done, b.length), true)) &&
           ...);
  }

  HWY_INLINE static void advance(PlaneVectors& w) {
    w.text_high = hn::Or(hn::ShiftRight<kStep>(w.text_high), hn::ShiftLeft<kBand - kStep>(w.text_high_next));
    w.text_low = hn::Or(hn::ShiftRight<kStep>(w.text_low), hn::ShiftLeft<kBand - kStep>(w.text_low_next));
    w.text_high_next = hn::ShiftRight<kStep>(w.text_high_next);
    w.text_low_next = hn::ShiftRight<kStep>(w.text_low_next);
    if constexpr (kUnknown) {
      w.unknown = hn::Or(hn::ShiftRight<kStep>(w.unknown), hn::ShiftLeft<kBand - kStep>(w.unknown_next));
      w.unknown_next = hn::ShiftRight<kStep>(w.unknown_next);
    }
    w.read_high = hn::ShiftRight<kStep>(w.read_high);
    w.read_low = hn::ShiftRight<kStep>(w.read_low);
  }

  // The words from element `at` on.
  HWY_INLINE PlaneVectors words_at(std::size_t at, std::size_t lanes) const {
    const D d;
    const V none = hn::Zero(d);
    PlaneVectors words{hn::Load(d, planes_[kTextHigh].get() + at),
                       hn::Load(d, planes_[kTextHigh].get() + at + lanes),
                       hn::Load(d, planes_[kTextLow].get() + at),
                       hn::Load(d, planes_[kTextLow].get() + at + lanes),
                       hn::Load(d, planes_[kReadHigh].get() + at),
                       hn::Load(d, planes_[kReadLow].get() + at),
                       none,
                       none};
    if constexpr (kUnknown) {
      words.unknown = hn::Load(d, planes_[kTextUnknown].get() + at);
      words.unknown_next = hn::Load(d, planes_[kTextUnknown].get() + at + lanes);
    }
    return words;
  }

  template <bool kSameLength, bool kAnchored>
  HWY_INLINE void compute_lanes(std::size_t lanes, unsigned start_bit) {
    const D d;
    const V zero = hn::Zero(d);
    const PlaneVectors no_words{zero, zero, zero, zero, zero, zero, zero, zero};
    Registers start{{zero, zero}, zero, zero, zero, zero};
    if constexpr (kAnchored) {
      // Row -1: D is the distance from bit `start_bit`. A match cannot gain by beginning earlier: each letter that it
      // may match there has been paid for.
      const auto below = static_cast<T>((std::uint64_t{1} << start_bit) - 1);
      start.band = {hn::Set(d, static_cast<T>(~below)), hn::Set(d, below)};
    }
    const std::size_t second = hn::Lanes(d);
    LaneVectors a{hn::Load(d, length_), no_words, start};
    LaneVectors b{hn::Load(d, length_ + second), no_words, start};
    for (std::size_t begin = 0; begin < longest_; begin += kBand) {
      const std::size_t at = begin / kBand * lanes;
      a.words = words_at(at, lanes);
      b.words = words_at(at + second, lanes);
      for (std::size_t done = begin; done < std::min<std::size_t>(begin + kBand, longest_); done += kStep) {
        step<kSameLength>(a, b, done, std::make_integer_sequence<unsigned, kStep>());
        advance(a.words);
        advance(b.words);
      }
    }
    finish<kSameLength>(a, 0, kAnchored ? start_bit : 0);
    finish<kSameLength>(b, second, kAnchored ? start_bit : 0);
  }

  // Stores what the lanes from `at` on found. `first`: D of row -1 in bit 0.
  template <bool kSameLength>
  HWY_INLINE void finish(LaneVectors& lanes, std::size_t at, unsigned first) {
    const D d;
    Registers& r = lanes.registers;
    if constexpr (!kSameLength) {
      r.equal = r.last_equal;
      r.band.vp = r.last_vp;
      r.band.vn = r.last_vn;
    }
    const V distance = hn::Sub(hn::Add(lanes.length, hn::Set(d, static_cast<T>(first))), r.equal);
    // The smallest value along the last row, found step by step.
    const V one = hn::Set(d, T{1});
    V value = distance;
    V smallest = distance;
    V plus = r.band.vp;
    V minus = r.band.vn;
    for (unsigned bit = 0; bit + 1 < kBand; ++bit) {
      value = hn::Sub(hn::Add(value, hn::And(plus, one)), hn::And(minus, one));
      plus = hn::ShiftRight<1>(plus);
      minus = hn::ShiftRight<1>(minus);
      smallest = smaller(smallest, value);
    }
    hn::Store(distance, d, distance_ + at);
    hn::Store(smallest, d, smallest_ + at);
    hn::Store(r.band.vp, d, vp_ + at);
    hn::Store(r.band.vn, d, vn_ + at);
  }

  // Values stay far below half the range of T. So a signed comparison is right, on every instruction set.
  HWY_INLINE static V smaller(V a, V b) {
    const hn::RebindToSigned<D> ds;
    return hn::IfThenElse(hn::RebindMask(D(), hn::Lt(hn::BitCast(ds, a), hn::BitCast(ds, b))), a, b);
  }

  static constexpr std::size_t kPlanes = kUnknown ? kLanePlanes : kTextUnknown;

  HWY_ALIGN std::uint64_t words_[kPlanes][kMaxLanes] = {};  // 64 letters of each lane
  // All letters in words of T: word w of lane l is element w * lanes() + l.
  hwy::AlignedFreeUniquePtr<T[]> planes_[kPlanes];
  std::size_t capacity_ = 0;  // words per lane
  std::size_t longest_ = 0;
  HWY_ALIGN T length_[kMaxLanes] = {};
  HWY_ALIGN T distance_[kMaxLanes];
  HWY_ALIGN T smallest_[kMaxLanes];
  HWY_ALIGN T vp_[kMaxLanes];
  HWY_ALIGN T vn_[kMaxLanes];
};

}  // namespace trawl::match::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
