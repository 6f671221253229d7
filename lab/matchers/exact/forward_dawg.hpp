// Forward DAWG matching (Crochemore and Rytter 1994, the book "Text algorithms"): reads the text once, from left to
// right, and keeps the longest factor of the pattern that ends at the current character, with its state in the
// pattern's suffix automaton. If this factor cannot be extended, the suffix link leads to the longest shorter one in
// another state.
#pragma once

#include "lab/matchers/suffix_automaton.hpp"

namespace trawl::matchers {

struct ForwardDawg {
  static constexpr MatcherFacts kFacts = {.name = "forward-dawg",
                                          .code = "fdm",
                                          .title = "Reads the text once with the pattern's suffix automaton",
                                          .authors = "Crochemore and Rytter",
                                          .year = 1994};

  struct Table {
    std::uint32_t m;
    std::uint32_t links, lengths;  // the cells of these of state 0
    TransitionTable<kSuffixStates + 2 * kSuffixStates / 256> dawg;
  };

  static void prepare(std::string_view pattern, Table& table) {
    table.m = static_cast<std::uint32_t>(pattern.size());
    table.dawg.set_letters(pattern);
    const SuffixStates states = add_suffix_automaton(pattern, table.dawg);
    table.links = table.dawg.append(states.link);
    table.lengths = table.dawg.append(states.length);
  }
  static std::size_t table_bytes(const Table& table) { return sizeof table - table.dawg.unused_bytes(); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.m;
    const std::uint16_t* const links = table.dawg.cells + table.links;
    const std::uint16_t* const lengths = table.dawg.cells + table.lengths;
    std::uint32_t state = 0, length = 0, next;
    for (std::uint64_t j = first_window(begin, m); j < end; ++j) {
      const unsigned char c = text[j];
      while ((next = table.dawg.at(state, c)) == 0 && state != 0) {
        state = links[state];
        length = lengths[state];
      }
      state = next;
      length += next != 0 ? 1 : 0;
      if (length == m) {
        emit(j);
      }
    }
  }
};

}  // namespace trawl::matchers
