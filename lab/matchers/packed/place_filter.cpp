#include "lab/matchers/packed/place_filter.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace trawl::matchers::packed {

namespace {

// The sample: pieces from all over the text.
constexpr unsigned kPieceWords = 4;
constexpr unsigned kPieceWindows = 64 * kPieceWords;
constexpr std::uint64_t kPieces = 64;

// Places are added until so few windows of the sample are left: one in 256. Another place costs more time than the
// check of these.
constexpr unsigned kRare = 64;

// Places to choose from: the rarest letters of the pattern, and others spread over it.
std::vector<std::size_t> places_to_try(std::string_view pattern, std::string_view text) {
  constexpr std::size_t kRarest = 32;
  constexpr std::size_t kSpread = 32;
  const std::size_t m = pattern.size();
  std::vector<std::size_t> places;
  if (m <= kRarest + kSpread) {
    places.resize(m);
    std::iota(places.begin(), places.end(), std::size_t{0});
    return places;
  }
  std::uint32_t frequency[256] = {};
  const std::size_t step = std::max<std::size_t>(1, text.size() / 4096);
  for (std::size_t j = 0; j < text.size(); j += step) {
    ++frequency[static_cast<unsigned char>(text[j])];
  }
  std::vector<std::size_t> by_rarity(m);
  std::iota(by_rarity.begin(), by_rarity.end(), std::size_t{0});
  std::stable_sort(by_rarity.begin(), by_rarity.end(), [&](std::size_t a, std::size_t b) {
    return frequency[static_cast<unsigned char>(pattern[a])] < frequency[static_cast<unsigned char>(pattern[b])];
  });
  places.assign(by_rarity.begin(), by_rarity.begin() + kRarest);
  for (std::size_t i = 0; i < kSpread; ++i) {
    places.push_back(i * (m - 1) / (kSpread - 1));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

}  // namespace

PlaceFilter first_places(std::string_view pattern, unsigned count) {
  PlaceFilter filter{};
  filter.m = static_cast<std::uint32_t>(pattern.size());
  for (unsigned i = 0; i < count; ++i) {
    filter.add(pattern, i);
  }
  return filter;
}

PlaceFilter choose_places(std::string_view pattern, std::string_view text) {
  const std::size_t m = pattern.size();
  constexpr std::size_t kComplete = 4;
  if (m <= kComplete || text.size() < m + kPieceWindows) {
    return first_places(pattern, static_cast<unsigned>(m));
  }
  const std::uint64_t room = text.size() - m - kPieceWindows + 1;
  const std::uint64_t pieces = std::min(kPieces, room);
  const std::size_t words = pieces * kPieceWords;
  const auto places = places_to_try(pattern, text);
  std::vector<std::uint64_t> agree(places.size() * words);  // [place][window of the sample]
  for (std::uint64_t s = 0; s < pieces; ++s) {
    const char* piece = text.data() + s * (room / pieces);
    for (std::size_t p = 0; p < places.size(); ++p) {
      equal_bits(piece + places[p], pattern[places[p]], kPieceWords, &agree[p * words + s * kPieceWords]);
    }
  }
  PlaceFilter filter{};
  filter.m = static_cast<std::uint32_t>(m);
  std::vector<std::uint64_t> left(words, ~std::uint64_t{0});  // the windows where all places so far agree
  std::vector<bool> chosen(places.size());
  std::size_t windows = 64 * words;
  const std::size_t most = std::min<std::size_t>(m, PlaceFilter::kMostPlaces);
  while (filter.count < most && (filter.count == 0 || windows > kRare)) {
    std::size_t best = 0, fewest = SIZE_MAX;
    for (std::size_t p = 0; p < places.size(); ++p) {
      if (chosen[p]) {
        continue;
      }
      const std::size_t with = count_common(left.data(), &agree[p * words], words);
      if (with < fewest) {
        fewest = with;
        best = p;
      }
    }
    for (std::size_t w = 0; w < words; ++w) {
      left[w] &= agree[best * words + w];
    }
    windows = fewest;
    chosen[best] = true;
    filter.add(pattern, places[best]);
  }
  return filter;
}

}  // namespace trawl::matchers::packed
