// The check of a place has all ends that a match through the place can have: those that are moved by as many letters as
// there are edits too.
#include "scan/find/place_check.hpp"

#include <algorithm>
#include <map>

#include "tests/catch.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

// The distances at the ends in the contig that the check of one place gives.
std::map<std::size_t, int> ends_at(const std::string& contig, const std::string& pattern, std::uint32_t k,
                                   std::size_t place) {
  scan::Options options;
  options.max_edits = k;
  options.strands = scan::Strands::forward;
  const auto queries = scan::make_queries({{"p", pattern}}, options);
  const scan::PlaceCheck check(queries, options);
  REQUIRE(check.takes_all());
  const auto reference = tests::make_reference({contig});
  const std::uint64_t before = reference.contigs()[0].offset - 1;
  std::vector<scan::Hit> hits;
  const scan::Place places[] = {{before + place, 0}};
  check.check(reference, places, hits);
  std::map<std::size_t, int> ends;
  for (const auto& hit : hits) {
    REQUIRE(ends.emplace(hit.end - before, hit.distance).second);
  }
  return ends;
}

}  // namespace

TEST_CASE("the check of a place reaches every end, for every number of edits") {
  tests::RandomCases random(157);
  int checked = 0;
  for (std::uint32_t k = 1; k <= scan::PlaceCheck::kMostEdits; ++k) {
    for (int n = 0; n < 12; ++n) {
      const std::string left = random.bases(random.number(20, 90)), right = random.bases(random.number(20, 90));
      const std::string more = random.bases(k);
      const bool is_inserted = random.chance(0.5);  // in the text; otherwise letters of the pattern are missing there
      const std::string pattern = is_inserted ? left + right : left + more + right;
      const std::string first = random.bases(300);
      std::string contig = first + (is_inserted ? left + more + right : left + right) + random.bases(300);
      const std::size_t place = first.size() + pattern.size();  // as if the left half went on without gaps
      const std::size_t end = is_inserted ? place + k : place - k;
      if (random.chance(0.3)) {
        contig[end + random.number(0, 40)] = 'N';  // after the match
      }
      if (random.chance(0.3)) {
        contig[first.size() - random.number(1, 40)] = 'N';  // before it
      }
      if (random.chance(0.2)) {
        contig.resize(end + random.number(0, 3));  // it ends with the contig
      }
      std::map<std::size_t, int> expected;
      for (const auto& [at, distance] : tests::oracle_ends(pattern, contig, static_cast<int>(k), false, false)) {
        expected[at] = distance;
      }
      CAPTURE(k, n, is_inserted, pattern.size());
      if (expected.at(end) != static_cast<int>(k)) {
        continue;  // by chance there is a better match
      }
      ++checked;
      tests::on_all_targets([&] {
        const auto found = ends_at(contig, pattern, k, place);
        REQUIRE(found.contains(end));
        REQUIRE(found.at(end) == static_cast<int>(k));
        REQUIRE(std::all_of(found.begin(), found.end(), [&](const auto& entry) {
          const auto right_one = expected.find(entry.first);
          return right_one != expected.end() && right_one->second <= entry.second;
        }));
      });
    }
  }
  CHECK(checked > 170);
}
