// TNDM, two-way nondeterministic DAWG matching (Peltola and Tarhio 2003, "Alternative algorithms for bit-parallel
// string matching"): if the last character of a window is not the pattern's, TNDM reads forward from it, until the
// characters read are a suffix of the pattern, where the next window must end, or occur nowhere in the pattern. Then it
// reads backward like BNDM, from where it began.
#pragma once

#include "lab/matchers/exact/bndm.hpp"
#include "lab/matchers/good_suffix.hpp"

namespace trawl::matchers {

struct Tndm {
  static constexpr MatcherFacts kFacts = {.name = "tndm",
                                          .code = "tndm",
                                          .title = "BNDM that reads forward to the next suffix of the pattern first",
                                          .authors = "Peltola and Tarhio",
                                          .year = 2003,
                                          .limits = kPrefixLimit};

  struct Table {
    std::uint64_t masks[256];
    std::uint8_t shifts[kWordBits + 1];  // fill_border_shifts()
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    const std::string_view prefix = word_prefix(pattern);
    fill_backward_masks(prefix, 0, table.masks);
    PositionValues lengths;
    fill_suffix_lengths(prefix, lengths);
    fill_border_shifts(lengths, prefix.size(), table.shifts);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const BackwardWindows windows(table.pattern.m, begin, end);
    for (std::uint64_t j = windows.first; j < windows.stop;) {
      std::uint64_t state = table.masks[text[j]];
      std::uint32_t read = 1;
      while (state > 1 && (state & 1) == 0 && j + read < windows.stop) {  // bit 0: a suffix of the pattern
        state = (state >> 1) & table.masks[text[j + read]];
        ++read;
      }
      if ((state & 1) == 0) {
        j += windows.length;
        continue;
      }
      state <<= read - 1;
      j += read - 1;
      j += read_bndm_window(table, windows, text, j, state, read, table.shifts[read], emit);
    }
  }
};

}  // namespace trawl::matchers
