// Ends that letters N alone make, if ambiguous letters match. They are not reported as ends.
//
//   NEnds n_ends(reference, max_edits, longest);
//   n_ends.load(begin, 4096);
//   if (n_ends.any()) n_ends.mark(length, words);   // bit i of word w: the end at position begin + 64 w + i
#pragma once

#include <cstdint>
#include <vector>

#include "base/host_device.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// The rule: a window of `length` positions has `count` letters N. If a pattern of `length` letters matches there with
/// `max_edits` edits whatever the other letters are, N alone makes the match. (There are fewer edits than positions
/// between contigs. So letters N before the contig of the end may be counted or not.)
TRAWL_HOST_DEVICE constexpr bool n_makes_match(std::uint64_t count, std::uint64_t length, std::uint64_t max_edits) {
  return count + max_edits >= length;
}

/// The number of letters N before each position. It takes 12 bytes for 64 positions and is copied to the device.
struct NCounts {
  std::vector<std::uint64_t> is_n;    // bit i of word w: position 64 w + i
  std::vector<std::uint32_t> before;  // of word w: letters N before it. May wrap around; differences are still right
};

/// Empty if the reference has no N.
NCounts count_n(const sequence::Reference& reference);

/// Counts the letters N in the `length` positions up to `end`, or from the beginning of the reference to `end`.
struct NCountsView {
  const std::uint64_t* is_n = nullptr;
  const std::uint32_t* before = nullptr;

  TRAWL_HOST_DEVICE std::uint32_t until(std::uint64_t position) const {
    std::uint64_t left = is_n[position / 64] & ((std::uint64_t{1} << (position % 64)) - 1);
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
class NEnds {
 public:
  /// `longest`: the largest length that mark() will be asked for.
  NEnds(const sequence::Reference& reference, std::uint32_t max_edits, std::uint64_t longest);

  /// Loads the ends [begin, begin + count); count is a multiple of 64.
  void load(std::uint64_t begin, std::uint64_t count);
  /// Whether there is any N in these positions or in the `longest` positions before them.
  bool any() const { return any_; }
  /// Writes count / 64 words: the ends that N alone makes for patterns of `length` letters. Call it only if any() is
  /// true.
  void mark(std::uint32_t length, std::uint64_t* words) const;

 private:
  const sequence::Reference& reference_;
  std::uint32_t max_edits_;
  std::uint64_t longest_;
  std::uint64_t count_ = 0;
  bool any_ = false;
  std::vector<std::uint32_t> before_;  // [i]: letters N among the first i positions, counted from begin - longest
};

}  // namespace trawl::scan
