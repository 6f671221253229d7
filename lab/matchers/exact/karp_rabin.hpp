// Karp-Rabin (Karp and Rabin 1987, "Efficient randomized pattern-matching algorithms"). The hash of a window, a
// polynomial of its characters, follows from that of the window before in constant time. Only windows with the
// pattern's hash are compared with it. The paper takes the hash modulo a random prime. This is the usual version with
// the polynomial of 2 modulo 2^32, which needs shifts and additions only.
#pragma once

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct KarpRabin {
  static constexpr MatcherFacts kFacts = {.name = "karp-rabin",
                                          .code = "kr",
                                          .title = "Compares windows whose rolling hash is that of the pattern",
                                          .authors = "Karp and Rabin",
                                          .year = 1987};

  struct Table {
    std::uint32_t hash;    // of the pattern
    std::uint32_t weight;  // of the character that leaves the window: 2^m
    Pattern pattern;
  };

  TRAWL_HOST_DEVICE static std::uint32_t append(std::uint32_t hash, std::uint32_t character) {
    return hash * 2 + character;
  }

  static void prepare(std::string_view pattern, Table& table) {
    table.weight = 1;
    for (const unsigned char c : pattern) {
      table.hash = append(table.hash, c);
      table.weight *= 2;
    }
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    const std::uint32_t wanted = table.hash;
    const std::uint32_t weight = table.weight;
    std::uint64_t window = first_window(begin, m);
    if (end < window + m) {
      return;
    }
    std::uint32_t hash = 0;
    for (std::uint32_t i = 0; i < m; ++i) {
      hash = append(hash, text[window + i]);
    }
    for (;; ++window) {
      if (hash == wanted && table.pattern.occurs(text, window)) {
        emit(window + m - 1);
      }
      if (window + m == end) {
        return;
      }
      hash = append(hash, text[window + m] - weight * text[window]);
    }
  }
};

}  // namespace trawl::matchers
