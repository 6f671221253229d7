// The shift by two characters is exactly the smallest one that agrees with both: no match is passed over, and no shift
// is smaller than need be.
#include "lab/matchers/pair_shift.hpp"

#include <cstdint>
#include <memory>
#include <string>

#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

TEST_CASE("a pair shift is the smallest that agrees with both characters", "[matchers]") {
  tests::RandomCases random(83);
  const auto shift = std::make_unique<matchers::PairShift>();
  for (int n = 0; n < 200; ++n) {
    std::string pattern(random.number(1, 12), 'a');
    for (char& c : pattern) {
      c = static_cast<char>('a' + random.number(0, 2));
    }
    const std::size_t m = pattern.size();
    const std::size_t at = m >= 2 && n % 2 == 0 ? m - 2 : m;
    shift->set(pattern, at);
    for (const char first : std::string("abcx")) {
      for (const char second : std::string("abcx")) {
        // Whether the pattern, moved to the right by s, has c at place i of the window, or does not lie there.
        const auto agrees = [&](std::size_t s, std::size_t i, char c) {
          return i < s || i - s >= m || pattern[i - s] == c;
        };
        std::size_t smallest = 1;
        while (!agrees(smallest, at, first) || !agrees(smallest, at + 1, second)) {
          ++smallest;
        }
        CAPTURE(pattern, at, first, second);
        REQUIRE((*shift)(static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)) == smallest);
      }
    }
  }
}
