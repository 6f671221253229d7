// The letters of a set of patterns, numbered from 0 in the order of their bytes. For patterns over A, C, G and T: 0, 1,
// 2 and 3.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "lab/matchers/sets/pattern_set.hpp"

namespace trawl::matchers {

struct LetterClasses {
  std::vector<std::uint16_t> of = std::vector<std::uint16_t>(256);  // of each byte; of others than letters: count
  std::uint16_t count = 0;                                          // different letters, 1 to 256
};

inline LetterClasses letter_classes(const PatternSet& set) {
  LetterClasses classes;
  bool seen[256] = {};
  for (const char c : set.letters()) {
    seen[static_cast<unsigned char>(c)] = true;
  }
  classes.count = static_cast<std::uint16_t>(std::count(std::begin(seen), std::end(seen), true));
  std::uint16_t next = 0;
  for (unsigned c = 0; c < 256; ++c) {
    classes.of[c] = seen[c] ? next++ : classes.count;
  }
  return classes;
}

}  // namespace trawl::matchers
