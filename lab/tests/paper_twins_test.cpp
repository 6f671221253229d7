// Compares the sequential programs with all substrings, and the twins of PASM, WsPASM and ASM with the sequential
// programs.
#include "lab/matchers/asm_diagonal.hpp"
#include "lab/matchers/paper_settings.hpp"
#include "lab/matchers/sequential.hpp"
#include "lab/matchers/wspasm.hpp"
#include "lab/tests/hostile_text.hpp"
#include "tests/catch.hpp"

using namespace trawl;

namespace {

// Directly from the definition, without a table.
unsigned edit_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) {
    return static_cast<unsigned>(a.size() + b.size());
  }
  if (a.back() == b.back()) {
    return edit_distance(a.substr(0, a.size() - 1), b.substr(0, b.size() - 1));
  }
  return 1 + std::min({edit_distance(a.substr(0, a.size() - 1), b.substr(0, b.size() - 1)),
                       edit_distance(a.substr(0, a.size() - 1), b), edit_distance(a, b.substr(0, b.size() - 1))});
}

}  // namespace

TEST_CASE("the sequential programs find what all substrings say") {
  tests::RandomCases random(61);
  for (int n = 0; n < 300; ++n) {
    const auto sigma = static_cast<unsigned>(random.number(1, 4));
    const std::string pattern = tests::random_letters(random, random.number(1, 5), sigma);
    const std::string text = tests::hostile_text(random, pattern, random.number(0, 9), sigma);
    CAPTURE(n, sigma, pattern.size(), text.size());
    matchers::NearestSubstring nearest{static_cast<unsigned>(pattern.size()), 0, 0};
    std::vector<unsigned> distances;
    for (std::size_t end = 1; end <= text.size(); ++end) {
      unsigned least = ~0u;
      for (std::size_t begin = 0; begin <= end; ++begin) {
        const unsigned distance = edit_distance(pattern, std::string_view(text).substr(begin, end - begin));
        if (distance < nearest.distance || (nearest.end == 0 && distance <= nearest.distance)) {
          nearest = {distance, begin, end};
        }
        least = std::min(least, distance);
      }
      distances.push_back(least);
    }
    REQUIRE((matchers::sequential_nearest(text, pattern) == nearest));
    for (unsigned k = 0; k <= pattern.size(); ++k) {
      std::vector<std::uint8_t> expected;
      for (const unsigned distance : distances) {
        expected.push_back(distance <= k);
      }
      REQUIRE((matchers::sequential_ends(text, pattern, k) == expected));
    }
  }
}

TEST_CASE("the twins of PASM and WsPASM give the sequential program's ends") {
  tests::RandomCases random(63);
  for (int n = 0; n < 200; ++n) {
    const auto [text, pattern] = tests::hostile_case(random, random.number(1, random.chance(0.8) ? 70 : 700), 4000);
    const auto k = static_cast<unsigned>(random.number(0, random.chance(0.8) ? 8 : pattern.size() + 2));
    const std::size_t stretch = random.number(1, 40);
    CAPTURE(k, pattern.size(), text.size(), stretch);
    const auto expected = matchers::sequential_ends(text, pattern, k);
    REQUIRE((matchers::pasm_on_host(text, pattern, k) == expected));
    REQUIRE((matchers::wspasm_on_host<1>(text, pattern, k, stretch) == expected));
    REQUIRE((matchers::wspasm_on_host<16>(text, pattern, k, stretch) == expected));
  }
}

TEST_CASE("the twin of ASM gives the sequential program's substring") {
  tests::RandomCases random(64);
  for (int n = 0; n < 150; ++n) {
    auto [text, pattern] = tests::hostile_case(random, random.number(1, random.chance(0.8) ? 60 : 400), 2000);
    text += text.empty() ? "A" : "";
    const auto expected = matchers::sequential_nearest(text, pattern);
    const auto parts = static_cast<unsigned>(random.number(0, 30));
    for (const unsigned rows : {0u, 1u, 2u, 4u, 8u}) {
      CAPTURE(n, pattern.size(), text.size(), parts, rows);
      REQUIRE((matchers::asm_on_host(text, matchers::resolve({pattern, parts, rows}, text.size(), 1)) == expected));
    }
  }
}
