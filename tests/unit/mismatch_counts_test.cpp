#include "match/mismatch_counts.hpp"

#include <random>
#include <vector>

#include "tests/catch.hpp"

using trawl::match::MismatchCounts;

TEST_CASE("mismatches at 64 places at once") {
  std::mt19937_64 random(1);
  for (const std::uint32_t limit : {0u, 1u, 2u, 5u, 63u, 64u, 254u, 255u}) {
    MismatchCounts counts(limit);
    std::vector<std::uint32_t> expected(64);
    for (int letter = 0; letter < 700; ++letter) {
      // Every place has a rate of its own, from 1 in 64 to 1.
      std::uint64_t differ = 0;
      for (unsigned place = 0; place < 64; ++place) {
        const bool is_set = random() % 64 <= place;
        differ |= std::uint64_t{is_set} << place;
        expected[place] += is_set;
      }
      counts.add(differ);
      for (unsigned place = 0; place < 64; ++place) {
        REQUIRE((counts.within() >> place & 1) == (expected[place] <= limit));
        if (expected[place] <= limit) {
          REQUIRE(counts.at(place) == expected[place]);
        }
      }
    }
  }
}
