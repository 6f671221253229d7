// A quick estimate of how good a clipped locus is.
#pragma once

#include <algorithm>
#include <cstdint>

#include "align/clip_rule.hpp"
#include "align/host_comparison.hpp"
#include "base/bits.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::clip {

/// The smallest penalty of a piece of `strand` that lies on one diagonal without a gap, whether it is allowed or not.
///   read ACGTACGTTTTT on text ACGTACGTAAAA: 4, the last four bases are left out
inline std::uint32_t gapless_penalty(const sequence::Reference& reference, const sequence::EncodedRead& strand,
                                     std::int64_t diagonal) {
  const auto length = static_cast<std::int64_t>(strand.length());
  if (diagonal < 0 || diagonal + length > static_cast<std::int64_t>(reference.size())) {
    return static_cast<std::uint32_t>(length);
  }
  // The best sum of consecutive bases: 1 for each, less kEditPoints for one that differs.
  std::int64_t best = 0;
  std::int64_t sum = 0;
  std::int64_t next = 0;  // base after the last one that differs
  const align::HostComparison comparison{reference, strand};
  comparison.differences(0, static_cast<std::uint64_t>(diagonal), static_cast<std::uint32_t>(length),
                         [&](std::uint64_t bits, std::uint32_t first) {
                           for (; bits != 0; bits &= bits - 1) {
                             const std::int64_t at = first + lowest_bit(bits);
                             sum += at - next;
                             best = std::max(best, sum);
                             sum = std::max<std::int64_t>(0, sum + 1 - std::int64_t{align::kEditPoints});
                             next = at + 1;
                           }
                           return true;
                         });
  return static_cast<std::uint32_t>(length - std::max(best, sum + length - next));
}

}  // namespace trawl::clip
