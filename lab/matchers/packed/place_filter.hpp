// A filter for packed matchers: compares a few characters of the pattern with 16 to 64 windows of the text at once.
//
//   const PlaceFilter filter = choose_places(pattern, text);
//   search_with_places(filter, table.pattern, text, begin, end, emit);
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "lab/matchers/matcher.hpp"

namespace trawl::matchers::packed {

/// Which characters of the pattern are compared.
struct PlaceFilter {
  static constexpr unsigned kMostPlaces = 8;

  std::uint32_t m;      // length of the pattern
  std::uint32_t count;  // places, at least 1
  std::uint16_t places[kMostPlaces];
  std::uint8_t letters[kMostPlaces];  // the pattern's there

  /// A filter that is full stays as it is.
  void add(std::string_view pattern, std::size_t place) {
    if (count == kMostPlaces) {
      return;
    }
    places[count] = static_cast<std::uint16_t>(place);
    letters[count++] = static_cast<std::uint8_t>(pattern[place]);
  }
  /// Whether all characters are compared, so that no candidate needs a check.
  bool is_complete() const { return count == m; }
};

/// The places that are found together at the fewest positions in samples of the text: so many that they are rare. In a
/// very short text, the first places.
PlaceFilter choose_places(std::string_view pattern, std::string_view text);

/// The first `count` places, or all that a filter can have.
PlaceFilter first_places(std::string_view pattern, unsigned count);

/// The windows first + i where all places agree, for each bit i that is 1. There is at least one.
struct Candidates {
  std::uint64_t first;
  std::uint64_t bits;
};

/// Tests the windows [window, last) until there are `room` candidates; `last` + m - 1 must not be larger than the text.
/// Returns the first window that is not tested yet; `found` is set to the number of candidates.
std::uint64_t find_candidates(const PlaceFilter& filter, std::string_view text, std::uint64_t window,
                              std::uint64_t last, Candidates* candidates, unsigned room, unsigned& found);

/// Bit i of out[w] is 1 if text[64 w + i] is `letter`, for `words` words.
void equal_bits(const char* text, char letter, unsigned words, std::uint64_t* out);

/// The number of bits that are 1 in both.
std::uint64_t count_common(const std::uint64_t* a, const std::uint64_t* b, std::size_t words);

/// The instruction set in use.
const char* place_filter_target();

/// Emits the matches of a stretch.
void search_with_places(const PlaceFilter& filter, const Pattern& pattern, std::string_view text, Index begin,
                        Index end, auto&& emit) {
  constexpr unsigned kRoom = 256;
  Candidates candidates[kRoom];
  const std::uint32_t m = filter.m;
  const bool complete = filter.is_complete();
  const std::uint64_t last = end < m ? 0 : end - m + 1;
  for (std::uint64_t window = first_window(begin, m); window < last;) {
    unsigned found = 0;
    window = find_candidates(filter, text, window, last, candidates, kRoom, found);
    for (unsigned i = 0; i < found; ++i) {
      auto [first, bits] = candidates[i];
      for (std::uint64_t left = complete ? 0 : bits; left != 0; left &= left - 1) {
        const auto place = static_cast<unsigned>(std::countr_zero(left));
        if (std::memcmp(text.data() + first + place, pattern.letters, m) != 0) {
          bits &= ~(std::uint64_t{1} << place);
        }
      }
      emit.emit_bits(first + m - 1, bits);
    }
  }
}

}  // namespace trawl::matchers::packed
