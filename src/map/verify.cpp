#include "map/verify.hpp"

#include <algorithm>

#include "match/banded_myers.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::map {

unsigned band_width(std::uint32_t max_edits) {
  const std::uint32_t diagonals = 2 * max_edits + 1;
  return diagonals <= 16 ? 16 : diagonals <= 32 ? 32 : diagonals <= 64 ? 64 : 0;
}

std::uint32_t smallest_distance(const BandDistances& distances, unsigned band) {
  std::uint32_t value = distances.distance;
  std::uint32_t smallest = value;
  for (unsigned bit = 0; bit + 1 < band; ++bit) {
    value = value + static_cast<std::uint32_t>((distances.vp >> bit) & 1) -
            static_cast<std::uint32_t>((distances.vn >> bit) & 1);
    smallest = std::min(smallest, value);
  }
  return smallest;
}

namespace detail {

BandDistances verify_one(const sequence::Reference& reference, const sequence::EncodedRead& read, const Window& window,
                         bool ambiguous_matches, sequence::TextWindow& text) {
  text.load(reference, window.begin, read.length() + 64, ambiguous_matches);
  match::BandState<std::uint64_t> state;
  std::uint32_t distance = static_cast<std::uint32_t>(read.length());
  for (std::size_t i = 0; i < read.length(); ++i) {
    const auto cells = match::banded_row(match::PlainOps<std::uint64_t>{}, state, text.match_bits(read, i, i));
    distance -= cells.d0 & 1;
  }
  return {0, distance, state.vp, state.vn};
}

}  // namespace detail

}  // namespace trawl::map
