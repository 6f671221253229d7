// Morris-Pratt and its relatives: they compare from left to right, or in Colussi's order, and know by the borders of
// what has matched how the search goes on.
#pragma once

#include "lab/matchers/exact/shift_rules.hpp"

namespace trawl::matchers {

/// Reads the text once, from left to right, with either kind of borders. It knows the longest prefix of the pattern
/// that ends at the current position; if the next character does not extend it, its border is tried, and so on.
template <void (*kFill)(std::string_view, Borders&)>
struct BorderSearch {
  Borders borders;
  Pattern pattern;

  static void prepare(std::string_view pattern, BorderSearch& table) { kFill(pattern, table.borders); }

  TRAWL_HOST_DEVICE static void scan(const BorderSearch& table, const auto& text, Index begin, Index end, auto&& emit) {
    const Pattern& pattern = table.pattern;
    const auto m = static_cast<int>(pattern.m);
    const std::uint8_t letter = pattern[0];
    for (Index j = first_window(begin, pattern.m); j < end; ++j) {
      if (text[j] != letter) {
        continue;
      }
      int i = 1;  // the length of the prefix that ends at j
      while (i > 0) {
        if (i == m) {
          emit(j);
          i = table.borders[m];
        }
        if (++j >= end) {
          return;
        }
        const unsigned char c = text[j];
        while (i > 0 && pattern[i] != c) {
          i = table.borders[i];
        }
        i = i > 0 || c == letter ? i + 1 : 0;
      }
    }
  }
};

/// Morris-Pratt (Morris and Pratt 1970, "A linear pattern-matching algorithm").
struct MorrisPratt : BorderSearch<fill_borders> {
  static constexpr MatcherFacts kFacts = {"morris-pratt", "mp",
                                          "Falls back to the longest border of the matched prefix", 1970};
};

/// Knuth-Morris-Pratt (Knuth, Morris and Pratt 1977, "Fast pattern matching in strings"): tries only borders that are
/// followed by another character than the one that has just failed.
struct KnuthMorrisPratt : BorderSearch<fill_strict_borders> {
  static constexpr MatcherFacts kFacts = {"knuth-morris-pratt", "kmp",
                                          "Falls back to a border that another character follows", 1977};
};

/// Deterministic automaton (Aho, Hopcroft and Ullman 1974, "The design and analysis of computer algorithms"): state s
/// means that the longest prefix of the pattern that ends here has s characters. Each character of the text costs one
/// step in the table of all states and characters.
struct Automaton {
  static constexpr MatcherFacts kFacts = {"automaton", "dfa", "A deterministic automaton, one step for each character",
                                          1974};
  std::uint32_t m;
  std::uint16_t next[kLongestPattern + 1][256];
  std::size_t used_bytes() const { return offsetof(Automaton, next) + (m + 1) * sizeof next[0]; }

  static void prepare(std::string_view pattern, Automaton& table) {
    unsigned border = 0;  // the state after the pattern's prefix without its first character
    for (unsigned state = 0; state <= table.m; ++state) {
      std::copy(table.next[border], table.next[border] + 256, table.next[state]);
      if (state < table.m) {
        const auto letter = static_cast<unsigned char>(pattern[state]);
        border = state == 0 ? 0 : table.next[border][letter];
        table.next[state][letter] = static_cast<std::uint16_t>(state + 1);
      }
    }
  }

  TRAWL_HOST_DEVICE static void scan(const Automaton& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.m;
    std::uint32_t state = 0;
    for (Index j = first_window(begin, m); j < end; ++j) {
      state = table.next[state][text[j]];
      if (state == m) {
        emit(j);
      }
    }
  }
};

/// Simon (Simon 1993, "String matching algorithms and automata"): the pattern's automaton, of which only the steps that
/// count are stored: from each state forward, and back to states other than the first. These steps back are at most m
/// in all, so each state has a short list.
struct Simon {
  static constexpr MatcherFacts kFacts = {"simon", "simon", "The automaton with short lists of steps", 1993};
  // Row s is about state s (s characters match), and row e about step back e.
  struct Row {
    std::uint16_t letter;      // leads to state s + 1; 256: none
    std::uint16_t first_step;  // the state's steps back are those before the next row's first_step
    std::uint16_t step_letter;
    std::uint16_t step_target;
  };
  std::uint32_t m;
  Row rows[kLongestPattern + 2];
  std::size_t used_bytes() const { return offsetof(Simon, rows) + (m + 2) * sizeof(Row); }

  static void prepare(std::string_view pattern, Simon& table) {
    Borders borders;
    fill_borders(pattern, borders);
    Row* const rows = table.rows;
    std::uint16_t steps = 0;
    for (std::uint32_t state = 0; state <= table.m; ++state) {
      rows[state].letter = state < table.m ? static_cast<unsigned char>(pattern[state]) : 256;
      rows[state].first_step = steps;
      const auto add = [&](std::uint16_t letter, int target) {
        if (letter != rows[state].letter) {
          rows[steps].step_letter = letter;
          rows[steps++].step_target = static_cast<std::uint16_t>(target);
        }
      };
      if (const int border = borders[state]; border >= 0) {  // where the state cannot go forward, it does as its border
        add(rows[border].letter, border + 1);
        for (unsigned step = rows[border].first_step; step < rows[border + 1].first_step; ++step) {
          add(rows[step].step_letter, rows[step].step_target);
        }
      }
      rows[state + 1].first_step = steps;
    }
  }

  TRAWL_HOST_DEVICE static void scan(const Simon& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.m;
    const Row* const rows = table.rows;
    std::uint32_t state = 0;
    for (Index j = first_window(begin, m); j < end; ++j) {
      const unsigned char c = text[j];
      if (rows[state].letter == c) {
        ++state;
      } else if (state > 0) {
        unsigned step = rows[state].first_step;
        const unsigned last = rows[state + 1].first_step;
        while (step < last && rows[step].step_letter != c) {
          ++step;
        }
        state = step < last ? rows[step].step_target : 0;
      }
      if (state == m) {
        emit(j);
      }
    }
  }
};

/// Apostolico-Crochemore (Apostolico and Crochemore 1991, "Optimal canonization of all substrings of a string"):
/// Knuth-Morris-Pratt that leaves the pattern's first run of equal letters for last. It compares from the end of this
/// run to the right, and if all that agrees, what is not yet known of the run: at most 1.5 n characters.
struct ApostolicoCrochemore {
  static constexpr MatcherFacts kFacts = {"apostolico-crochemore", "ac",
                                          "Knuth-Morris-Pratt that compares the first run of letters last", 1991};
  std::int32_t run;  // the number of equal letters at the pattern's begin; 0 if it has no others
  Borders borders;
  Pattern pattern;

  static void prepare(std::string_view pattern, ApostolicoCrochemore& table) {
    const std::size_t run = pattern.find_first_not_of(pattern[0]);
    table.run = run == std::string_view::npos ? 0 : static_cast<std::int32_t>(run);
    fill_strict_borders(pattern, table.borders);
  }

  TRAWL_HOST_DEVICE static void scan(const ApostolicoCrochemore& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const int m = static_cast<int>(table.pattern.m), run = table.run;
    int i = run;    // the next position to compare
    int known = 0;  // characters at the window's begin that agree, at most `run`
    for (Index window = first_window(begin, table.pattern.m); window + m <= end;) {
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

/// The order in which Colussi compares the characters of a window. Firm positions (the paper's noholes) come first,
/// from left to right: positions i where a difference leaves a border of pattern[0, i) that another character follows.
/// The others, the holes, come after them, from right to left. For "abaab" the firm ones are 1, 3 and 4, then come 2
/// and 0.
struct OrderedPattern {
  struct Step {
    std::uint16_t position;  // in the pattern
    std::uint16_t letter;    // there
    std::uint16_t shift;     // of the window, if this step finds a difference
    std::uint16_t resume;    // the first step of the next window: the steps before it are known to agree
  };
  std::uint32_t m;
  std::uint32_t firm;               // the number of firm positions
  Step steps[kLongestPattern + 1];  // steps[m]: after a match

  std::size_t used_bytes() const { return offsetof(OrderedPattern, steps) + (m + 1) * sizeof(Step); }

  void set(std::string_view pattern) {
    Borders borders;
    PositionValues periods;
    std::uint16_t firm_before[kLongestPattern + 1] = {};  // the number of firm positions before each position
    fill_strict_borders(pattern, borders);
    fill_next_periods(pattern, periods);
    m = static_cast<std::uint32_t>(pattern.size());
    for (std::uint32_t i = 0; i < m; ++i) {
      firm_before[i + 1] = static_cast<std::uint16_t>(firm_before[i] + (borders[i] >= 0 ? 1 : 0));
    }
    firm = firm_before[m];
    const auto step = [&](std::uint32_t i, std::size_t shift, std::size_t kept) {  // `kept`: the next window's prefix
      return Step{static_cast<std::uint16_t>(i), static_cast<unsigned char>(pattern[i]),
                  static_cast<std::uint16_t>(shift), firm_before[kept]};
    };
    for (std::uint32_t i = 0, hole = m; i < m; ++i) {
      if (borders[i] >= 0) {
        steps[firm_before[i]] = step(i, i - borders[i], borders[i]);
      } else {
        steps[--hole] = step(i, periods[i], m - periods[i]);
      }
    }
    steps[m] = step(0, periods[0], m - periods[0]);
  }

  /// Compares the window from step `i` on, calls emit() if it matches, and moves it. `known`: the end of the part of
  /// the text that is known to agree with the window's holes.
  TRAWL_HOST_DEVICE void compare(const auto& text, Index& window, Index& known, std::uint32_t& i, auto&& emit) const {
    if (i == 0 && firm > 0) {  // the usual case; the next window begins with the same step
      if (text[window + steps[0].position] != steps[0].letter) {
        window += steps[0].shift;
        return;
      }
      i = 1;
    }
    while (i < firm && text[window + steps[i].position] == steps[i].letter) {
      ++i;
    }
    if (i >= firm) {
      while (i < m && window + steps[i].position >= known && text[window + steps[i].position] == steps[i].letter) {
        ++i;
      }
      if (i == m || window + steps[i].position < known) {
        emit(window + m - 1);
        i = m;
      }
      known = window + m;
    }
    window += steps[i].shift;
    i = steps[i].resume;
  }
};

/// Colussi (Colussi 1991, "Correctness and efficiency of pattern matching algorithms"): Knuth-Morris-Pratt with the
/// positions of the pattern in two groups. A difference in the second group moves the window further. It compares at
/// most 1.5 n characters.
struct Colussi {
  static constexpr MatcherFacts kFacts = {"colussi", "col",
                                          "Compares positions with useful borders first, then the others", 1991};
  OrderedPattern pattern;

  TRAWL_HOST_DEVICE static void scan(const Colussi& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.pattern.m;
    Index window = first_window(begin, m), known = window;
    std::uint32_t step = 0;
    while (window + m <= end) {
      table.pattern.compare(text, window, known, step, emit);
    }
  }
};

/// Galil-Giancarlo (Galil and Giancarlo 1992, "On the exact complexity of string matching: upper bounds"): Colussi's
/// algorithm with another rule for the pattern's first run of equal letters. If nothing but a part of this run is known
/// of the window, the run in the text is read to its end. Only the window whose run ends there can match. It compares
/// at most 4/3 n characters.
struct GalilGiancarlo {
  static constexpr MatcherFacts kFacts = {"galil-giancarlo", "gg",
                                          "Colussi's order, and runs of the first letter are read at once", 1992,
                                          "one letter repeated: counts the letters of each run in the text"};
  std::uint32_t run;  // the number of equal letters at the pattern's begin
  std::uint16_t letter, after_run;
  OrderedPattern pattern;

  static void prepare(std::string_view pattern, GalilGiancarlo& table) {
    table.run = static_cast<std::uint32_t>(std::min(pattern.find_first_not_of(pattern[0]), pattern.size()));
    table.letter = static_cast<unsigned char>(pattern[0]);
    table.after_run = table.run < pattern.size() ? static_cast<unsigned char>(pattern[table.run]) : 256;
  }

  TRAWL_HOST_DEVICE static void scan(const GalilGiancarlo& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.pattern.m, run = table.run, letter = table.letter, after_run = table.after_run;
    Index window = first_window(begin, m);
    Index known = window;  // the text before it is known
    if (run == m) {
      for (; known < end; ++known) {
        if (text[known] != letter) {
          window = known + 1;
        } else if (known + 1 - window >= m) {
          emit(known);
        }
      }
      return;
    }
    std::uint32_t step = 0;
    while (window + m <= end) {
      if (step != 0 || known <= window) {
        table.pattern.compare(text, window, known, step, emit);
        continue;
      }
      while (known < end && text[known] == letter) {
        ++known;
      }
      if (known == end) {
        return;
      }
      if (known - window >= run && text[known] == after_run) {
        window = known++ - run;
        step = 1;  // the first step compares the letter after the run
      } else {
        window = ++known;
      }
    }
  }
};

/// Franek-Jennings-Smyth (Franek, Jennings and Smyth 2005, "A simple fast hybrid pattern-matching algorithm"): shifts
/// like Quick Search until the last character of the window agrees. Then it compares from left to right and shifts like
/// Knuth-Morris-Pratt, as long as a prefix of the window is known to agree. So it takes linear time.
struct FranekJenningsSmyth {
  static constexpr MatcherFacts kFacts = {"franek-jennings-smyth", "fjs",
                                          "Shifts by Quick Search up to a last character, then by Knuth-Morris-Pratt",
                                          2005};
  std::uint16_t shifts[256];  // by the character after the window
  Borders borders;
  Pattern pattern;

  static void prepare(std::string_view pattern, FranekJenningsSmyth& table) {
    fill_next_shifts(pattern, table.shifts);
    fill_strict_borders(pattern, table.borders);
  }

  TRAWL_HOST_DEVICE static void scan(const FranekJenningsSmyth& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const Pattern& pattern = table.pattern;
    const std::uint32_t m = pattern.m;
    const std::uint8_t last = pattern[m - 1];
    Index window = first_window(begin, m);
    std::uint32_t agree = 0;  // characters of the window that are known to agree
    while (window + m <= end) {
      if (agree == 0 && text[window + m - 1] != last) {
        if (window + m == end) {
          return;
        }
        window += table.shifts[text[window + m]];
        continue;
      }
      while (agree < m && text[window + agree] == pattern[agree]) {
        ++agree;
      }
      if (agree == m) {
        emit(window + m - 1);
      }
      const std::int32_t border = table.borders[agree];
      window += static_cast<std::uint64_t>(static_cast<std::int32_t>(agree) - border);
      agree = border > 0 ? static_cast<std::uint32_t>(border) : 0;
    }
  }
};

}  // namespace trawl::matchers
