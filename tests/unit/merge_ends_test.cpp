// Ends that several threads have found are merged into the order that one thread would give them.
#include <algorithm>
#include <tuple>

#include "scan/find/finder.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

std::vector<std::tuple<std::uint32_t, std::uint64_t, unsigned>> listed(const std::vector<scan::Hit>& ends) {
  std::vector<std::tuple<std::uint32_t, std::uint64_t, unsigned>> list;
  for (const scan::Hit& hit : ends) {
    list.emplace_back(hit.id, hit.end, hit.distance);
  }
  return list;
}

}  // namespace

TEST_CASE("sorted parts of ends are merged") {
  tests::RandomCases random(3);
  for (const std::size_t most : {0, 1, 100, 5000, 60000}) {
    for (int round = 0; round < 8; ++round) {
      // Few queries or many; a part may be empty, or have all ends.
      const std::size_t queries = random.chance(0.3) ? 1 : random.number(1, 5000);
      std::vector<std::vector<scan::Hit>> parts(random.number(1, 40));
      std::vector<scan::Hit> all;
      for (std::size_t p = 0; p < parts.size(); ++p) {
        const std::size_t count = random.chance(0.2) ? 0 : random.number(0, most);
        for (std::size_t n = 0; n < count; ++n) {
          parts[p].push_back({100000 * p + random.number(0, 99999),
                              static_cast<std::uint32_t>(random.number(0, queries - 1)),
                              static_cast<std::uint16_t>(random.number(0, 5))});
        }
        scan::sort_ends(parts[p]);
        all.insert(all.end(), parts[p].begin(), parts[p].end());
      }
      std::vector<scan::Hit> merged{{1, 2, 3}};
      scan::merge_ends(parts, merged);
      scan::sort_ends(all);
      CAPTURE(most, round, queries, parts.size(), all.size());
      REQUIRE(listed(merged) == listed(all));
      REQUIRE(std::is_sorted(merged.begin(), merged.end(), [](const scan::Hit& a, const scan::Hit& b) {
        return std::pair(a.id, a.end) < std::pair(b.id, b.end);
      }));
    }
  }
}
