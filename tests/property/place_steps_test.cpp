// The steps with which the device checks the places of parts, run on the host: they find the ends that the CPU finder
// finds by rows, each place once, in every region and with any part of the text.
#include "gpu/scan/place_steps.hpp"

#include <algorithm>
#include <map>

#include "gpu/scan/device_costs.hpp"
#include "tests/catch.hpp"
#include "tests/finder_ends.hpp"
#include "tests/host_text.hpp"
#include "tests/piece_cases.hpp"

using namespace trawl;

namespace {

using tests::Ends, tests::ends_of;

// The positions where each literal ends, in the whole reference.
std::vector<std::vector<std::uint64_t>> occurrences(const std::vector<std::string>& contigs,
                                                    const sequence::Reference& reference,
                                                    const std::vector<scan::Query>& queries,
                                                    const scan::PartList& parts) {
  std::vector<std::vector<std::uint64_t>> ends;
  for (const scan::Part& part : parts.all()) {
    auto& of_part = ends.emplace_back();
    const auto bases = queries[part.query].bases.substr(part.first, part.length);
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      for (std::size_t at = contigs[c].find(bases); at != std::string::npos; at = contigs[c].find(bases, at + 1)) {
        of_part.push_back(reference.contigs()[c].offset + at + part.length - 1);
      }
    }
  }
  return ends;
}

void check(tests::RandomCases& random, std::size_t& found, std::size_t& twice) {
  auto c = tests::make_piece_case(random);
  c.options.search = scan::Search::pieces;
  const auto queries = scan::make_queries(c.patterns, c.options);
  double saving = 0;
  const auto parts = scan::exact_parts(queries, c.options, {}, gpu::kDeviceCosts, saving);
  const auto reference = tests::make_reference(c.contigs);
  c.options.search = scan::Search::rows;
  std::vector<scan::Hit> expected;
  scan::make_cpu_finder(queries, c.options)->find(reference, expected);
  std::erase_if(expected, [&](const scan::Hit& hit) { return parts.of(hit.id).empty(); });
  CAPTURE(c.options.max_edits, static_cast<int>(c.options.metric), queries.size());

  const scan::PlaceCheck places(queries, c.options);
  const gpu::PlaceView view{places.tables().queries.data(), places.tables().more.data(), parts.all().data(),
                            c.options.max_edits, places.no_gaps()};
  std::uint64_t longest = 0, lead = 0;
  for (const scan::Part& part : parts.all()) {
    REQUIRE(part.edits == 0);
    REQUIRE(parts.of(part.query).size() == c.options.max_edits + 1);
    longest = std::max<std::uint64_t>(longest, queries[part.query].length());
    lead = std::max<std::uint64_t>(lead, part.after + c.options.max_edits);
  }
  const auto occur = occurrences(c.contigs, reference, queries, parts);
  std::vector<scan::Hit> hits;
  for (std::uint64_t at = 0; at < reference.size();) {
    const scan::Region region{
        at, random.chance(0.3) ? reference.size()
                               : std::min(reference.size(), at + random.number(1, random.chance(0.5) ? 50 : 3000))};
    const tests::HostText on_host(reference, region, gpu::place_reach(longest));
    const auto text = on_host.view();
    std::map<std::pair<std::uint32_t, std::uint64_t>, unsigned> checked;
    for (std::uint32_t p = 0; p < parts.all().size(); ++p) {
      for (const std::uint64_t end : occur[p]) {
        const std::uint64_t place = gpu::place_of(view, p, end);
        if (end + lead < region.begin || end >= region.end || !gpu::may_end_in(view, text, p, place, region)) {
          continue;
        }
        if (!gpu::is_first_part(text, view, p, place)) {
          ++twice;
          continue;
        }
        const std::uint32_t query = parts.all()[p].query;
        REQUIRE(checked[{query, place}]++ == 0);
        gpu::check_place(text, view, p, place, [&](std::uint64_t match, std::uint32_t distance) {
          if (match >= region.begin && match < region.end) {
            hits.push_back({match, query, static_cast<std::uint16_t>(distance)});
          }
        });
      }
    }
    at = region.end;
  }
  scan::tidy_ends(reference, queries, c.options, hits);
  REQUIRE(ends_of(hits) == ends_of(expected));
  found += hits.size();
}

}  // namespace

TEST_CASE("the device's steps check the places of parts") {
  tests::RandomCases random(162);
  std::size_t found = 0, twice = 0;
  for (int n = 0; n < 400; ++n) {
    CAPTURE(n);
    check(random, found, twice);
  }
  REQUIRE(found > 20000);
  REQUIRE(twice > 10000);
}
