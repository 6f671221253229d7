// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "map/verify_simd.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/host_device.hpp"
#include "map/verify.hpp"
#include "match/hwy_ops.hpp"
#include "sequence/plane_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::map::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "match/banded_myers.inc"

// A row must wait for the row before it. Two vectors that do not depend on each other keep the processor busy.
constexpr std::size_t kVectors = 2;

// 64 bases of the windows of one group, one window per lane.
template <class T>
struct LaneWords {
  static constexpr std::size_t kMaxLanes = kVectors * HWY_MAX_BYTES / sizeof(T);
  HWY_ALIGN std::uint64_t text_high[kMaxLanes];
  HWY_ALIGN std::uint64_t text_low[kMaxLanes];
  HWY_ALIGN std::uint64_t read_high[kMaxLanes];
  HWY_ALIGN std::uint64_t read_low[kMaxLanes];
};

// All bases of the windows, in words of T: word w of lane l is element w * lanes + l. Here `lanes` counts those of all
// vectors.
template <class T>
struct LaneGroup {
  hwy::AlignedFreeUniquePtr<T[]> text_high, text_low, read_high, read_low;
  std::size_t capacity = 0;  // words per lane

  void reserve(std::size_t words, std::size_t lanes) {
    if (words <= capacity) {
      return;
    }
    capacity = words + 16;
    text_high = hwy::AllocateAligned<T>(capacity * lanes);
    text_low = hwy::AllocateAligned<T>(capacity * lanes);
    read_high = hwy::AllocateAligned<T>(capacity * lanes);
    read_low = hwy::AllocateAligned<T>(capacity * lanes);
  }
};

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

template <class T>
class BandVerifier {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr unsigned kBand = 8 * sizeof(T);
  static constexpr unsigned kStep = 8;  // rows between two moves of the words; in between, shifts by constants
  static constexpr std::size_t kMaxLanes = kVectors * HWY_MAX_BYTES / sizeof(T);

  void run(const sequence::Reference& reference, const Strand* strands, const std::vector<Window>& windows,
           bool ambiguous_matches, std::vector<BandDistances>& found) {
    const std::size_t lanes = kVectors * hn::Lanes(D());
    for (std::size_t first = 0; first < windows.size(); first += lanes) {
      const std::size_t count = std::min(lanes, windows.size() - first);
      const Window* group = windows.data() + first;
      load(reference, strands, group, count, lanes);
      if (longest_ > 0) {
        if (same_length_) {
          compute<true>(lanes);
        } else {
          compute<false>(lanes);
        }
      }
      for (std::size_t l = 0; l < count; ++l) {
        const Strand& strand = strands[group[l].strand];
        if (group[l].clear) {
          if (smallest_[l] <= strand.max_edits) {
            found.push_back(
                {static_cast<std::uint32_t>(first + l), static_cast<std::uint32_t>(distance_[l]), vp_[l], vn_[l]});
          }
        } else {
          auto one = detail::verify_one(reference, *strand.read, group[l], ambiguous_matches, text_);
          if (smallest_distance(one, kBand) <= strand.max_edits) {
            one.window = static_cast<std::uint32_t>(first + l);
            found.push_back(one);
          }
        }
      }
    }
  }

 private:
  void load(const sequence::Reference& reference, const Strand* strands, const Window* group, std::size_t count,
            std::size_t lanes) {
    longest_ = 0;
    for (std::size_t l = 0; l < count; ++l) {
      if (group[l].clear) {
        longest_ = std::max(longest_, strands[group[l].strand].read->length());
      }
    }
    same_length_ = true;
    group_.reserve((longest_ + kBand + 63) / 64 * (64 / kBand) + 64 / kBand, lanes);
    for (std::size_t l = 0; l < lanes; ++l) {
      const bool used = l < count && group[l].clear;
      length_[l] = used ? static_cast<T>(strands[group[l].strand].read->length()) : T{0};
      same_length_ = same_length_ && (!used || static_cast<std::size_t>(length_[l]) == longest_);
    }
    const sequence::PlaneBlock* planes = reference.planes().data();
    for (std::size_t i = 0; i < longest_ + kBand; i += 64) {
      for (std::size_t l = 0; l < count; ++l) {
        if (i >= length_[l] + std::size_t{kBand} || length_[l] == 0) {
          continue;  // the value in this lane does not matter
        }
        const auto text = sequence::planes_at(planes, static_cast<std::uint64_t>(group[l].begin) + i);
        words_.text_high[l] = text.high;
        words_.text_low[l] = text.low;
        const sequence::EncodedRead& read = *strands[group[l].strand].read;
        if (i < length_[l]) {
          words_.read_high[l] = read.high[i / 64];
          words_.read_low[l] = read.low[i / 64];
        }
      }
      for (std::size_t v = 0; v < lanes; v += hn::Lanes(D())) {
        const std::size_t at = i / kBand * lanes + v;
        transpose<T>(words_.text_high + v, group_.text_high.get() + at, lanes);
        transpose<T>(words_.text_low + v, group_.text_low.get() + at, lanes);
        transpose<T>(words_.read_high + v, group_.read_high.get() + at, lanes);
        transpose<T>(words_.read_low + v, group_.read_low.get() + at, lanes);
      }
    }
  }

  struct Registers {
    BandState<V> band;
    V equal;                         // number of rows so far whose cell in bit 0 equals its upper left neighbour
    V last_equal, last_vp, last_vn;  // at the last row of each lane, where lengths differ
  };

  struct Words {
    V text_high, text_high_next, text_low, text_low_next, read_high, read_low;
  };

  // Row kShift of the current step.
  template <unsigned kShift, bool kSameLength>
  HWY_INLINE void row(const Words& w, Registers& r, std::size_t rows_done, V length) const {
    const D d;
    const hn::RebindToSigned<D> ds;
    const match::HWY_NAMESPACE::HwyOps<D> ops;
    V high = w.text_high;
    V low = w.text_low;
    if constexpr (kShift > 0) {
      high = hn::Or(hn::ShiftRight<kShift>(high), hn::ShiftLeft<kBand - kShift>(w.text_high_next));
      low = hn::Or(hn::ShiftRight<kShift>(low), hn::ShiftLeft<kBand - kShift>(w.text_low_next));
    }
    const auto spread = [&](V plane) {
      return hn::BitCast(d, hn::BroadcastSignBit(hn::BitCast(ds, hn::ShiftLeft<kBand - 1 - kShift>(plane))));
    };
    const V differ = hn::Or(hn::Xor(high, spread(w.read_high)), hn::Xor(low, spread(w.read_low)));
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
  struct Lanes {
    V length;
    Words words;
    Registers registers;
  };

  // The next kStep rows, or as many as are left.
  template <bool kSameLength, unsigned... kShifts>
  HWY_INLINE void step(Lanes& a, Lanes& b, std::size_t done, std::integer_sequence<unsigned, kShifts...>) const {
    const std::size_t left = longest_ - done;
    (void)((kShifts < left && (row<kShifts, kSameLength>(a.words, a.registers, done, a.length),
                               row<kShifts, kSameLength>(b.words, b.registers, done, b.length), true)) &&
           ...);
  }

  HWY_INLINE static void advance(Words& w) {
    w.text_high = hn::Or(hn::ShiftRight<kStep>(w.text_high), hn::ShiftLeft<kBand - kStep>(w.text_high_next));
    w.text_low = hn::Or(hn::ShiftRight<kStep>(w.text_low), hn::ShiftLeft<kBand - kStep>(w.text_low_next));
    w.text_high_next = hn::ShiftRight<kStep>(w.text_high_next);
    w.text_low_next = hn::ShiftRight<kStep>(w.text_low_next);
    w.read_high = hn::ShiftRight<kStep>(w.read_high);
    w.read_low = hn::ShiftRight<kStep>(w.read_low);
  }

  // The words from element `at` on.
  HWY_INLINE Words words_at(std::size_t at, std::size_t lanes) const {
    const D d;
    return {hn::Load(d, group_.text_high.get() + at), hn::Load(d, group_.text_high.get() + at + lanes),
            hn::Load(d, group_.text_low.get() + at),  hn::Load(d, group_.text_low.get() + at + lanes),
            hn::Load(d, group_.read_high.get() + at), hn::Load(d, group_.read_low.get() + at)};
  }

  template <bool kSameLength>
  HWY_INLINE void compute(std::size_t lanes) {
    const D d;
    const V zero = hn::Zero(d);
    const Words no_words{zero, zero, zero, zero, zero, zero};
    const Registers start{{zero, zero}, zero, zero, zero, zero};
    const std::size_t second = hn::Lanes(d);
    Lanes a{hn::Load(d, length_), no_words, start};
    Lanes b{hn::Load(d, length_ + second), no_words, start};
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
    finish<kSameLength>(a, 0);
    finish<kSameLength>(b, second);
  }

  // Stores what the lanes from `at` on found.
  template <bool kSameLength>
  HWY_INLINE void finish(Lanes& lanes, std::size_t at) {
    const D d;
    Registers& r = lanes.registers;
    if constexpr (!kSameLength) {
      r.equal = r.last_equal;
      r.band.vp = r.last_vp;
      r.band.vn = r.last_vn;
    }
    const V distance = hn::Sub(lanes.length, r.equal);
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

  LaneWords<T> words_ = {};
  LaneGroup<T> group_;
  sequence::TextWindow text_;
  std::size_t longest_ = 0;
  bool same_length_ = true;
  HWY_ALIGN T length_[kMaxLanes];
  HWY_ALIGN T distance_[kMaxLanes];
  HWY_ALIGN T smallest_[kMaxLanes];
  HWY_ALIGN T vp_[kMaxLanes];
  HWY_ALIGN T vn_[kMaxLanes];
};

template <class T>
void verify_band(const sequence::Reference& reference, const Strand* strands, const std::vector<Window>& windows,
                 bool ambiguous_matches, std::vector<BandDistances>& found) {
  static thread_local BandVerifier<T> verifier;
  verifier.run(reference, strands, windows, ambiguous_matches, found);
}

void verify_windows(const sequence::Reference& reference, const Strand* strands, const std::vector<Window>& windows,
                    unsigned band, bool ambiguous_matches, std::vector<BandDistances>& found) {
  if (band == 16) {
    verify_band<std::uint16_t>(reference, strands, windows, ambiguous_matches, found);
  } else if (band == 32) {
    verify_band<std::uint32_t>(reference, strands, windows, ambiguous_matches, found);
  } else {
    verify_band<std::uint64_t>(reference, strands, windows, ambiguous_matches, found);
  }
}

const char* target_name() { return hwy::TargetName(HWY_TARGET); }

}  // namespace trawl::map::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::map {

HWY_EXPORT(verify_windows);
HWY_EXPORT(target_name);

void verify_windows(const sequence::Reference& reference, const Strand* strands, const std::vector<Window>& windows,
                    unsigned band, bool ambiguous_matches, std::vector<BandDistances>& found) {
  HWY_DYNAMIC_DISPATCH(verify_windows)(reference, strands, windows, band, ambiguous_matches, found);
}

const char* simd_target() { return HWY_DYNAMIC_DISPATCH(target_name)(); }

}  // namespace trawl::map

#endif  // HWY_ONCE
