// The C library's memmem(), called again after each match: the peer of all others. glibc has Two-Way (Crochemore and
// Perrin 1991) for patterns of more than 256 characters, and a shift by a hash of two characters for shorter ones.
#pragma once

#include <cstring>

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct Memmem {
  static constexpr MatcherFacts kFacts = {
      .name = "memmem", .code = "memmem", .title = "The C library's memmem()", .authors = "the C library"};

  struct Table {
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) { table.pattern.set(pattern); }

  template <class Emit>
  static void search(const Table& table, std::string_view text, std::uint64_t begin, std::uint64_t end, Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    std::uint64_t from = first_window(begin, m);
    while (from + m <= end) {
      const void* found = memmem(text.data() + from, end - from, table.pattern.letters, m);
      if (found == nullptr) {
        return;
      }
      const auto window = static_cast<std::uint64_t>(static_cast<const char*>(found) - text.data());
      emit(window + m - 1);
      from = window + 1;
    }
  }
};

}  // namespace trawl::matchers
