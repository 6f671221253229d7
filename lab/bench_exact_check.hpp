// The right result of an exact matcher, and the comparison with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/matchers/matcher.hpp"

namespace trawl::lab {

/// The positions where a match ends, ascending, found with memmem of the C library by all threads.
///
///   expected_ends("AAACAA", "AA") == {1, 2, 5}
std::vector<std::uint64_t> expected_ends(std::string_view text, std::string_view pattern);

/// A result in one of its forms; the others are empty.
struct FoundEnds {
  std::uint64_t count = 0;
  const std::vector<std::uint8_t>& bytes;
  std::vector<std::uint64_t> bits;
  const std::vector<std::uint64_t>& list;
};

/// Throws Error, with `who` as its first word, if the result for a text of `size` characters differs.
void check_found(const std::string& who, matchers::Output output, const FoundEnds& found, std::uint64_t size,
                 const std::vector<std::uint64_t>& expected);

}  // namespace trawl::lab
