// The automaton of Aho and Corasick in several places of the text at a time. One automaton waits for its next row
// before it can ask for the one after; several wait together, so that a core searches a large set much faster. A new
// piece of the text begins as a new stretch does: with the characters before it.
#pragma once

#include "lab/matchers/sets/aho_corasick_full.hpp"

namespace trawl::matchers::sets {

struct AhoCorasickLanes : AhoCorasickFull {
  static constexpr SetFacts kFacts = {.name = "aho-corasick-lanes",
                                      .title = "The automaton in eight places of the text at a time",
                                      .authors = "Aho and Corasick",
                                      .year = 1975};
  static constexpr unsigned kLanes = 8;
  static constexpr std::uint64_t kPage = 4096, kLine = 64;

  template <class Tables, class Text, class Emit>
  static void scan(const Tables& tables, const Text& text, std::uint64_t begin, std::uint64_t end, Emit&& emit) {
    std::uint64_t piece = (end - begin) / kLanes;
    if (piece > kPage) {  // lanes that are pages apart would share the same few lines of the L1 cache
      piece = (piece - kLine) / kPage * kPage + kLine;
    }
    std::uint32_t entries[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      entries[lane] = entry_before(tables, text, begin + lane * piece);
    }
    for (std::uint64_t j = begin; j < begin + piece; ++j) {
      TRAWL_UNROLL
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        entries[lane] = step(tables, text, entries[lane], j + lane * piece, emit);
      }
    }
    AhoCorasickFull::scan(tables, text, begin + kLanes * piece, end, emit);
  }
};

}  // namespace trawl::matchers::sets
