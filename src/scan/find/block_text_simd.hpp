// The text of a block in the form that the row-wise scan reads: striped, one bit plane for each set of bases. This file
// is included once for every instruction set.
//
//   with: const sequence::Reference& reference
//   BlockText text(reference, false, 1u << 0b0001 | 1u << 0b1000);      // planes of A and of T
//   text.load(0);
//   const std::uint64_t* const words = text.eq(0b0001);                 // where A matches
#if defined(TRAWL_SCAN_BLOCK_TEXT_SIMD_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAWL_SCAN_BLOCK_TEXT_SIMD_HPP
#undef TRAWL_SCAN_BLOCK_TEXT_SIMD_HPP
#else
#define TRAWL_SCAN_BLOCK_TEXT_SIMD_HPP
#endif

#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "match/hwy_ops.hpp"
#include "match/wu_manber_rows.hpp"
#include "sequence/reference.hpp"
#include "sequence/text_window.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::scan::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#include "match/wu_manber_rows.inc"

using D = hn::ScalableTag<std::uint64_t>;
using V = hn::Vec<D>;
using Ops = match::HWY_NAMESPACE::HwyOps<D>;

constexpr unsigned kWords = 8;
constexpr std::size_t kMaxLanes = HWY_MAX_BYTES / 8;

// The words of a block that are in one vector, by lane, and how to load them from {high, low} pairs.
inline std::size_t word_of_lane(std::size_t lane, std::size_t lanes) { return lane / 2 + lane % 2 * (lanes / 2); }

// For each set of bases: the positions of a striped block that it matches.
class BlockText {
 public:
  BlockText(const sequence::Reference& reference, bool ambiguous_matches, std::uint32_t sets)
      : reference_(reference),
        ambiguous_matches_(ambiguous_matches),
        sets_(sets),
        lanes_(hn::Lanes(D())),
        planes_(hwy::AllocateAligned<std::uint64_t>(16 * kWords * lanes_)) {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      order_[lane] = word_of_lane(lane, lanes_);
    }
  }

  std::uint64_t positions() const { return 64 * kWords * lanes_; }
  const std::uint64_t* eq(unsigned set) const { return planes_.get() + set * kWords * lanes_; }

  void load(std::uint64_t begin) {
    const std::uint64_t first = begin / 64;
    const auto words = static_cast<unsigned>(kWords * lanes_);
    const bool past_planes = first + words > reference_.planes().size();
    if (!past_planes && !reference_.any_has_ambiguous(first, words)) {
      load_planes(first, nullptr);
    } else if (past_planes || ambiguous_matches_) {
      load_mixed(begin);
    } else {
      load_planes(first, reference_.ambiguous().data() + first);
    }
  }

 private:
  void load_planes(std::uint64_t first, const std::uint64_t* ambiguous) {
    const D d;
    const Ops ops;
    V high[kWords];
    V low[kWords];
    const auto* from = reinterpret_cast<const std::uint64_t*>(reference_.planes().data() + first);
    TRAWL_UNROLL
    for (unsigned w = 0; w < kWords; ++w) {
      const V a = hn::LoadU(d, from + 2 * w * lanes_);
      const V b = hn::LoadU(d, from + (2 * w + 1) * lanes_);
#if HWY_TARGET == HWY_SCALAR
      high[w] = a;
      low[w] = b;
#else
      high[w] = hn::InterleaveLower(d, a, b);
      low[w] = hn::InterleaveUpper(d, a, b);
#endif
    }
    stripe_eight(ops, high);
    stripe_eight(ops, low);
    V known[kWords];
    if (ambiguous != nullptr) {
      const auto order = hn::SetTableIndices(d, order_);
      for (unsigned w = 0; w < kWords; ++w) {
        known[w] = hn::Not(hn::TableLookupLanes(hn::LoadU(d, ambiguous + w * lanes_), order));
      }
      stripe_eight(ops, known);
    }
    TRAWL_UNROLL
    for (unsigned w = 0; w < kWords; ++w) {
      V a = hn::Not(hn::Or(high[w], low[w]));
      V c = hn::AndNot(high[w], low[w]);
      V g = hn::AndNot(low[w], high[w]);
      V t = hn::And(high[w], low[w]);
      if (ambiguous != nullptr) {
        a = hn::And(a, known[w]);
        c = hn::And(c, known[w]);
        g = hn::And(g, known[w]);
        t = hn::And(t, known[w]);
      }
      put(1, w, a);
      put(2, w, c);
      put(4, w, g);
      put(8, w, t);
    }
    join_sets();
  }

  // A block with ambiguous letters that match, or a block at the end of the reference: handled letter by letter.
  void load_mixed(std::uint64_t begin) {
    const D d;
    const Ops ops;
    text_.load(reference_, static_cast<std::int64_t>(begin), positions(), ambiguous_matches_);
    for (unsigned code = 0; code < 4; ++code) {
      V words[kWords];
      for (unsigned w = 0; w < kWords; ++w) {
        HWY_ALIGN std::uint64_t lanes[kMaxLanes] = {};
        for (std::size_t lane = 0; lane < lanes_; ++lane) {
          lanes[lane] = text_.bits(code, 64 * (w * lanes_ + order_[lane]));
        }
        words[w] = hn::Load(d, lanes);
      }
      stripe_eight(ops, words);
      for (unsigned w = 0; w < kWords; ++w) {
        put(1u << code, w, words[w]);
      }
    }
    join_sets();
  }

  void join_sets() {
    const D d;
    std::uint32_t joined = sets_ & ~(1u << 1 | 1u << 2 | 1u << 4 | 1u << 8);
    for (; joined != 0; joined &= joined - 1) {
      const auto set = static_cast<unsigned>(std::countr_zero(joined));
      for (unsigned w = 0; w < kWords; ++w) {
        V sum = hn::Zero(d);
        for (unsigned code = 0; code < 4; ++code) {
          if ((set >> code) & 1) {
            sum = hn::Or(sum, hn::Load(d, eq(1u << code) + w * lanes_));
          }
        }
        put(set, w, sum);
      }
    }
  }

  void put(unsigned set, unsigned word, V value) {
    hn::Store(value, D(), planes_.get() + (set * kWords + word) * lanes_);
  }

  const sequence::Reference& reference_;
  bool ambiguous_matches_;
  std::uint32_t sets_;
  std::size_t lanes_;
  hwy::AlignedFreeUniquePtr<std::uint64_t[]> planes_;  // [set][word][lane]
  std::uint64_t order_[kMaxLanes] = {};
  sequence::TextWindow text_;
};

}  // namespace trawl::scan::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
