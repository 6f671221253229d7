// BNDM, backward nondeterministic DAWG matching (Navarro and Raffinot 1998, "A bit-parallel approach to suffix
// automata: fast extended string matching"): reads the window from right to left, as long as the characters read occur
// somewhere in the pattern. Each time they are also a prefix of the pattern, a match could begin there; the longest
// such prefix shorter than the window says how far the window may move.
#pragma once

#include "lab/matchers/backward_masks.hpp"

namespace trawl::matchers {

/// Reads on in the window that ends at `j`, from the state after `read` characters. Returns how far the next window is:
/// `shift` if no prefix of the pattern is met.
template <class Table, class Text, class Emit>
TRAWL_HOST_DEVICE std::uint32_t read_bndm_window(const Table& table, const BackwardWindows& windows, const Text& text,
                                                 std::uint64_t j, std::uint64_t state, std::uint32_t read,
                                                 std::uint32_t shift, Emit&& emit) {
  const std::uint64_t whole = std::uint64_t{1} << (windows.length - 1);
  while (state != 0) {
    if ((state & whole) != 0) {
      if (read == windows.length) {
        windows.verify(table.pattern, text, j, emit);
        break;
      }
      shift = windows.length - read;
    }
    state = (state << 1) & table.masks[text[j - read]];
    ++read;
  }
  return shift;
}

/// BNDM that reads kQ characters of a window before its first test (Bndm: 1, BndmQ2: 2, BndmQ4: 4). The prefix must not
/// be shorter.
template <unsigned kQ, class Text, class Emit>
TRAWL_HOST_DEVICE void scan_bndm(const BackwardSearch::Table& table, const Text& text, std::uint64_t begin,
                                 std::uint64_t end, Emit&& emit) {
  const BackwardWindows windows(table.pattern.m, begin, end);
  const std::uint32_t shift = windows.length - (kQ - 1);  // a match may begin with the last kQ - 1
  for (std::uint64_t j = windows.first; j < windows.stop;) {
    j += read_bndm_window(table, windows, text, j, read_gram<kQ>(table.masks, text, j), kQ, shift, emit);
  }
}

struct Bndm : BackwardSearch {
  static constexpr MatcherFacts kFacts = {.name = "bndm",
                                          .code = "bndm",
                                          .title = "Reads windows backward with a bit for each place in the pattern",
                                          .authors = "Navarro and Raffinot",
                                          .year = 1998,
                                          .limits = kPrefixLimit};

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    scan_bndm<1>(table, text, begin, end, emit);
  }
};

}  // namespace trawl::matchers
