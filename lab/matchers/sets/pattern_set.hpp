// A set of patterns, in the form that matchers of sets take: each pattern once, in the order of their bytes.
//
//   const PatternSet set({"GATTACA", "ACA", "GATTACA"});
//   set.size() == 2;  set[0] == "ACA";  set[1] == "GATTACA";
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trawl::matchers {

class PatternSet {
 public:
  /// Throws UsageError for a set without patterns, with an empty one, or with more than kMostPatterns.
  explicit PatternSet(std::vector<std::string> patterns);

  /// The number of different patterns.
  std::uint32_t size() const { return static_cast<std::uint32_t>(offsets_.size() - 1); }
  std::string_view operator[](std::uint32_t number) const {
    return std::string_view(letters_).substr(offsets_[number], offsets_[number + 1] - offsets_[number]);
  }
  /// How many patterns were given.
  std::size_t given() const { return given_; }
  std::uint64_t shortest() const { return shortest_; }
  std::uint64_t longest() const { return longest_; }
  /// All different patterns after each other.
  const std::string& letters() const { return letters_; }

  static constexpr std::size_t kMostPatterns = std::size_t{1} << 30;

 private:
  std::size_t given_;
  std::string letters_;
  std::vector<std::uint64_t> offsets_;  // of each pattern in letters_, and the end of the last
  std::uint64_t shortest_ = 0;
  std::uint64_t longest_ = 0;
};

/// The letters of a set of patterns, numbered from 0 in the order of their bytes. For patterns over A, C, G and T: 0,
/// 1, 2 and 3.
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
