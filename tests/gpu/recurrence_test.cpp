// On the device, too, the recurrences give the oracle's distances.
#include <algorithm>

#include "tests/alignment_oracle.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/device_recurrences.hpp"
#include "tests/gpu/has_device.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

TEST_CASE("recurrences on the device") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(21);
  std::vector<tests::DeviceCase> cases;
  for (int n = 0; n < 2000; ++n) {
    const std::string text = random.contig(random.number(1, 400), 0);
    const std::size_t longest = random.chance(0.7) ? 64 : 1024;
    std::string pattern = random.read({text}, random.number(1, longest), 4, 0);
    pattern.resize(std::clamp<std::size_t>(pattern.size(), 1, longest), 'A');
    cases.push_back({pattern, text});
  }
  const auto results = tests::run_on_device(cases);
  REQUIRE(results.size() == cases.size());
  for (std::size_t n = 0; n < cases.size(); ++n) {
    const auto& [pattern, text] = cases[n];
    CAPTURE(n, pattern, text);
    auto expected = match::end_distances(pattern, text);
    const int untouched = expected.front();
    expected.erase(expected.begin());
    REQUIRE(results[n].myers == expected);
    const auto best = std::min_element(expected.begin(), expected.end());
    if (*best < untouched && *best <= static_cast<int>(tests::kTracedEdits)) {
      // The steps are an alignment of the whole pattern, and their cost is the distance.
      std::size_t i = pattern.size();
      std::size_t j = static_cast<std::size_t>(best - expected.begin()) + 1;
      int cost = 0;
      for (const char step : results[n].steps) {
        REQUIRE((step == 'D' || i > 0));
        REQUIRE((step == 'I' || j > 0));
        i -= step != 'D';
        j -= step != 'I';
        cost += step == 'M' ? pattern[i] != text[j] : 1;
      }
      REQUIRE(i == 0);
      REQUIRE(cost == *best);
    }
  }
}

// Tests the space in which the steps of the map engine run on a device.
TEST_CASE("a step sees every item, however many there are") {
  if (!has_device()) {
    return;
  }
  constexpr std::uint64_t kStep = 4096;
  for (const std::uint64_t items : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{4097}, std::uint64_t{1} << 30,
                                    (std::uint64_t{1} << 30) + 1, (std::uint64_t{1} << 33) + 12345}) {
    INFO(items << " items");
    const std::uint64_t count = (items + kStep - 1) / kStep;
    const Visits visits = visit_on_device(items, kStep);
    CHECK(visits.count == count);
    CHECK(visits.sum == (count == 0 ? 0 : kStep * (count * (count - 1) / 2)));
  }
}
