// Horspool, Quick Search and their relatives: whatever was compared, they move the window by one or two characters of
// the text, at the window's end or after it.
#pragma once

#include <utility>

#include "lab/matchers/exact/shift_rules.hpp"

namespace trawl::matchers {

// Shifts: how far a window moves by the characters at `after`, the place after it, or before it. kAfter: how many
// characters from there on are read.

/// By the last character of the window, as Horspool's (kReads = 0), or by the one after it, as Quick Search's (1).
template <unsigned kReads>
struct CharacterShift {
  static constexpr unsigned kAfter = kReads;
  std::uint16_t shifts[256];

  void set(std::string_view pattern) {
    kReads == 0 ? fill_window_shifts(pattern, shifts) : fill_next_shifts(pattern, shifts);
  }
  TRAWL_HOST_DEVICE std::uint32_t operator()(const auto& text, Index after) const {
    return shifts[text[after + kReads - 1]];
  }
};
using LastShift = CharacterShift<0>;
using NextShift = CharacterShift<1>;

/// The larger of the two.
struct LargerShift {
  static constexpr unsigned kAfter = 1;
  LastShift by_last;
  NextShift by_next;

  void set(std::string_view pattern) {
    by_last.set(pattern);
    by_next.set(pattern);
  }
  TRAWL_HOST_DEVICE std::uint32_t operator()(const auto& text, Index after) const {
    const std::uint32_t last = by_last(text, after), next = by_next(text, after);
    return last > next ? last : next;
  }
};

/// By the two characters after it.
struct NextPairShift {
  static constexpr unsigned kAfter = 2;
  PairShift pairs;

  void set(std::string_view pattern) { pairs.set(pattern, pattern.size()); }
  TRAWL_HOST_DEVICE std::uint32_t operator()(const auto& text, Index after) const {
    return pairs(text[after], text[after + 1]);
  }
};

// Comparisons: whether the pattern occurs at a window.

/// From left to right.
struct LeftToRight {
  const Pattern& pattern;

  TRAWL_HOST_DEVICE bool operator()(const auto& text, Index window) const { return pattern.occurs(text, window); }
};

/// The last character first.
struct LastFirst {
  const Pattern& pattern;
  std::uint8_t last = pattern[pattern.m - 1];

  TRAWL_HOST_DEVICE bool operator()(const auto& text, Index window) const {
    return text[window + pattern.m - 1] == last && pattern.agrees(text, window, 0, pattern.m - 1);
  }
};

/// The last character, then the first, then, if kMiddle, that in the middle.
template <bool kMiddle>
struct EndsFirst {
  const Pattern& pattern;
  std::uint32_t m = pattern.m;
  std::uint8_t first = pattern[0], middle = pattern[m / 2], last = pattern[m - 1];

  TRAWL_HOST_DEVICE bool operator()(const auto& text, Index window) const {
    return text[window + m - 1] == last && text[window] == first && (!kMiddle || text[window + m / 2] == middle) &&
           pattern.agrees(text, window, 1, m);
  }
};

/// Compares a window and moves it, until there are no characters left for the shift.
template <class Shift, class Comparison>
struct ShiftSearch {
  Shift shift;
  Pattern pattern;

  static void prepare(std::string_view pattern, ShiftSearch& table) { table.shift.set(pattern); }

  TRAWL_HOST_DEVICE static void scan(const ShiftSearch& table, const auto& text, Index begin, Index end, auto&& emit) {
    const std::uint32_t m = table.pattern.m;
    const Comparison occurs{table.pattern};
    Index window = first_window(begin, m);
    while (window + m + Shift::kAfter <= end) {
      const std::uint32_t shift = table.shift(text, window + m);
      if (occurs(text, window)) {
        emit(window + m - 1);
      }
      window += shift;
    }
    if constexpr (Shift::kAfter > 0) {
      compare_windows(table.pattern, text, window, end, emit);
    }
  }
};

/// Horspool (Horspool 1980, "Practical fast searching in strings"). If the last character of a window agrees, it
/// compares the others. It moves so that the text's character under the window's last place meets its last occurrence
/// in the pattern.
struct Horspool : ShiftSearch<LastShift, LastFirst> {
  static constexpr MatcherFacts kFacts = {"horspool", "hor", "Shifts by the last character of the window", 1980};
};

/// Boyer-Moore-Horspool using probabilities (Nebel 2006, "Fast string matching by using probabilities: on an optimal
/// mismatch variant of Horspool's algorithm"): compares the pattern's characters in the order of their probability in
/// the text, the rarest first, so that a difference is met early. SMART counts the first 100 characters of the text.
/// Nothing is known of the text here, so a character counts as rare if it is rare in the pattern.
struct HorspoolProbabilities {
  static constexpr MatcherFacts kFacts = {"horspool-probabilities", "pbmh",
                                          "Compares the rarest characters first; shifts by the last one of the window",
                                          2006};
  std::uint16_t shifts[256];              // by the last character of the window
  std::uint16_t places[kLongestPattern];  // in the order of comparison
  Pattern pattern;                        // its characters, in this order

  static void prepare(std::string_view pattern, HorspoolProbabilities& table) {
    fill_window_shifts(pattern, table.shifts);
    std::uint16_t counts[256] = {};
    const auto count = [&](std::size_t i) -> auto& { return counts[static_cast<unsigned char>(pattern[i])]; };
    std::string sorted(pattern);
    for (std::uint16_t i = 0; i < pattern.size(); ++i) {
      ++count(i);
      table.places[i] = i;
    }
    std::stable_sort(table.places, table.places + pattern.size(),
                     [&](std::uint16_t i, std::uint16_t j) { return count(i) < count(j); });
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      sorted[i] = pattern[table.places[i]];
    }
    table.pattern.set(sorted);
  }

  TRAWL_HOST_DEVICE static void scan(const HorspoolProbabilities& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.pattern.m;
    Index window = first_window(begin, m);
    while (window + m <= end) {
      const std::uint32_t shift = table.shifts[text[window + m - 1]];
      std::uint32_t i = 0;
      while (i < m && text[window + table.places[i]] == table.pattern[i]) {
        ++i;
      }
      if (i == m) {
        emit(window + m - 1);
      }
      window += shift;
    }
  }
};

/// Raita (Raita 1992, "Tuning the Boyer-Moore-Horspool string searching algorithm"). Neighbouring characters of a text
/// depend on each other, so it compares the last character of a window, the first and the one in the middle before the
/// others.
struct Raita : ShiftSearch<LastShift, EndsFirst<true>> {
  static constexpr MatcherFacts kFacts = {
      "raita", "raita", "Compares the last, the first and the middle character before the others", 1992};
};

/// Tuned Boyer-Moore (Hume and Sunday 1991, "Fast string searching"). Horspool's shift, but the shift of the pattern's
/// last character is 0. So a loop can make three shifts one after another without a test: where the last character is
/// met, the window stays. There the rest is compared, and the window moves by Horspool's shift of that character.
struct TunedBoyerMoore {
  static constexpr MatcherFacts kFacts = {
      "tuned-boyer-moore", "tunedbm", "Makes three of Horspool's shifts before it looks for the last character", 1991};
  std::uint16_t shifts[256];  // by the last character of the window; 0 if it agrees
  std::uint16_t after_last;   // the shift where it agrees
  Pattern pattern;

  static void prepare(std::string_view pattern, TunedBoyerMoore& table) {
    fill_window_shifts(pattern, table.shifts);
    table.after_last = std::exchange(table.shifts[static_cast<unsigned char>(pattern.back())], std::uint16_t{0});
  }

  TRAWL_HOST_DEVICE static void scan(const TunedBoyerMoore& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.pattern.m, after_last = table.after_last;
    const auto shift = [&](Index window) { return table.shifts[text[window + m - 1]]; };
    Index window = first_window(begin, m);
    while (window + m <= end) {
      std::uint32_t k = shift(window);
      while (k != 0 && window + std::uint64_t{4} * m <= end) {
        window += k;
        window += shift(window);
        window += shift(window);
        k = shift(window);
      }
      if (k == 0) {
        if (table.pattern.agrees(text, window, 0, m - 1)) {
          emit(window + m - 1);
        }
        k = after_last;
      }
      window += k;
    }
  }
};

/// Quick Search (Sunday 1990, "A very fast substring search algorithm"). The character after the window lies in the
/// next window in any case, so the window moves until it meets its last occurrence in the pattern: by 1 to m + 1
/// characters.
struct QuickSearch : ShiftSearch<NextShift, LeftToRight> {
  static constexpr MatcherFacts kFacts = {"quick-search", "qs", "Shifts by the character after the window", 1990};
};

/// SSABS (Sheik, Aggarwal, Poddar, Balakrishnan and Sekar 2004, "A fast pattern matching algorithm"): compares the last
/// character of a window, then the first, and only if both agree those between them. It shifts like Quick Search.
struct Ssabs : ShiftSearch<NextShift, EndsFirst<false>> {
  static constexpr MatcherFacts kFacts = {
      "ssabs", "ssabs",
      "Compares the last and the first character before the others; shifts by the one after the window", 2004};
};

/// Smith (Smith 1991, "Experiments with a very fast substring search algorithm"). Horspool's shift is sometimes larger
/// than Quick Search's. It takes the larger of the two.
struct Smith : ShiftSearch<LargerShift, LeftToRight> {
  static constexpr MatcherFacts kFacts = {"smith", "smith",
                                          "Shifts by the larger of Horspool's and Quick Search's shifts", 1991};
};

/// Berry-Ravindran (Berry and Ravindran 1999, "A fast string matching algorithm and experimental results"): moves so
/// that the pattern agrees with the two characters after the window: by 1 to m + 2 characters.
struct BerryRavindran : ShiftSearch<NextPairShift, LeftToRight> {
  static constexpr MatcherFacts kFacts = {"berry-ravindran", "br", "Shifts by the two characters after the window",
                                          1999};
};

/// TVSBS (Thathoo, Virmani, Sai Lakshmi, Balakrishnan and Sekar 2006, "TVSBS: a fast exact pattern matching algorithm
/// for biological sequences"): compares like SSABS, and shifts like Berry-Ravindran.
struct Tvsbs : ShiftSearch<NextPairShift, EndsFirst<false>> {
  static constexpr MatcherFacts kFacts = {
      "tvsbs", "tvsbs",
      "Compares the last and the first character before the others; shifts by the two after the window", 2006};
};

/// Two sliding windows (Hudaib, Al-Khalid, Suleiman, Itriq and Al-Anani 2008, "A fast pattern matching algorithm with
/// two sliding windows (TSW)"). One window moves from the left end of the text to the right, another from the right end
/// to the left, until they meet. Each shifts like Berry-Ravindran, by the next two characters in its direction. The two
/// do not depend on each other, so a processor can work on both at once.
struct TwoSlidingWindows {
  static constexpr MatcherFacts kFacts = {"two-sliding-windows", "tsw", "Searches from both ends of the text at once",
                                          2008};
  PairShift to_right;
  PairShift to_left;  // of the reversed pattern
  Pattern pattern;

  static void prepare(std::string_view pattern, TwoSlidingWindows& table) {
    table.to_right.set(pattern, pattern.size());
    table.to_left.set(reversed(pattern), pattern.size());
  }

  TRAWL_HOST_DEVICE static void scan(const TwoSlidingWindows& table, const auto& text, Index begin, Index end,
                                     auto&& emit) {
    const std::uint32_t m = table.pattern.m;
    Index left = first_window(begin, m);
    if (end < left + m) {
      return;
    }
    Index right = end - m;
    while (left + 1 < right) {
      const std::uint32_t right_shift = table.to_right(text[left + m], text[left + m + 1]);
      const std::uint32_t left_shift = table.to_left(text[right - 1], text[right - 2]);
      if (table.pattern.occurs(text, left)) {
        emit(left + m - 1);
      }
      if (table.pattern.occurs(text, right)) {
        emit(right + m - 1);
      }
      left += right_shift;
      if (right < left + left_shift) {
        return;
      }
      right -= left_shift;
    }
    compare_windows(table.pattern, text, left, right + m, emit);
  }
};

}  // namespace trawl::matchers
