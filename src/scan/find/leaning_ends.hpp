// Positions that are no ends because they lean too much on ambiguous letters (sequence/ambiguous_limit.hpp).
//
//   with: const sequence::Reference reference = reference_of("ACGTACGTNNNNACGT")
//   LeaningEnds leaning_ends(reference, {}, 8);          // at most a quarter of the letters
//   leaning_ends.load(sequence::kContigGap, 64);
//   std::uint64_t words[1] = {};
//   if (leaning_ends.any()) {
//     leaning_ends.mark(8, words);                       // bit i of word w: position 256 + 64 w + i is no end
//   }
//   (words[0] & 0xffff) == 0b1111'1100'0000'0000
#pragma once

#include <cstdint>
#include <vector>

#include "base/host_device.hpp"
#include "sequence/ambiguous_limit.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// The number of ambiguous letters before each position. It takes 12 bytes for 64 positions and is copied to the
/// device.
struct AmbiguousCounts {
  std::vector<std::uint64_t> is_ambiguous;  // bit i of word w: position 64 w + i
  std::vector<std::uint32_t>
      before;  // of word w: ambiguous letters before it. May wrap around; differences are still right
};

/// Empty if the reference has no ambiguous letter.
AmbiguousCounts make_ambiguous_counts(const sequence::Reference& reference);

/// Counts the ambiguous letters in the `length` positions up to `end`, or from the beginning of the reference to `end`.
struct AmbiguousCountsView {
  const std::uint64_t* is_ambiguous = nullptr;
  const std::uint32_t* before = nullptr;

  TRAWL_HOST_DEVICE std::uint32_t until(std::uint64_t position) const {
    std::uint64_t left = is_ambiguous[position / 64] & ((std::uint64_t{1} << (position % 64)) - 1);
    std::uint32_t count = before[position / 64];
#ifdef __CUDA_ARCH__
    count += static_cast<std::uint32_t>(__popcll(left));
#else
    count += static_cast<std::uint32_t>(__builtin_popcountll(left));
#endif
    return count;
  }
  TRAWL_HOST_DEVICE std::uint32_t in_window(std::uint64_t end, std::uint32_t length) const {
    const std::uint64_t begin = end + 1 < length ? 0 : end + 1 - length;
    return until(end + 1) - until(begin);
  }
};

/// Call it block by block.
class LeaningEnds {
 public:
  /// `longest`: the largest length that mark() will be asked for.
  LeaningEnds(const sequence::Reference& reference, const sequence::AmbiguousLimit& limit, std::uint64_t longest);

  /// Loads the ends [begin, begin + count); count is a multiple of 64.
  void load(std::uint64_t begin, std::uint64_t count);
  /// Whether there is any ambiguous letter in these positions or in the `longest` positions before them.
  bool any() const { return any_; }
  /// Writes count / 64 words: the positions that are no ends of patterns of `length` letters. Call it only if any() is
  /// true.
  void mark(std::uint32_t length, std::uint64_t* words) const;

 private:
  const sequence::Reference& reference_;
  sequence::AmbiguousLimit limit_;
  std::uint64_t longest_;
  std::uint64_t count_ = 0;
  bool any_ = false;
  std::vector<std::uint32_t>
      before_;  // [i]: ambiguous letters among the first i positions, counted from begin - longest
};

}  // namespace trawl::scan
