// Which places have too many ambiguous letters of the reference, where these match what they may stand for.
//
//   const AmbiguousLimit limit;            // at most a quarter of the letters
//   limit.allows(5, 20) == true
//   limit.allows(6, 20) == false
//   limit.of(20) == 5
//
//   reference   ..ACGTNNNNNNNNNNNNNNNN..      a read of 20 bases fits the run of N without an edit: that says nothing
//   reference   ..ACGTTGCANCCATGGATTAC..      here it is one letter of 20
#pragma once

#include <cstdint>

#include "base/host_device.hpp"
#include "sequence/reference.hpp"

namespace trawl::sequence {

/// The rule for reads and patterns alike. It looks at as many letters of the reference as the read or pattern has, up
/// to an end position. If too many of them are ambiguous, the position is no end. The rule looks at the end position
/// alone, so it does not depend on how the end was found.
struct AmbiguousLimit {
  static constexpr std::uint32_t kAll = 10'000;

  /// The most of these letters that may be ambiguous: a number or, if `is_share`, hundredths of a percent.
  bool is_share = true;
  std::uint32_t most = 2'500;
  /// e. If there are no more other letters than this, everything matches.
  std::uint32_t max_edits = 0;

  /// The same limit for another e.
  constexpr AmbiguousLimit with_edits(std::uint32_t edits) const { return {is_share, most, edits}; }

  TRAWL_HOST_DEVICE constexpr bool allows(std::uint64_t count, std::uint64_t length) const {
    return count + max_edits < length && (is_share ? count * kAll <= length * most : count <= most);
  }
  /// The largest count that is allowed.
  constexpr std::uint64_t of(std::uint64_t length) const {
    std::uint64_t count = is_share ? length * most / kAll : most;
    const std::uint64_t others = max_edits + std::uint64_t{1};
    return length < others ? 0 : count < length - others ? count : length - others;
  }
};

/// Whether a read or pattern of `length` letters may end at position `end`: the rule for as many letters up to it.
bool allows_end(const Reference& reference, const AmbiguousLimit& limit, std::uint64_t length, std::uint64_t end);

/// How many letters of positions [begin, end) are ambiguous; positions between contigs are not counted.
std::uint64_t count_ambiguous(const Reference& reference, std::uint64_t begin, std::uint64_t end);

}  // namespace trawl::sequence
