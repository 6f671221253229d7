// Patterns with edits, searched on the device by pieces, have the ends that the CPU finder finds by rows: random and
// hostile sets, regions and stretches of any length, little room for hits.
#include "gpu/scan/cuda_finder.hpp"
#include "gpu/scan/device_plan.hpp"
#include "scan/find/region_finder.hpp"
#include "tests/catch.hpp"
#include "tests/finder_ends.hpp"
#include "tests/gpu/has_device.hpp"
#include "tests/piece_cases.hpp"

using namespace trawl;
using tests::by_regions;
using tests::by_rows;
using tests::ends_of;

namespace {

bool uses_pieces(const scan::Finder& finder) { return finder.description().find("pieces") != std::string::npos; }

struct Counts {
  std::size_t ends = 0, by_pieces = 0, regions = 0;
};

// Every fourth case has little room for hits, and is searched in regions with few ends: that takes many launches.
void check(tests::RandomCases& random, int cases, Counts& counts) {
  for (int n = 0; n < cases; ++n) {
    auto c = n % 30 == 29 ? tests::make_piece_case(random, 60000, 100) : tests::make_piece_case(random);
    c.options.search = random.chance(0.8) ? scan::Search::pieces : scan::Search::automatic;
    const auto queries = scan::make_queries(c.patterns, c.options);
    const auto reference = tests::make_reference(c.contigs);
    const auto expected = by_rows(queries, c.options, reference);
    const bool is_small = n % 4 == 0;
    const std::size_t room = is_small ? expected.size() / random.number(2, 30) + 1 : 1 << 20;
    if (random.chance(0.3)) {
      c.options.device_memory = std::uint64_t{random.number(3, 30)} << 20;
      c.options.all_devices = random.chance(0.5);
    }
    CAPTURE(n, c.options.max_edits, static_cast<int>(c.options.metric), queries.size(), room);
    const auto device = gpu::make_cuda_finder(queries, c.options, room);
    counts.by_pieces += uses_pieces(*device) ? 1 : 0;
    REQUIRE(ends_of(*device, reference) == expected);
    if (is_small) {
      REQUIRE(by_regions(*device, reference, room, counts.regions) == expected);
    }
    counts.ends += expected.size();
  }
}

}  // namespace

TEST_CASE("pieces of patterns with edits on the device have the ends of the CPU's rows") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(181);
  Counts counts;
  check(random, 240, counts);
  REQUIRE(counts.by_pieces > 120);
  REQUIRE(counts.regions > 300);
  REQUIRE(counts.ends > 20000);
}

TEST_CASE("pieces of patterns with edits, small cases", "[sanitize]") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(185);
  Counts counts;
  check(random, 12, counts);
  REQUIRE(counts.by_pieces > 4);
}

TEST_CASE("thousands of patterns with edits whose pieces occur everywhere") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(182);
  for (const bool hamming : {false, true}) {
    scan::Options options;
    options.max_edits = 2;
    options.metric = hamming ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.search = scan::Search::pieces;
    scan::PatternList patterns;
    const std::string word = "GATTACAGATTACCAGGATTAACCGTGA";
    for (int n = 0; n < 3000; ++n) {
      std::string pattern = n % 3 == 0   ? std::string(24, 'A')
                            : n % 3 == 1 ? word.substr(n % 28) + word.substr(0, n % 28)
                                         : std::string(12, 'A') + random.bases(12);
      patterns.add("p", random.mutate(pattern, random.number(0, 2)));
    }
    const auto queries = scan::make_queries(patterns, options);
    const auto reference = tests::make_reference({random.bases(3000) + std::string(200, 'A') + random.bases(3000),
                                                  std::string(200, 'T') + word + word + word + "NNN" + word});
    const auto expected = by_rows(queries, options, reference);
    REQUIRE(expected.size() > 10000);
    const auto device = gpu::make_cuda_finder(queries, options);
    REQUIRE(uses_pieces(*device));
    REQUIRE(ends_of(*device, reference) == expected);
    std::size_t regions = 0;
    REQUIRE(by_regions(*device, reference, 5000, regions) == expected);
  }
}

TEST_CASE("pieces at the borders of stretches, on several devices with little memory") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(183);
  for (const std::uint32_t k : {1, 3}) {
    scan::Options options;
    options.max_edits = k;
    options.search = scan::Search::pieces;
    options.threads = 4;
    scan::PatternList patterns;
    for (int n = 0; n < 60; ++n) {
      patterns.add("p", random.bases(n % 10 == 0 ? 300 : random.number(30, 40)));
    }
    std::string text;
    while (text.size() < 20'000'000) {
      const std::string match =
          random.mutate(std::string(patterns[random.number(0, 59)].bases), random.number(0, k + 1));
      text += random.bases(random.number(0, 3000)) + (random.chance(0.5) ? match : sequence::reverse_complement(match));
    }
    const auto queries = scan::make_queries(patterns, options);
    const auto reference = tests::make_reference({text});
    const auto expected = by_rows(queries, options, reference);
    REQUIRE(expected.size() > 10000);
    for (const std::uint64_t memory : {5, 8, 4096}) {
      CAPTURE(k, memory);
      options.device_memory = memory << 20;
      options.all_devices = memory == 8;
      const auto device = gpu::make_cuda_finder(queries, options);
      REQUIRE(uses_pieces(*device));
      REQUIRE(ends_of(*device, reference) == expected);
    }
  }
}
