// The nucleotide alphabet: 2-bit codes for A, C, G, T, and 4-bit sets for the IUPAC codes.
//
//   base_code('g') == 2
//   base_code('N') == kAmbiguous
//   iupac_set('R') == 0b0101               // A or G
//   complement_base('R') == 'Y'
//   upper_bases("acgu") == "ACGT"
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace trawl::sequence {

/// The code of every letter that is not A, C, G, T or U.
inline constexpr std::uint8_t kAmbiguous = 4;

/// The letters of the 2-bit codes.
inline constexpr char kBaseLetters[] = "ACGT";

namespace detail {

// Bit 0 = A, 1 = C, 2 = G, 3 = T, in either case (Cornish-Bowden 1985, table 1).
constexpr std::array<std::uint8_t, 256> make_iupac_sets() {
  std::array<std::uint8_t, 256> sets{};
  constexpr std::string_view letters = "ACGTURYSWKMBDHVN";
  constexpr std::uint8_t values[] = {1, 2, 4, 8, 8, 5, 10, 6, 9, 12, 3, 14, 13, 11, 7, 15};
  for (std::size_t i = 0; i < letters.size(); ++i) {
    sets[static_cast<unsigned char>(letters[i])] = values[i];
    sets[static_cast<unsigned char>(letters[i] + ('a' - 'A'))] = values[i];
  }
  return sets;
}

constexpr std::array<std::uint8_t, 256> make_base_codes() {
  std::array<std::uint8_t, 256> codes{};
  const auto sets = make_iupac_sets();
  for (std::size_t c = 0; c < 256; ++c) {
    codes[c] = sets[c] == 1 ? 0 : sets[c] == 2 ? 1 : sets[c] == 4 ? 2 : sets[c] == 8 ? 3 : kAmbiguous;
  }
  return codes;
}

constexpr std::array<char, 256> make_complements() {
  std::array<char, 256> complements{};
  for (char& c : complements) {
    c = 'N';
  }
  constexpr std::string_view from = "ACGTURYSWKMBDHVN";
  constexpr std::string_view to = "TGCAAYRSWMKVHDBN";
  for (std::size_t i = 0; i < from.size(); ++i) {
    complements[static_cast<unsigned char>(from[i])] = to[i];
    complements[static_cast<unsigned char>(from[i] + ('a' - 'A'))] = to[i];
  }
  return complements;
}

constexpr std::array<char, 256> make_uppers() {
  auto uppers = make_complements();
  const auto complements = uppers;
  for (char& c : uppers) {
    c = complements[static_cast<unsigned char>(c)];
  }
  return uppers;
}

inline constexpr auto kIupacSets = make_iupac_sets();
inline constexpr auto kBaseCodes = make_base_codes();
inline constexpr auto kComplements = make_complements();
inline constexpr auto kUppers = make_uppers();

}  // namespace detail

/// 0-3 for A, C, G, T (U counts as T), either case; kAmbiguous for anything else.
constexpr std::uint8_t base_code(char letter) { return detail::kBaseCodes[static_cast<unsigned char>(letter)]; }

/// The bases that an IUPAC letter may stand for, as a set of 4 bits; 0 if the letter is not an IUPAC code.
constexpr std::uint8_t iupac_set(char letter) { return detail::kIupacSets[static_cast<unsigned char>(letter)]; }

/// The complement of an IUPAC letter, in upper case; N if the letter is not an IUPAC code.
constexpr char complement_base(char letter) { return detail::kComplements[static_cast<unsigned char>(letter)]; }

/// Whether every base that `letter` may stand for is one of those of `other`: A of R, but not R of A.
constexpr bool is_part_of(char letter, char other) { return (iupac_set(letter) & ~iupac_set(other)) == 0; }

/// The complement of each base of a set.
constexpr std::uint8_t complement_set(unsigned set) {
  return static_cast<std::uint8_t>((set & 1) << 3 | (set & 2) << 1 | (set & 4) >> 1 | (set & 8) >> 3);
}

/// An IUPAC letter in upper case, with U written as T; N if the letter is not an IUPAC code.
constexpr char upper_base(char letter) { return detail::kUppers[static_cast<unsigned char>(letter)]; }

/// The same for a whole sequence.
inline std::string upper_bases(std::string_view letters) {
  std::string out(letters);
  for (char& letter : out) {
    letter = upper_base(letter);
  }
  return out;
}

/// The reverse complement, in upper case.
inline std::string reverse_complement(std::string_view bases) {
  std::string out(bases.size(), 'N');
  for (std::size_t i = 0; i < bases.size(); ++i) {
    out[bases.size() - 1 - i] = complement_base(bases[i]);
  }
  return out;
}

}  // namespace trawl::sequence
