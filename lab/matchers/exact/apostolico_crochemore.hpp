// Apostolico-Crochemore (Apostolico and Crochemore 1991, "Optimal canonization of all substrings of a string"):
// Knuth-Morris-Pratt that leaves the pattern's first run of equal letters for last. It compares from the end of this
// run to the right, and if all that agrees, it compares what is not yet known of the run. It compares at most 1.5 n
// characters.
#pragma once

#include "lab/matchers/failure_function.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::matchers {

struct ApostolicoCrochemore {
  static constexpr MatcherFacts kFacts = {.name = "apostolico-crochemore",
                                          .code = "ac",
                                          .title = "Knuth-Morris-Pratt that compares the first run of letters last",
                                          .authors = "Apostolico and Crochemore",
                                          .year = 1991};

  struct Table {
    std::int32_t run;  // the number of equal letters at the pattern's begin; 0 if it has no others
    Borders borders;
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    const std::size_t run = pattern.find_first_not_of(pattern[0]);
    table.run = run == std::string_view::npos ? 0 : static_cast<std::int32_t>(run);
    fill_strict_borders(pattern, table.borders);
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const int m = static_cast<int>(table.pattern.m), run = table.run;
    int i = run;    // the next position to compare
    int known = 0;  // characters at the window's begin that agree, at most `run`
    for (std::uint64_t window = first_window(begin, table.pattern.m); window + m <= end;) {
      if (i == run) {
        if (table.pattern[run] != text[window + run]) {
          ++window;
          known -= known > 0 ? 1 : 0;
          continue;
        }
        ++i;
      }
      while (i < m && table.pattern[i] == text[window + i]) {
        ++i;
      }
      if (i == m && table.pattern.agrees(text, window, known, run)) {
        emit(window + m - 1);
      }
      const int border = table.borders[i];
      window += i - border;
      known = border < 0 ? 0 : border < run ? border : run;
      i = border < run ? run : border;
    }
  }
};

}  // namespace trawl::matchers
