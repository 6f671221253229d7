// Ends that letters N make by themselves, where ambiguous letters match: they are no ends.
//
//   NEnds n_ends(reference, max_edits, longest);
//   n_ends.load(begin, 4096);
//   if (n_ends.any()) n_ends.mark(length, words);   // bit i of word w: the end at begin + 64 w + i
#pragma once

#include <cstdint>
#include <vector>

#include "base/host_device.hpp"
#include "sequence/reference.hpp"

namespace trawl::scan {

/// The rule: a pattern of `length` letters matches with `max_edits` whatever letters stand beside `count` letters N
/// among as many positions. (Edits are fewer than positions between contigs, so that those before the contig of the
/// end may be counted or not.)
TRAWL_HOST_DEVICE constexpr bool n_makes_match(std::uint64_t count, std::uint64_t length, std::uint64_t max_edits) {
  return count + max_edits >= length;
}

/// Letters N before each position, 12 bytes for 64 positions: what a device is given.
struct NCounts {
  std::vector<std::uint64_t> is_n;    // bit i of word w: position 64 w + i
  std::vector<std::uint32_t> before;  // of word w, those before it; they wrap around, differences do not
};

/// Empty where the reference has no N.
NCounts count_n(const sequence::Reference& reference);

/// Letters N in the `length` positions up to `end`, or up to the begin of the reference.
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

/// Asked block by block.
class NEnds {
 public:
  /// `longest`: no length is larger.
  NEnds(const sequence::Reference& reference, std::uint32_t max_edits, std::uint64_t longest);

  /// The ends [begin, begin + count), a multiple of 64.
  void load(std::uint64_t begin, std::uint64_t count);
  /// Whether any N lies among them or up to `longest` before.
  bool any() const { return any_; }
  /// Replaces count / 64 words by the ends that N makes of patterns of `length`. Only where any().
  void mark(std::uint32_t length, std::uint64_t* words) const;

 private:
  const sequence::Reference& reference_;
  std::uint32_t max_edits_;
  std::uint64_t longest_;
  std::uint64_t count_ = 0;
  bool any_ = false;
  std::vector<std::uint32_t> before_;  // [i]: letters N among the first i positions from begin - longest on
};

}  // namespace trawl::scan
