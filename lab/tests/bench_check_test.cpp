// What `trawl-bench` reports for wrong results.
#include "lab/bench_check.hpp"

#include "base/error.hpp"
#include "tests/catch.hpp"

using namespace trawl;

namespace {

// Ends as an algorithm would return them; the tests put errors in.
struct Ends {
  std::vector<std::uint8_t> values;
  lab::FetchEnds fetch() const {
    return [this](std::uint64_t first, std::uint64_t count) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
      return std::vector<std::uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(count));
    };
  }
};

}  // namespace

TEST_CASE("the check of a long text sees matches, near misses and what is not written", "[long]") {
  constexpr std::uint64_t size = std::uint64_t{1} << 21;
  for (const unsigned sigma : {1u, 4u, 256u}) {
    for (const unsigned k : {0u, 2u}) {
      lab::BenchText text(size, sigma, 5);
      const std::string pattern = lab::cut_pattern(text, 48, k);
      text.plant(lab::plants_for(text, pattern, k));
      const std::string letters = text.read(0, size);
      CAPTURE(sigma, k);
      const Ends right{matchers::sequential_ends(letters, pattern, k)};
      REQUIRE_NOTHROW(check_ends(text, pattern, k, right.fetch()));
      const Ends nothing{std::vector<std::uint8_t>(size, 0)};
      REQUIRE_THROWS_AS(check_ends(text, pattern, k, nothing.fetch()), Error);
      const Ends not_written{std::vector<std::uint8_t>(size, 0xFF)};
      REQUIRE_THROWS_AS(check_ends(text, pattern, k, not_written.fetch()), Error);
      if (sigma == 1) {
        continue;  // with any k everything matches
      }
      const Ends too_few{matchers::sequential_ends(letters, pattern, k == 0 ? 0 : k - 1)};
      const Ends too_many{matchers::sequential_ends(letters, pattern, k + 1)};
      REQUIRE((too_few.values == right.values) == (k == 0));
      REQUIRE_THROWS_AS(check_ends(text, pattern, k, too_many.fetch()), Error);
      // Each window contains matches, some of them across multiples of 512, and near misses.
      for (const lab::Window& window : lab::checked_windows(size)) {
        Ends spoilt = right;
        unsigned matches = 0, near_misses = 0, across = 0;
        for (std::uint64_t j = window.first; j < window.first + window.count; ++j) {
          matches += right.values[j];
          across += right.values[j] != 0 && j % 512 < 40;
          near_misses += right.values[j] == 0 && too_many.values[j] != 0;
          spoilt.values[j] = 0;
        }
        REQUIRE(matches >= 20);
        REQUIRE(near_misses >= 10);
        REQUIRE(across >= 5);
        REQUIRE_THROWS_AS(check_ends(text, pattern, k, spoilt.fetch()), Error);
      }
      REQUIRE(right.values.back() == 1);
    }
  }
}

TEST_CASE("a short text is checked from begin to end") {
  for (const std::uint64_t size : {std::uint64_t{48}, std::uint64_t{70000}}) {
    lab::BenchText text(size, 4, 6);
    const std::string pattern = lab::cut_pattern(text, 48, 1);
    text.plant(lab::plants_for(text, pattern, 1));
    const Ends right{matchers::sequential_ends(text.read(0, size), pattern, 1)};
    REQUIRE_NOTHROW(check_ends(text, pattern, 1, right.fetch()));
    for (std::uint64_t j = 0; j < size; j += size / 30 + 1) {
      Ends spoilt = right;
      spoilt.values[j] ^= 1;
      CAPTURE(size, j);
      REQUIRE_THROWS_AS(check_ends(text, pattern, 1, spoilt.fetch()), Error);
    }
  }
}

TEST_CASE("a substring that is not the nearest is refused") {
  constexpr std::uint64_t size = std::uint64_t{1} << 21;
  lab::BenchText text(size, 4, 7);
  const std::string pattern = lab::BenchText(30, 4, 8).read(0, 30);
  const std::string near = lab::changed_in_places(pattern, 2), further = lab::changed_in_places(pattern, 3);
  const auto& windows = lab::checked_windows(size);
  const std::uint64_t at = windows[1].first + 1000, later = windows[2].first + 1000;
  text.plant({{at, near}, {later, further}});
  const std::string letters = text.read(0, size);
  const auto right = matchers::sequential_nearest(letters, pattern);
  REQUIRE(right.distance == 2);
  REQUIRE_NOTHROW(check_nearest(text, pattern, right));
  auto wrong = right;
  ++wrong.begin;
  REQUIRE_THROWS_AS(check_nearest(text, pattern, wrong), Error);
  wrong = right;
  wrong.distance = 1;
  REQUIRE_THROWS_AS(check_nearest(text, pattern, wrong), Error);
  wrong = matchers::sequential_nearest(letters.substr(later), pattern);
  wrong.begin += later;
  wrong.end += later;
  REQUIRE(wrong.distance == 3);
  REQUIRE_THROWS_AS(check_nearest(text, pattern, wrong), Error);
}

TEST_CASE("a pattern is changed in as many places as edits are allowed") {
  for (const std::string piece : {"ACGTACGTAC", "AAAAAAAAAC", "AC", "CAAAAAAAAA"}) {
    for (unsigned k = 0; k <= piece.size(); ++k) {
      const std::string changed = lab::changed_in_places(piece, k);
      unsigned differ = 0;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        differ += changed[i] != piece[i];
      }
      REQUIRE(differ == k);
    }
  }
  REQUIRE(lab::changed_in_places("AAAA", 2) == "AAAA");
}
