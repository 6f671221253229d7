// Guides with a PAM, searched on the device from their sites, have the ends that the CPU finder finds by rows: random
// and hostile sets, regions and stretches of any length, little room for hits.
#include "gpu/scan/guide_search.hpp"


#include "gpu/scan/cuda_finder.hpp"
#include "tests/catch.hpp"
#include "tests/finder_ends.hpp"
#include "tests/gpu/has_device.hpp"
#include "tests/guide_cases.hpp"

using namespace trawl;
using tests::by_regions;
using tests::by_rows;
using tests::ends_of;

namespace {

bool uses_sites(const scan::Finder& finder) {
  return finder.description().find("sites of the PAM") != std::string::npos;
}

struct Counts {
  std::size_t ends = 0, by_sites = 0, regions = 0;
};

// Every fourth case has little room for hits, and is searched in regions with few ends: that takes many launches.
void check(tests::RandomCases& random, int cases, Counts& counts) {
  for (int n = 0; n < cases; ++n) {
    auto c = n % 30 == 29 ? tests::make_guide_case(random, 60000, 60) : tests::make_guide_case(random, 2000, 8);
    c.options.search = random.chance(0.8) ? scan::Search::pieces : scan::Search::automatic;
    const auto queries = scan::make_queries(c.patterns, c.options);
    if (queries.empty()) {
      continue;
    }
    const auto reference = tests::make_reference(c.contigs);
    const auto expected = by_rows(queries, c.options, reference);
    const bool is_small = n % 4 == 0;
    const std::size_t room = is_small ? expected.size() / random.number(2, 30) + 1 : 1 << 20;
    if (random.chance(0.3)) {
      c.options.device_memory = std::uint64_t{random.number(3, 300)} << 20;
      c.options.all_devices = random.chance(0.5);
    }
    CAPTURE(n, c.options.max_edits, c.options.max_bulges, c.options.pam.bases, c.options.pam.is_last, queries.size(),
            room);
    const auto device = gpu::make_cuda_finder(queries, c.options, room);
    counts.by_sites += uses_sites(*device) ? 1 : 0;
    REQUIRE(ends_of(*device, reference) == expected);
    if (is_small) {
      REQUIRE(by_regions(*device, reference, room, counts.regions) == expected);
    }
    counts.ends += expected.size();
  }
}

}  // namespace

TEST_CASE("guides from their sites on the device have the ends of the CPU's rows") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(171);
  Counts counts;
  check(random, 240, counts);
  REQUIRE(counts.by_sites > 100);
  REQUIRE(counts.regions > 300);
  REQUIRE(counts.ends > 10000);
}

TEST_CASE("guides from their sites, small cases", "[sanitize]") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(175);
  Counts counts;
  check(random, 12, counts);
  REQUIRE(counts.by_sites > 4);
}

TEST_CASE("thousands of guides that are alike at every position") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(172);
  for (const bool no_gaps : {false, true}) {
    scan::Options options;
    options.max_edits = options.max_mismatches = 3;
    options.max_bulges = no_gaps ? 0 : 3;
    options.pam = {"NRG", true};
    options.search = scan::Search::pieces;
    scan::PatternList patterns;
    for (int n = 0; n < 3000; ++n) {
      std::string guide = n % 3 == 0 ? std::string(20, 'A') : std::string(10, 'A') + random.bases(10);
      if (n % 3 == 1) {  // rotations of a word
        const std::string word = "GATTACAGATTACAGGATTA";
        guide = word.substr(n % 20) + word.substr(0, n % 20);
      }
      patterns.add("g", random.mutate(guide, random.number(0, 1)).substr(0, 20));
    }
    const auto queries = scan::make_queries(patterns, options);
    const auto reference = tests::make_reference(
        {random.bases(3000) + std::string(300, 'A') + "GG" + std::string(40, 'G') + random.bases(3000),
         std::string(40, 'C') + std::string(300, 'T') + "GATTACAGATTACAGGATTAAGGNNNGATTACAGATTACAGGATTAAGG"});
    const auto expected = by_rows(queries, options, reference);
    REQUIRE(expected.size() > 10000);
    const auto device = gpu::make_cuda_finder(queries, options);
    REQUIRE(uses_sites(*device));
    REQUIRE(ends_of(*device, reference) == expected);
    std::size_t regions = 0;
    REQUIRE(by_regions(*device, reference, 5000, regions) == expected);
  }
}

TEST_CASE("guides at the borders of stretches and words, on several devices with little memory") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(173);
  scan::Options options;
  options.max_edits = options.max_mismatches = options.max_bulges = 2;
  options.pam = {"NGG", true};
  options.search = scan::Search::pieces;
  scan::PatternList patterns;
  for (int n = 0; n < 40; ++n) {
    patterns.add("g", random.bases(random.number(18, 20)));
  }
  std::string text;
  while (text.size() < 40'000'000) {
    const std::string guide = random.mutate(std::string(patterns[random.number(0, 39)].bases), random.number(0, 3));
    const std::string site = guide + random.base() + "GG";
    text += random.bases(random.number(0, 2000)) + (random.chance(0.5) ? site : sequence::reverse_complement(site));
  }
  const auto queries = scan::make_queries(patterns, options);
  const auto reference = tests::make_reference({text});
  options.threads = 4;
  const auto expected = by_rows(queries, options, reference);
  REQUIRE(expected.size() > 30000);
  // Three tables of 4^9 to 4^11 words, and the rest for the text.
  for (const std::uint64_t memory : {48, 64, 4096}) {
    CAPTURE(memory);
    options.device_memory = memory << 20;
    options.all_devices = memory == 64;
    const auto device = gpu::make_cuda_finder(queries, options);
    REQUIRE(uses_sites(*device));
    REQUIRE(ends_of(*device, reference) == expected);
  }
}
