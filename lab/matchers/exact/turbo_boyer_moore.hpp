// Turbo-BM (Crochemore, Czumaj, Gasieniec, Jarominek, Lecroq, Plandowski and Rytter 1994, "Speeding up two
// string-matching algorithms"): Boyer-Moore that remembers the part of the text that matched a suffix of the pattern in
// the last window, if the window then moved by the good suffix rule. It jumps over this part, and if the new window
// matches less than it, it can move further (the turbo shift). It reads at most 2 n characters.
#pragma once

#include "lab/matchers/boyer_moore_table.hpp"

namespace trawl::matchers {

struct TurboBoyerMoore {
  static constexpr MatcherFacts kFacts = {
      .name = "turbo-boyer-moore",
      .code = "tbm",
      .title = "Boyer-Moore that remembers what the last window has matched",
      .authors = "Crochemore, Czumaj, Gasieniec, Jarominek, Lecroq, Plandowski and Rytter",
      .year = 1994};

  using Table = BoyerMooreTable;

  static void prepare(std::string_view pattern, Table& table) { table.set(pattern); }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const auto m = static_cast<int>(table.pattern.m);
    int shift = m;       // the last one
    int remembered = 0;  // characters that are known to match, before the last `shift` ones of the window
    for (std::uint64_t last = first_window(begin, table.pattern.m) + table.pattern.m - 1; last < end; last += shift) {
      int matched = 0;
      while (matched < m && table.pattern[m - 1 - matched] == text[last - matched]) {
        if (++matched == shift) {
          matched += remembered;
        }
      }
      if (matched == m) {
        emit(last);
        shift = table.good_suffix[m];
        remembered = m - shift;
        continue;
      }
      const int good = table.good_suffix[matched];
      const int bad = table.bad_character[text[last - matched]] - matched;
      const int turbo = remembered - matched;
      if (good >= bad && good >= turbo) {
        shift = good;
        remembered = matched < m - shift ? matched : m - shift;
      } else {
        // The characters before the remembered part's two places in the pattern differ, if both places have one.
        // Without this condition the second abbcbabb in abbcbabbabbcbabb is missed.
        const bool differ = matched < remembered && remembered + shift < m;
        const int least = differ ? remembered + 1 : 1;
        shift = turbo >= bad ? turbo : bad > least ? bad : least;
        remembered = 0;
      }
    }
  }
};

}  // namespace trawl::matchers
