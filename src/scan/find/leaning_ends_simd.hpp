// The positions that are no ends (scan/find/leaning_ends.hpp) in a block of the row-wise scan, striped like the scan's
// states. This file is included once for every instruction set.
//
//   with: const sequence::Reference& reference, const sequence::AmbiguousLimit& limit
//   BlockLeaningEnds leaning(reference, limit, 100);
//   leaning.load(0);
//   if (leaning.any()) {
//     const std::uint64_t* const words = leaning.of_length(20);         // of patterns of 20 letters
//   }
#if defined(TRAWL_SCAN_LEANING_ENDS_SIMD_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAWL_SCAN_LEANING_ENDS_SIMD_HPP
#undef TRAWL_SCAN_LEANING_ENDS_SIMD_HPP
#else
#define TRAWL_SCAN_LEANING_ENDS_SIMD_HPP
#endif

#include <hwy/aligned_allocator.h>
#include <hwy/highway.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "scan/find/block_text_simd.hpp"
#include "scan/find/leaning_ends.hpp"

HWY_BEFORE_NAMESPACE();
namespace trawl::scan::HWY_NAMESPACE {

class BlockLeaningEnds {
 public:
  BlockLeaningEnds(const sequence::Reference& reference, const sequence::AmbiguousLimit& limit, std::uint64_t longest)
      : lanes_(hn::Lanes(D())), plain_(kWords * lanes_), leaning_ends_(reference, limit, longest) {}

  void load(std::uint64_t position) {
    leaning_ends_.load(position, 64 * kWords * lanes_);
    ++block_;
  }
  bool any() const { return leaning_ends_.any(); }

  // [word][lane]; computed at the first request in a block.
  const std::uint64_t* of_length(std::uint32_t length) {
    Marks& marks = by_length_[length];
    if (marks.block == block_) {
      return marks.words.get();
    }
    if (!marks.words) {
      marks.words = hwy::AllocateAligned<std::uint64_t>(kWords * lanes_);
    }
    marks.block = block_;
    leaning_ends_.mark(length, plain_.data());
    const D d;
    V words[kWords];
    for (unsigned w = 0; w < kWords; ++w) {
      HWY_ALIGN std::uint64_t row[kMaxLanes] = {};
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        row[lane] = plain_[w * lanes_ + word_of_lane(lane, lanes_)];
      }
      words[w] = hn::Load(d, row);
    }
    stripe_eight(Ops(), words);
    for (unsigned w = 0; w < kWords; ++w) {
      hn::Store(words[w], d, marks.words.get() + w * lanes_);
    }
    return marks.words.get();
  }

 private:
  struct Marks {
    std::uint64_t block = 0;
    hwy::AlignedFreeUniquePtr<std::uint64_t[]> words;
  };

  std::size_t lanes_;
  std::uint64_t block_ = 0;
  std::vector<std::uint64_t> plain_;
  LeaningEnds leaning_ends_;
  std::unordered_map<std::uint32_t, Marks> by_length_;
};

}  // namespace trawl::scan::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
