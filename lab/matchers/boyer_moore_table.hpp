// What Boyer-Moore and its variants know of a pattern.
#pragma once

#include "lab/matchers/bad_character.hpp"
#include "lab/matchers/good_suffix.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

/// The table of a matcher that compares windows from right to left.
///
///   int matched = table.matched_suffix(text, last);  // `last`: the position of the window's last character
///   last += matched < m ? table.shift(matched, text[last - matched]) : table.good_suffix[m];
struct BoyerMooreTable {
  std::uint16_t bad_character[256];  // fill_window_shifts()
  SuffixShifts good_suffix;
  Pattern pattern;

  void set(std::string_view new_pattern) {
    fill_window_shifts(new_pattern, bad_character);
    fill_good_suffix_shifts(new_pattern, good_suffix);
    pattern.set(new_pattern);
  }

  /// How many characters at the window's end match, if the last `known` ones do.
  template <class Text>
  TRAWL_HOST_DEVICE int matched_suffix(const Text& text, std::uint64_t last, int known = 0) const {
    const int m = static_cast<int>(pattern.m);
    while (known < m && pattern[m - 1 - known] == text[last - known]) {
      ++known;
    }
    return known;
  }

  /// The larger shift of the two rules. `differs`: the character of the text before the matched ones.
  TRAWL_HOST_DEVICE int shift(int matched, unsigned char differs) const {
    const int good = good_suffix[matched];
    const int bad = bad_character[differs] - matched;
    return good > bad ? good : bad;
  }
};

}  // namespace trawl::matchers
