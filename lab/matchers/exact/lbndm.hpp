// LBNDM, long BNDM (Peltola and Tarhio 2003, "Alternative algorithms for bit-parallel string matching"): reads every
// k-th character of the text only. The pattern is cut into parts of k characters, and a bit of BNDM's state is a part:
// it takes each character of the part. For a match of this filter, the k windows that these characters can belong to
// are compared.
#pragma once

#include <algorithm>

#include "lab/matchers/matcher.hpp"
#include "lab/matchers/superimposed_masks.hpp"

namespace trawl::matchers {

struct Lbndm {
  static constexpr MatcherFacts kFacts = {.name = "lbndm",
                                          .code = "lbndm",
                                          .title = "BNDM on every k-th character of the text, for long patterns",
                                          .authors = "Peltola and Tarhio",
                                          .year = 2003,
                                          .limits = kSuperimposedLimit};

  struct Table {
    std::uint64_t masks[256];
    std::uint32_t k;      // characters of a part
    std::uint32_t parts;  // 1 to 64
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    table.k = fill_shared(pattern.size(), [&](std::uint32_t k) {
      table.parts = std::min(kWordBits, static_cast<std::uint32_t>(pattern.size()) / k);
      return fill_superimposed(pattern.substr(0, table.parts * k), table.masks,
                               [&](std::size_t i) { return table.parts - 1 - i / k; });
    });
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m, k = table.k, parts = table.parts;
    const std::uint64_t whole = std::uint64_t{1} << (parts - 1), first = first_window(begin, m);
    const std::uint64_t stop = end < m ? 0 : end - m + 1;               // one after the last window
    for (std::uint64_t j = first; first < stop && j < stop + k - 1;) {  // the first character read of a window
      std::uint64_t at = j + std::uint64_t{parts - 1} * k, state = table.masks[text[at]];
      std::uint32_t left = parts - 1, shift = parts;
      while (state != 0) {
        if ((state & whole) != 0) {
          if (left == 0) {
            for (std::uint32_t i = 0; i < k && i <= j - first; ++i) {
              if (j - i < stop && table.pattern.occurs(text, j - i)) {
                emit(j - i + m - 1);
              }
            }
            break;
          }
          shift = left;
        }
        --left;
        at -= k;
        state = (state << 1) & table.masks[text[at]];
      }
      j += std::uint64_t{shift} * k;
    }
  }
};

}  // namespace trawl::matchers
