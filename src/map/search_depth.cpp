#include "map/search_depth.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "map/verify.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::map {

namespace {

// Enough for a read without edits, the most common case. More edits in the first search cost more time than they save
// (docs/record/map.md).
constexpr std::uint32_t kFirstDepth = 2;
// Reads with fewer edits allowed are short, and many of those from repeats have an exact match at very many places.
constexpr std::uint32_t kFewEdits = 3;

// Reads of fewer bases are looked up.
constexpr std::size_t kKnownLengths = 1024;

// What a letter says, in bits: a base 2, R or Y 1, B 0.415, N 0.
double bits_of(char letter) {
  constexpr double kBits[] = {0, 2, 1, 0.4150374992788438, 0};  // [bases that it may stand for]
  return kBits[std::popcount(unsigned{sequence::iupac_set(letter)})];
}

}  // namespace

std::uint32_t strata_of_pairs(const MapOptions& options) {
  return std::max(
      options.report == Report::strata ? options.strata : 0u,
      options.pairs.discordant == align::Discordant::always ? align::MapqModel::kStrata : align::kPairStrata);
}

SearchDepth::SearchDepth(const sequence::Reference& reference, const MapOptions& options, const align::ReportRule& rule)
    : rule_(rule),
      always_full_(rule.report == Report::all || options.search == SearchMethod::scan ||
                   (options.ambiguous == Ambiguous::match && !reference.ambiguous_runs().empty())),
      reported_(rule.report == Report::strata ? rule.strata : 0u),
      paired_(strata_of_pairs(options)),
      strata_(std::max(1u, reported_)) {}

std::uint32_t SearchDepth::strata(const MapOptions& options) {
  return options.report == Report::all
             ? kMaxEdits
             : std::max(align::MapqModel::kStrata, options.report == Report::strata ? options.strata : 0u);
}

std::uint32_t SearchDepth::first(std::size_t length, std::size_t ambiguous, std::uint32_t allowed, bool paired) const {
  if (always_full_ || band_width(allowed) == 0 || length > kMaxLaneRead) {
    return allowed;
  }
  const std::uint32_t depth = allowed <= kFewEdits && !paired ? 0 : std::max(kFirstDepth, strata_);
  return std::min(allowed, depth + static_cast<std::uint32_t>(ambiguous));
}

ShortReads::ShortReads(const MapOptions& options, std::uint64_t reference_bases)
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
