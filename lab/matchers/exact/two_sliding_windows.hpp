// Two sliding windows (Hudaib, Al-Khalid, Suleiman, Itriq and Al-Anani 2008, "A fast pattern matching algorithm with
// two sliding windows (TSW)"). One window moves from the left end of the text to the right, another from the right end
// to the left, until they meet. Each shifts like Berry-Ravindran, by the next two characters in its direction. The two
// do not depend on each other, so a processor can work on both at once.
#pragma once

#include "lab/matchers/compare_windows.hpp"
#include "lab/matchers/matcher.hpp"
#include "lab/matchers/pair_shift.hpp"

namespace trawl::matchers {

struct TwoSlidingWindows {
  static constexpr MatcherFacts kFacts = {.name = "two-sliding-windows",
                                          .code = "tsw",
                                          .title = "Searches from both ends of the text at once",
                                          .authors = "Hudaib, Al-Khalid, Suleiman, Itriq and Al-Anani",
                                          .year = 2008};

  struct Table {
    PairShift to_right;
    PairShift to_left;  // of the reversed pattern
    Pattern pattern;
  };

  static void prepare(std::string_view pattern, Table& table) {
    table.to_right.set(pattern, pattern.size());
    table.to_left.set(reversed(pattern), pattern.size());
    table.pattern.set(pattern);
  }

  template <class Text, class Emit>
  TRAWL_HOST_DEVICE static void scan(const Table& table, const Text& text, std::uint64_t begin, std::uint64_t end,
                                     Emit&& emit) {
    const std::uint32_t m = table.pattern.m;
    std::uint64_t left = first_window(begin, m);
    if (end < left + m) {
      return;
    }
    std::uint64_t right = end - m;
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
