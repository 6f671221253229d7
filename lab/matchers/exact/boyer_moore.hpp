// Boyer-Moore and its variants: they compare a window from right to left, and move it by the good suffix rule, by the
// bad character rule, or by both.
#pragma once

#include <utility>

#include "lab/matchers/exact/shift_rules.hpp"

namespace trawl::matchers {

/// How many characters at the end of the window that ends at `last` match, if the last `known` ones do.
TRAWL_HOST_DEVICE inline int matched_suffix(const Pattern& pattern, const auto& text, Index last, int known = 0) {
  const int m = static_cast<int>(pattern.m);
  while (known < m && pattern[m - 1 - known] == text[last - known]) {
    ++known;
  }
  return known;
}

/// Boyer-Moore (Boyer and Moore 1977, "A fast string searching algorithm"). At a difference the window moves by the
/// larger of two shifts: the good suffix rule brings the matched characters to their next place in the pattern, the bad
/// character rule does so with the character that differs.
struct BoyerMoore {
  static constexpr MatcherFacts kFacts = {"boyer-moore", "bm",
                                          "Right to left, with the good suffix and the bad character rule", 1977};
  std::uint16_t bad_character[256];  // fill_window_shifts()
  SuffixShifts good_suffix;
  Pattern pattern;

  /// The larger shift of the two rules. `differs`: the character of the text before the matched ones.
  TRAWL_HOST_DEVICE int shift(int matched, unsigned char differs) const {
    const int good = good_suffix[matched];
    const int bad = bad_character[differs] - matched;
    return good > bad ? good : bad;
  }

  static void prepare(std::string_view pattern, BoyerMoore& table) {
    fill_window_shifts(pattern, table.bad_character);
    fill_good_suffix_shifts(pattern, table.good_suffix);
  }

  TRAWL_HOST_DEVICE static void scan(const BoyerMoore& table, const auto& text, Index begin, Index end, auto&& emit) {
    const auto m = static_cast<int>(table.pattern.m);
    for (Index last = first_window(begin, table.pattern.m) + table.pattern.m - 1; last < end;) {
      const int matched = matched_suffix(table.pattern, text, last);
      if (matched == m) {
        emit(last);
        last += table.good_suffix[m];
      } else {
        last += table.shift(matched, text[last - matched]);
      }
    }
  }
};

/// Apostolico-Giancarlo (Apostolico and Giancarlo 1986, "The Boyer-Moore-Galil string searching strategies revisited"):
/// remembers, for each window, how long a suffix of the pattern has matched at its end. When a later window comes to
/// such an end, the pattern's own common suffixes tell how the comparison goes on: a matched part is not read again.
struct ApostolicoGiancarlo {
  static constexpr MatcherFacts kFacts = {"apostolico-giancarlo", "ag",
                                          "Boyer-Moore that never compares a matched part again", 1986,
                                          "remembers the last 16 windows that have matched something"};
  PositionValues common_suffix;
  BoyerMoore rules;
  std::size_t used_bytes() const { return sizeof *this - sizeof rules.pattern + rules.pattern.used_bytes(); }

  static void prepare(std::string_view pattern, ApostolicoGiancarlo& table) {
    fill_suffix_lengths(pattern, table.common_suffix);
    BoyerMoore::prepare(pattern, table.rules);
    table.rules.pattern.set(pattern);
  }

  TRAWL_HOST_DEVICE static void scan(const ApostolicoGiancarlo& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    constexpr unsigned kWindows = 16, kLengthBits = 13;
    std::uint64_t memory[kWindows] = {};  // the end of a window and the length that matched; 0: none
    unsigned newest = 0;
    const int m = static_cast<int>(table.rules.pattern.m);
    for (Index stop = first_window(begin, table.rules.pattern.m) + m; stop <= end;) {
      int left = m;  // characters of the window that are not yet compared
      for (unsigned age = 0;; ++age) {
        // Compares as far as the next end in the memory.
        const std::uint64_t seen = age < kWindows ? memory[(newest - age) % kWindows] : 0;
        const std::uint64_t distance = stop - (seen >> kLengthBits);
        const int next = distance < static_cast<unsigned>(m) ? m - static_cast<int>(distance) : 0;
        if (next > left) {  // jumped over
          continue;
        }
        while (left > next && table.rules.pattern[left - 1] == text[stop - 1 - (m - left)]) {
          --left;
        }
        if (left > next || left == 0) {
          break;
        }
        const int matched = static_cast<int>(seen & ((1u << kLengthBits) - 1));
        const int common = table.common_suffix[left - 1];
        left -= matched < common ? matched : common;
        if (matched != common) {
          break;
        }
      }
      if (left != m) {
        memory[++newest % kWindows] = stop << kLengthBits | static_cast<unsigned>(m - left);
      }
      if (left == 0) {
        emit(stop - 1);
        stop += table.rules.good_suffix[m];
      } else {
        stop += table.rules.shift(m - left, text[stop - 1 - (m - left)]);
      }
    }
  }
};

/// Turbo-BM (Crochemore, Czumaj, Gasieniec, Jarominek, Lecroq, Plandowski and Rytter 1994, "Speeding up two
/// string-matching algorithms"): remembers the part of the text that matched a suffix of the pattern in the last
/// window, if the window then moved by the good suffix rule. It jumps over this part, and if the new window matches
/// less than it, it can move further (the turbo shift). It reads at most 2 n characters.
struct TurboBoyerMoore : BoyerMoore {
  static constexpr MatcherFacts kFacts = {"turbo-boyer-moore", "tbm",
                                          "Boyer-Moore that remembers what the last window has matched", 1994};

  TRAWL_HOST_DEVICE static void scan(const BoyerMoore& table, const auto& text, Index begin, Index end, auto&& emit) {
    const auto m = static_cast<int>(table.pattern.m);
    int shift = m;       // the last one
    int remembered = 0;  // characters that are known to match, before the last `shift` ones of the window
    for (Index last = first_window(begin, table.pattern.m) + table.pattern.m - 1; last < end; last += shift) {
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

/// Fast-Search (Cantone and Faro 2003, "Fast-Search: a new efficient variant of the Boyer-Moore string matching
/// algorithm"): if the last character of the window differs, it moves by Horspool's shift, which needs no comparison of
/// the others. Otherwise it moves by the good suffix rule alone.
struct FastSearch : BoyerMoore {
  static constexpr MatcherFacts kFacts = {"fast-search", "fs",
                                          "Horspool's shift, or the good suffix rule if the last letter agrees", 2003};

  static void prepare(std::string_view pattern, BoyerMoore& table) {
    BoyerMoore::prepare(pattern, table);
    table.bad_character[static_cast<unsigned char>(pattern.back())] = 0;  // it agrees
  }

  TRAWL_HOST_DEVICE static void scan(const BoyerMoore& table, const auto& text, Index begin, Index end, auto&& emit) {
    const int m = static_cast<int>(table.pattern.m);
    for (Index last = first_window(begin, table.pattern.m) + table.pattern.m - 1; last < end;) {
      if (const unsigned shift = table.bad_character[text[last]]; shift != 0) {
        last += shift;
        continue;
      }
      const int matched = matched_suffix(table.pattern, text, last, 1);
      if (matched == m) {
        emit(last);
      }
      last += table.good_suffix[matched];
    }
  }
};

/// Backward-Fast-Search (Cantone and Faro 2005, "Fast-Search algorithms: new efficient variants of the Boyer-Moore
/// pattern-matching algorithm"): one table for both rules. The matched suffix moves to the next place in the pattern
/// where the character before it is the one that differs in the text. With no matched suffix that is Horspool's shift.
struct BackwardFastSearch {
  static constexpr MatcherFacts kFacts = {
      "backward-fast-search", "bfs", "Right to left, one shift for the matched suffix and the letter before", 2005};
  struct Row {                  // one for each number of characters that have matched
    std::uint16_t shifts[256];  // for the character before these
    std::uint16_t letter;       // of the pattern, before these; 256: none
  };
  std::uint32_t m;
  Row rows[kLongestPattern + 1];
  std::size_t used_bytes() const { return offsetof(BackwardFastSearch, rows) + (m + 1) * sizeof(Row); }

  static void prepare(std::string_view pattern, BackwardFastSearch& table) {
    const std::size_t m = pattern.size();
    const auto letter = [&](std::size_t i) { return static_cast<unsigned char>(pattern[i]); };
    PositionValues lengths;
    SuffixShifts border_shifts;
    fill_suffix_lengths(pattern, lengths);
    fill_border_shifts(lengths, m, border_shifts);
    table.m = static_cast<std::uint32_t>(m);
    for (std::size_t matched = 0; matched <= m; ++matched) {
      Row& row = table.rows[matched];
      row.letter = matched < m ? letter(m - 1 - matched) : 256;
      std::fill(row.shifts, row.shifts + 256, border_shifts[matched]);
    }
    for (std::size_t i = 0; i + 1 < m; ++i) {
      if (lengths[i] <= i) {
        table.rows[lengths[i]].shifts[letter(i - lengths[i])] = static_cast<std::uint16_t>(m - 1 - i);
      }
    }
    table.rows[0].shifts[letter(m - 1)] = 0;  // it agrees
  }

  TRAWL_HOST_DEVICE static void scan(const BackwardFastSearch& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.m;
    const Row* const rows = table.rows;
    for (Index last = first_window(begin, m) + m - 1; last < end;) {
      if (const unsigned shift = rows[0].shifts[text[last]]; shift != 0) {
        last += shift;
        continue;
      }
      std::uint32_t matched = 1;
      while (matched < m && rows[matched].letter == text[last - matched]) {
        ++matched;
      }
      if (matched == m) {
        emit(last);
        last += rows[m].shifts[0];
      } else {
        last += rows[matched].shifts[text[last - matched]];
      }
    }
  }
};

/// Zhu-Takaoka (Zhu and Takaoka 1987, "On improving the average case of the Boyer-Moore string matching algorithm"):
/// the good suffix rule, or the shift by the last two characters of the window in place of the one that differs: pairs
/// are rarer than single characters, so it is larger.
struct ZhuTakaoka {
  static constexpr MatcherFacts kFacts = {"zhu-takaoka", "zt",
                                          "Shifts by the last two characters of the window or the good suffix", 1987,
                                          "m = 1: compares every character"};
  PairShift pair_shift;
  SuffixShifts good_suffix;
  Pattern pattern;

  static void prepare(std::string_view pattern, ZhuTakaoka& table) {
    if (pattern.size() > 1) {
      table.pair_shift.set(pattern, pattern.size() - 2);
      fill_good_suffix_shifts(pattern, table.good_suffix);
    }
  }

  TRAWL_HOST_DEVICE static void scan(const ZhuTakaoka& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.pattern.m;
    const Index window = first_window(begin, m);
    if (m == 1) {
      return compare_windows(table.pattern, text, window, end, emit);
    }
    for (Index last = window + m - 1; last < end;) {
      const std::uint32_t pair = table.pair_shift(text[last - 1], text[last]);
      const auto matched = static_cast<std::uint32_t>(matched_suffix(table.pattern, text, last));
      if (matched == m) {
        emit(last);
      }
      const std::uint32_t good = table.good_suffix[matched];
      last += pair > good ? pair : good;
    }
  }
};

/// Reverse Colussi (Colussi 1994, "Fastest pattern matching in strings"): compares the last character first. While it
/// differs, the window moves so that this character agrees, and the one where the last window ended agrees still. Then
/// come the positions where a difference tells the shift exactly, the shortest shift first, then the others from left
/// to right.
struct ReverseColussi {
  static constexpr MatcherFacts kFacts = {"reverse-colussi", "rcol",
                                          "The last letter first, then positions by the shift they lead to", 1994};
  struct Row {
    std::uint16_t last_shifts[256];  // for the last character, after a shift by the row's number; 0: it agrees
    std::uint16_t letter;            // the row's step compares it
    std::uint16_t distance;          // from it to the window's last character
    std::uint16_t shift;             // if it differs; in row m: after a match
  };
  std::uint32_t m;
  Row rows[kLongestPattern + 1];  // from 1 on
  std::size_t used_bytes() const { return offsetof(ReverseColussi, rows) + (m + 1) * sizeof(Row); }

  static void prepare(std::string_view pattern, ReverseColussi& table) {
    const auto m = static_cast<std::uint32_t>(pattern.size());
    table.m = m;
    fill_steps(pattern, table.rows);
    const auto letter = [&](std::uint32_t i) { return static_cast<unsigned char>(pattern[i]); };
    std::uint32_t first[256];  // where each letter occurs first, and where it occurs again
    std::vector<std::uint32_t> again(m);
    std::fill(first, first + 256, m);
    for (std::uint32_t i = m; i-- > 0;) {
      again[i] = std::exchange(first[letter(i)], i);
    }
    std::fill(table.rows[0].last_shifts, table.rows[0].last_shifts + 256, static_cast<std::uint16_t>(m));
    for (std::uint32_t shift = 1; shift <= m; ++shift) {
      std::uint16_t* const shifts = table.rows[shift].last_shifts;
      std::uint16_t* const before = table.rows[0].last_shifts;  // with places before the last window's end
      if (shift < m) {
        before[letter(shift - 1)] = static_cast<std::uint16_t>(m - shift);
      }
      std::copy(before, before + 256, shifts);
      for (std::uint32_t i = shift < m ? first[letter(m - 1 - shift)] : m; i + shift + 1 < m; i = again[i]) {
        shifts[letter(i + shift)] = static_cast<std::uint16_t>(m - 1 - shift - i);
      }
      shifts[letter(m - 1)] = 0;
    }
  }

  static void fill_steps(std::string_view pattern, Row* rows) {
    const std::size_t m = pattern.size();
    PositionValues lengths, periods;
    fill_suffix_lengths(pattern, lengths);
    fill_next_periods(pattern, periods);
    std::vector<bool> done(m);
    const auto set = [&](std::size_t step, std::size_t distance, std::size_t shift) {
      rows[step].letter = static_cast<unsigned char>(pattern[m - 1 - distance]);
      rows[step].distance = static_cast<std::uint16_t>(distance);
      rows[step].shift = static_cast<std::uint16_t>(shift);
      done[distance] = true;
    };
    std::size_t step = 1;
    for (std::size_t shift = 1; shift < m; ++shift) {
      if (const std::size_t length = lengths[m - 1 - shift]; length > 0 && !done[length]) {
        set(step++, length, shift);
      }
    }
    for (std::size_t distance = m - 1; distance > 0; --distance) {
      if (!done[distance]) {
        set(step++, distance, periods[m - 1 - distance]);
      }
    }
    rows[m].shift = periods[0];
  }

  TRAWL_HOST_DEVICE static void scan(const ReverseColussi& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.m;
    const Row* const rows = table.rows;
    std::uint32_t shift = m;  // the last one
    for (Index last = first_window(begin, m) + m - 1; last < end; last += shift) {
      if (const std::uint32_t by_last = rows[shift].last_shifts[text[last]]; by_last != 0) {
        shift = by_last;
        continue;
      }
      std::uint32_t step = 1;
      while (step < m && text[last - rows[step].distance] == rows[step].letter) {
        ++step;
      }
      if (step == m) {
        emit(last);
      }
      shift = rows[step].shift;
    }
  }
};

}  // namespace trawl::matchers
