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

/// The piece of `strand` with the smallest penalty among those that lie on one diagonal without a gap, whether it is
/// allowed or not.
///
///   with: const sequence::Reference reference = reference_of("ACGTACGTAAAA")
///   with: const sequence::EncodedRead read = read_of("ACGTACGTTTTT")
///   best_gapless_piece(reference, read, sequence::kContigGap) == {0, 8, 0}      // the first 8 bases, without an edit
inline align::Piece best_gapless_piece(const sequence::Reference& reference, const sequence::EncodedRead& strand,
                                       std::int64_t diagonal) {
  const auto length = static_cast<std::uint32_t>(strand.length());
  if (diagonal < 0 || diagonal + length > static_cast<std::int64_t>(reference.size())) {
    return {};
  }
  // The best sum of consecutive bases: 1 for each, less kEditPoints for one that differs.
  constexpr auto kPoints = static_cast<std::int32_t>(align::kEditPoints);
  align::Piece best;
  std::int32_t best_sum = 0;
  align::Piece piece;  // up to the last base that differs
  std::int32_t sum = 0;
  const auto end_at = [&](std::uint32_t end) {
    const std::int32_t here = sum + static_cast<std::int32_t>(end - piece.end);
    if (here > best_sum) {
      best_sum = here;
      best = {piece.begin, end, piece.edits};
    }
    return here;
  };
  const align::HostComparison comparison{reference, strand};
  comparison.differences(0, static_cast<std::uint64_t>(diagonal), length, [&](std::uint64_t bits, std::uint32_t first) {
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t at = first + lowest_bit(bits);
      sum = end_at(at) + 1 - kPoints;
      piece = {piece.begin, at + 1, piece.edits + 1};
      if (sum <= 0) {
        sum = 0;
        piece = {at + 1, at + 1, 0};
      }
    }
    return true;
  });
  end_at(length);
  return best;
}

}  // namespace trawl::clip
