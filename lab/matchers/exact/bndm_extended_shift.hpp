// BXS, BNDM with extended shift (Durian, Peltola, Salmela and Tarhio 2010, "Bit-parallel search algorithms for long
// patterns"): the pattern is cut into pieces of 64 characters that share the bits of a word, and the state is rotated
// instead of shifted, from piece to piece. So BNDM reads windows longer than a word, and shifts by their whole length;
// a window that it lets pass is compared. SMART calls it bxs, but cuts the pattern to a word.
#pragma once

#include "lab/matchers/backward_masks.hpp"
#include "lab/matchers/superimposed_masks.hpp"

namespace trawl::matchers {

struct BndmExtendedShift {
  static constexpr MatcherFacts kFacts = {.name = "bndm-extended-shift",
                                          .code = "bx",
                                          .title = "BNDM that rotates its state, for windows longer than a word",
                                          .authors = "Durian, Peltola, Salmela and Tarhio",
                                          .year = 2010,
                                          .limits = kSuperimposedLimit};

  struct Table {
    std::uint64_t masks[256];
    std::uint32_t length;  // of the windows
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    fill_shared(pattern.size(), [&](std::uint32_t pieces) {
      const std::string_view prefix = word_prefix(pattern, pieces * kWordBits);
      table.length = static_cast<std::uint32_t>(prefix.size());
      return fill_superimposed(prefix, table.masks, [&](std::size_t i) { return (prefix.size() - 1 - i) % kWordBits; });
    });
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const BackwardWindows windows(table.pattern.m, begin, end, table.length);
    const std::uint64_t whole = std::uint64_t{1} << ((windows.length - 1) % kWordBits);
    for (std::uint64_t j = windows.first; j < windows.stop;) {
      std::uint64_t state = table.masks[text[j]];
      std::uint32_t read = 1, shift = windows.length;
      for (; state != 0 && read < windows.length; ++read) {
        shift = (state & whole) != 0 ? windows.length - read : shift;
        state = (state << 1 | state >> (kWordBits - 1)) & table.masks[text[j - read]];
      }
      if ((state & whole) != 0 && table.pattern.occurs(text, j + 1 - windows.length)) {
        emit(j + windows.rest);
      }
      j += shift;
    }
  }
};

}  // namespace trawl::matchers
