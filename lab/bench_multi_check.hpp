// The right result of a search for a set of patterns, from a rolling hash and a hash table of the patterns of each
// length, and what is wrong with another one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lab/matchers/sets/cpu_set_matchers.hpp"

namespace trawl::lab {

struct ExpectedSet {
  std::uint64_t count = 0;
  std::uint64_t digest = 0;              // as digest_of() says
  std::vector<std::uint64_t> patterns;   // occurrences of each pattern
  std::vector<std::uint64_t> stretches;  // occurrences that end in each stretch
};

/// The sum of a hash of each occurrence, modulo 2^64, so that their order does not matter.
std::uint64_t digest_of(const std::vector<matchers::SetMatch>& matches);

/// On all threads. `stretch`: characters of a stretch.
ExpectedSet expected_set(std::string_view text, const matchers::PatternSet& set, std::uint64_t stretch);

/// Throws Error, with `who` and what differs, unless `found` is right in all that `output` asks for. Stretches are
/// compared if they are of the same length.
void check_set(const std::string& who, const matchers::SetFound& found, matchers::SetOutput output,
               const ExpectedSet& expected, std::uint64_t stretch);

/// Throws Error unless `digest` is that of all occurrences.
void check_digest(const std::string& who, std::uint64_t digest, const ExpectedSet& expected);

}  // namespace trawl::lab
