// What the improved linear DAWG matchers share: a window is read from right to left with the suffix automaton of the
// reversed pattern, to find the longest prefix of the pattern that ends the window; then the text after the window is
// read from left to right with the pattern's automaton, which begins in the state of this prefix.
#pragma once

#include "lab/matchers/string_automaton.hpp"
#include "lab/matchers/suffix_automaton.hpp"

namespace trawl::matchers {

/// A matcher's table.
///
///   table.prepare("aab");
///   length = table.longest_prefix("bbaabaa", 2);   // the window "aab": 3
///   length = table.step(length, 'a');              // "aaba" ends with the prefix "a": 1
struct LinearDawg {
  std::uint32_t m;
  std::uint32_t forward;  // the row of state 0 of the pattern's automaton
  TransitionTable<kSuffixStates + kLongestPattern + 1> automata;

  void prepare(std::string_view pattern) {
    m = static_cast<std::uint32_t>(pattern.size());
    automata.set_letters(pattern);
    add_marked_suffix_automaton(reversed(pattern), automata);
    forward = add_string_automaton(pattern, automata);
  }
  std::size_t used_bytes() const { return sizeof *this - automata.unused_bytes(); }

  /// The length of the longest prefix of the pattern that ends where the window ends and does not begin before it.
  template <class Text>
  TRAWL_HOST_DEVICE std::uint32_t longest_prefix(const Text& text, std::uint64_t window) const {
    std::uint32_t length = 0, state = 0;
    for (std::uint32_t left = m; left > 0;) {
      state = automata.at(state & kStateBits, text[window + --left]);
      if (state == 0) {
        break;
      }
      length = (state & kSuffixMark) != 0 ? m - left : length;
    }
    return length;
  }
  /// The same after one more character of the text.
  TRAWL_HOST_DEVICE std::uint32_t step(std::uint32_t length, unsigned char c) const {
    return automata.at(forward + length, c);
  }

  /// Searches. `enough`: it reads on after a window while the prefix is longer than this. The next window begins with
  /// the prefix that is left.
  template <class Text, class Emit>
  TRAWL_HOST_DEVICE void scan(const Text& text, std::uint64_t begin, std::uint64_t end, std::uint32_t enough,
                              Emit&& emit) const {
    for (std::uint64_t window = first_window(begin, m); window + m <= end;) {
      std::uint32_t length = longest_prefix(text, window);
      std::uint64_t next = window + m;  // the first character that was not read
      while (length > enough) {
        if (length == m) {
          emit(next - 1);
        }
        if (next == end) {
          return;
        }
        length = step(length, text[next++]);
      }
      window = next - length;
    }
  }
};

}  // namespace trawl::matchers
