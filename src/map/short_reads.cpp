#include "map/short_reads.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "sequence/alphabet.hpp"

namespace trawl::map {

namespace {

// Reads of fewer bases are looked up.
constexpr std::size_t kKnownLengths = 1024;

// What a letter says, in bits: a base 2, R or Y 1, B 0.415, N 0.
double bits_of(char letter) {
  constexpr double kBits[] = {0, 2, 1, 0.4150374992788438, 0};  // [bases that it may stand for]
  return kBits[std::popcount(unsigned{sequence::iupac_set(letter)})];
}

}  // namespace

ShortReads::ShortReads(const Options& options, std::uint64_t reference_bases)
    : options_(options),
      positions_bits_(std::log2(2.0 * static_cast<double>(std::max<std::uint64_t>(reference_bases, 1)))) {
  for (std::size_t length = 0; length < kKnownLengths; ++length) {
    by_length_.push_back(fits_by_chance(length, 2.0 * static_cast<double>(length), options.allowed_edits(length)));
  }
}

bool ShortReads::is_too_short(std::string_view bases) const {
  const std::uint32_t edits = options_.allowed_edits(bases.size());
  std::size_t letters = bases.size();
  double bits = 2.0 * static_cast<double>(letters);
  if (options_.ambiguous == Ambiguous::match) {
    letters = 0;
    bits = 0;
    for (const char letter : bases) {
      const double of_letter = bits_of(letter);
      letters += of_letter > 0 ? 1 : 0;
      bits += of_letter;
    }
  }
  if (letters <= edits) {
    return true;
  }
  if (options_.min_length > 0) {
    return bases.size() < options_.min_length;
  }
  return letters == bases.size() && letters < kKnownLengths && bits == 2.0 * static_cast<double>(letters)
             ? by_length_[letters]
             : fits_by_chance(letters, bits, edits);
}

bool ShortReads::fits_by_chance(std::size_t letters, double bits, std::uint32_t edits) const {
  double kinds_bits = edits * std::log2(options_.gaps() ? 8.0 : 3.0);
  for (std::uint32_t i = 0; i < edits && i < letters; ++i) {
    kinds_bits += std::log2(static_cast<double>(letters - i) / (i + 1.0));
  }
  const double match_bits = std::min(0.0, kinds_bits - bits);  // log2 of the probability at one place
  return positions_bits_ + match_bits > std::log2(kMostChancePlaces);
}

}  // namespace trawl::map
