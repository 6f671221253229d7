// What the programs of this folder know of letters and costs. It is their own, and written apart from Trawl's: an
// oracle that shares code with what it judges would share its faults.
//
//   iupac_set('r') == 0b0101          // A or G
//   base_code('U') == 3               // as T
//   complement_base('R') == 'Y'
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trawl::bench {

/// What an edit costs, in bases left out: penalty = bases left out + kEditPoints * edits.
inline constexpr std::uint32_t kEditPoints = 5;
/// What a gap of trawl map --join costs, whatever its length.
inline constexpr std::uint32_t kLongGapPoints = 15;

inline constexpr std::string_view kBaseLetters = "ACGT";
inline constexpr std::uint8_t kAmbiguous = 4;

namespace detail {

struct IupacLetter {
  char letter;
  std::string_view bases;
};
// Nomenclature Committee of the IUB, 1984.
inline constexpr IupacLetter kIupacLetters[] = {
    {'A', "A"},  {'C', "C"},  {'G', "G"},  {'T', "T"},   {'U', "T"},   {'M', "AC"},  {'R', "AG"},  {'W', "AT"},
    {'S', "CG"}, {'Y', "CT"}, {'K', "GT"}, {'V', "ACG"}, {'H', "ACT"}, {'D', "AGT"}, {'B', "CGT"}, {'N', "ACGT"}};

inline constexpr auto kIupacSets = [] {
  std::array<std::uint8_t, 256> sets{};
  for (const auto& [letter, bases] : kIupacLetters) {
    for (const char base : bases) {
      sets[static_cast<std::size_t>(letter)] |= static_cast<std::uint8_t>(1 << kBaseLetters.find(base));
    }
    sets[static_cast<std::size_t>(letter - 'A' + 'a')] = sets[static_cast<std::size_t>(letter)];
  }
  return sets;
}();

}  // namespace detail

/// The bases that a letter stands for, in either case: 1 A, 2 C, 4 G, 8 T. None if it is no letter of IUPAC.
constexpr std::uint8_t iupac_set(char letter) { return detail::kIupacSets[static_cast<unsigned char>(letter)]; }

/// 0 to 3 for A, C, G, T and U, in either case; kAmbiguous for all else.
constexpr std::uint8_t base_code(char letter) {
  const std::uint8_t set = iupac_set(letter);
  return std::has_single_bit(set) ? static_cast<std::uint8_t>(std::countr_zero(set)) : kAmbiguous;
}

/// In upper case; N of what is no letter of IUPAC.
constexpr char complement_base(char letter) {
  const unsigned set = iupac_set(letter);
  const unsigned turned = (set & 1) << 3 | (set & 2) << 1 | (set & 4) >> 1 | (set & 8) >> 3;
  return "NACMGRSVTWYHKDBN"[turned];
}

inline std::string reverse_complement(std::string_view bases) {
  std::string turned(bases.rbegin(), bases.rend());
  std::transform(turned.begin(), turned.end(), turned.begin(), complement_base);
  return turned;
}

}  // namespace trawl::bench
