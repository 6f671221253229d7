// The shift by two characters: how far the window can move at least, given two neighbouring characters of the text.
// Zhu and Takaoka read the last two of the window, Berry and Ravindran the two after it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/host_device.hpp"

namespace trawl::matchers {

/// The shifts for all pairs of characters.
///
///   PairShift shift;
///   shift.set("abcd", 4);  // for the two characters after the window, at its positions 4 and 5
///   shift('c', 'd')        // 2: moved by 2, the window has "cd" at the place of these two
///   shift('d', 'x')        // 1: the moved window ends with this 'd'
///   shift('x', 'a')        // 5: it begins with this 'a'
///   shift('x', 'y')        // 6: it begins after both
struct PairShift {
  std::uint16_t shifts[256 * 256];  // the row of the first character, then the column of the second

  /// `at`: where the pair's first character lies in the window, from 0 to the pattern's length m. For at = m - 2 it is
  /// the window's last pair.
  void set(std::string_view pattern, std::size_t at) {
    const auto letter = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(pattern[i])}; };
    std::fill(shifts, shifts + 256 * 256, static_cast<std::uint16_t>(at + 2));
    for (std::size_t a = 0; a < 256; ++a) {
      shifts[a * 256 + letter(0)] = static_cast<std::uint16_t>(at + 1);
    }
    for (std::size_t shift = at; shift > 0; --shift) {
      const std::size_t row = letter(at - shift) * 256;
      if (at - shift + 1 < pattern.size()) {
        shifts[row + letter(at - shift + 1)] = static_cast<std::uint16_t>(shift);
      } else {
        std::fill(shifts + row, shifts + row + 256, static_cast<std::uint16_t>(shift));
      }
    }
  }

  TRAWL_HOST_DEVICE std::uint32_t operator()(std::uint8_t first, std::uint8_t second) const {
    return shifts[std::uint32_t{first} << 8 | second];
  }
};

}  // namespace trawl::matchers
