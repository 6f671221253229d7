// Highway includes this file once for every instruction set it compiles for.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "map/scan_simd.cpp"
#include <hwy/aligned_allocator.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "base/host_device.hpp"
#include "base/stop.hpp"
#include "map/reference_scan.hpp"
#include "match/hwy_ops.hpp"
#include "sequence/alphabet.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::map::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "match/myers.inc"

// Scans for strands of up to `words` 64-bit words, one strand per lane. Every pattern ends at the top bit of its last
// word. The rows before its first one match everything and keep D = 0. So lanes with patterns of different lengths
// share the last row.
class LaneScanner {
 public:
  using D = hn::ScalableTag<std::uint64_t>;
  using V = hn::Vec<D>;
  static constexpr std::size_t kMaxLanes = HWY_MAX_BYTES / 8;

  void load(const Strand* strands, std::size_t count) {
    lanes_ = hn::Lanes(D());
    std::size_t longest = 1;
    for (std::size_t l = 0; l < count; ++l) {
      longest = std::max(longest, strands[l].read->length());
    }
    words_ = (longest + 63) / 64;
    rows_ = hwy::AllocateAligned<std::uint64_t>(16 * words_ * lanes_);
    start_ = hwy::AllocateAligned<std::uint64_t>(words_ * lanes_);
    state_ = hwy::AllocateAligned<std::uint64_t>(2 * words_ * lanes_);
    std::fill(rows_.get(), rows_.get() + 16 * words_ * lanes_, 0);
    std::fill(start_.get(), start_.get() + words_ * lanes_, 0);
    for (std::size_t l = 0; l < lanes_; ++l) {
      const std::size_t length = l < count ? strands[l].read->length() : 0;
      length_[l] = l < count ? length : kNever;
      limit_[l] = l < count ? strands[l].max_edits : 0;
      const std::size_t padding = words_ * 64 - length;
      for (std::size_t i = 0; i < words_ * 64; ++i) {
        const std::uint64_t bit = std::uint64_t{1} << (i % 64);
        const std::size_t at = i / 64 * lanes_ + l;
        const unsigned matches = i < padding ? 15u : strands[l].read->set(i - padding);
        for (unsigned set = 0; set < 16; ++set) {
          if (i < padding || (matches & set) != 0) {
            rows_[set * words_ * lanes_ + at] |= bit;
          }
        }
        if (i >= padding) {
          start_[at] |= bit;
        }
      }
    }
  }

  void begin() {
    std::copy(start_.get(), start_.get() + words_ * lanes_, state_.get());
    std::fill(state_.get() + words_ * lanes_, state_.get() + 2 * words_ * lanes_, 0);
    std::copy(length_, length_ + lanes_, distance_);
  }

  // `sets`: the sets of bases that `count` consecutive positions from `position` on match.
  void scan(const std::uint8_t* sets, std::size_t count, std::uint64_t position,
            std::vector<align::EndDistance>* found) {
    if (words_ == 1) {
      scan_words<1>(sets, count, position, found);
    } else if (words_ == 2) {
      scan_words<2>(sets, count, position, found);
    } else {
      scan_words<0>(sets, count, position, found);
    }
  }

 private:
  // The distance in a lane that has no strand: never within its limit, and far from overflow in both directions.
  static constexpr std::uint64_t kNever = std::uint64_t{1} << 40;

  template <std::size_t kWords>
  void scan_words(const std::uint8_t* sets, std::size_t count, std::uint64_t position,
                  std::vector<align::EndDistance>* found) {
    const D d;
    const hn::RebindToSigned<D> ds;
    const match::HWY_NAMESPACE::HwyOps<D> ops;
    const std::size_t words = kWords == 0 ? words_ : kWords;
    std::uint64_t* vp = state_.get();
    std::uint64_t* vn = state_.get() + words * lanes_;
    V distance = hn::Load(d, distance_);
    const auto limit = hn::BitCast(ds, hn::Load(d, limit_));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t* eq = rows_.get() + sets[i] * words * lanes_;
      V above_plus = hn::Zero(d);
      V above_minus = hn::Zero(d);
      for (std::size_t w = 0; w < words; ++w) {
        V plus = hn::Load(d, vp + w * lanes_);
        V minus = hn::Load(d, vn + w * lanes_);
        const auto h = myers_column(ops, plus, minus, hn::Load(d, eq + w * lanes_), above_plus, above_minus);
        hn::Store(plus, d, vp + w * lanes_);
        hn::Store(minus, d, vn + w * lanes_);
        above_plus = hn::ShiftRight<63>(h.hp);
        above_minus = hn::ShiftRight<63>(h.hn);
      }
      distance = hn::Sub(hn::Add(distance, above_plus), above_minus);
      const auto over = hn::Gt(hn::BitCast(ds, distance), limit);
      if (HWY_UNLIKELY(!hn::AllTrue(ds, over))) {
        hn::Store(distance, d, distance_);
        for (std::size_t l = 0; l < lanes_; ++l) {
          if (distance_[l] <= limit_[l]) {
            found[l].push_back({position + i, static_cast<std::uint16_t>(distance_[l])});
          }
        }
      }
    }
    hn::Store(distance, d, distance_);
  }

  std::size_t lanes_ = 0;
  std::size_t words_ = 0;
  hwy::AlignedFreeUniquePtr<std::uint64_t[]> rows_;   // [set][word][lane]: the rows that match a text letter's set
  hwy::AlignedFreeUniquePtr<std::uint64_t[]> start_;  // [word][lane]: vp before the first column
  hwy::AlignedFreeUniquePtr<std::uint64_t[]> state_;  // vp, then vn
  HWY_ALIGN std::uint64_t length_[kMaxLanes] = {};
  HWY_ALIGN std::uint64_t distance_[kMaxLanes] = {};
  HWY_ALIGN std::uint64_t limit_[kMaxLanes] = {};
};

// The sets of bases that 64 positions match.
void load_sets(const sequence::Reference& reference, std::uint64_t block, bool ambiguous_matches, std::uint8_t* sets) {
  const auto& plane = reference.planes()[block];
  const std::uint64_t ambiguous = reference.ambiguous()[block];
  for (unsigned bit = 0; bit < 64; ++bit) {
    const unsigned code = static_cast<unsigned>((((plane.high >> bit) & 1) << 1) | ((plane.low >> bit) & 1));
    sets[bit] = static_cast<std::uint8_t>((1u << code) & (((ambiguous >> bit) & 1) - 1));
  }
  if (ambiguous_matches && ambiguous != 0) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      if ((ambiguous >> bit) & 1) {
        sets[bit] = sequence::iupac_set(reference.letter(block * 64 + bit));
      }
    }
  }
}

// How many ends of a lane are collected before they are passed on.
constexpr std::size_t kEndsAtOnce = 1024;

void scan_lanes(const sequence::Reference& reference, const std::vector<Strand>& strands,
                const std::vector<ReferenceStretch>& stretches, bool ambiguous_matches, const TakeEnds& take) {
  LaneScanner scanner;
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<std::uint64_t>());
  std::vector<std::vector<align::EndDistance>> found(lanes);  // one list per lane
  std::uint8_t sets[64];
  for (std::size_t first = 0; first < strands.size(); first += lanes) {
    const std::size_t count = std::min(lanes, strands.size() - first);
    scanner.load(strands.data() + first, count);
    const auto hand_over = [&](std::size_t at_least) {
      for (std::size_t l = 0; l < count; ++l) {
        if (found[l].size() >= at_least) {
          take(first + l, found[l]);
          found[l].clear();
        }
      }
    };
    for (const ReferenceStretch& stretch : stretches) {
      scanner.begin();
      std::uint64_t position = stretch.begin;
      while (position < stretch.end) {
        if (position / 64 % 64 == 0) {
          Stop::look();
        }
        load_sets(reference, position / 64, ambiguous_matches, sets);
        const std::uint64_t end = std::min(stretch.end, (position / 64 + 1) * 64);
        scanner.scan(sets + position % 64, end - position, position, found.data());
        position = end;
        hand_over(kEndsAtOnce);
      }
    }
    hand_over(1);
  }
}

}  // namespace trawl::map::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trawl::map {

HWY_EXPORT(scan_lanes);

void scan_reference(const sequence::Reference& reference, const std::vector<Strand>& strands,
                    const std::vector<ReferenceStretch>& stretches, bool ambiguous_matches, const TakeEnds& take) {
  HWY_DYNAMIC_DISPATCH(scan_lanes)(reference, strands, stretches, ambiguous_matches, take);
}

}  // namespace trawl::map

#endif  // HWY_ONCE
