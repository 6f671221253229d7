// Patterns that are so much alike that a text may fit two of them.
//
//   const auto near = near_patterns({{"a", "ACGTACGT"}, {"b", "ACGAACGT"}, {"c", "TTTTGGGG"}}, 3, false);
//   near->pairs == 1 && near->distance == 1 && near->first == 0 && near->second == 1
#pragma once

#include <cstdint>
#include <optional>

#include "sequence/pattern.hpp"

namespace trawl::scan {

struct NearPatterns {
  std::uint64_t pairs = 0;     // with at most `most` edits between them
  std::uint32_t distance = 0;  // of the nearest pair
  std::uint32_t first = 0;     // that pair: the first one of them
  std::uint32_t second = 0;
  bool is_reverse = false;  // the reverse complement of the second one is meant
};

/// Compares each pattern with each other one, and with `both_strands` also with its reverse complement. `most`: edits.
/// Letters that have a base in common match. Nothing if that would take long (about a second).
std::optional<NearPatterns> near_patterns(const sequence::PatternList& patterns, std::uint32_t most, bool both_strands);

}  // namespace trawl::scan
