// Patterns with edits, searched on the device by pieces, and guides from their sites have the ends that the CPU finder
// finds by rows: random and hostile sets, regions and stretches of any length, little room for hits.
#include "gpu/scan/cuda_finder.hpp"
#include "gpu/scan/device_plan.hpp"
#include "scan/find/region_finder.hpp"
#include "tests/catch.hpp"
#include "tests/finder_ends.hpp"
#include "tests/gpu/has_device.hpp"
#include "tests/scan_cases.hpp"

using namespace trawl;
using tests::by_regions;
using tests::by_rows;
using tests::ends_of;

namespace {

bool is_by(const scan::Finder& finder, const char* way) { return finder.description().find(way) != std::string::npos; }
constexpr char kPieces[] = "pieces";
constexpr char kSites[] = "sites of the PAM";

struct Counts {
  std::size_t ends = 0, by_pieces = 0, regions = 0;
};

// Every fourth case has little room for hits, and is searched in regions with few ends: that takes many launches.
Counts check(std::uint64_t seed, int cases, bool of_guides) {
  tests::RandomCases random(seed);
  Counts counts;
  for (int n = 0; n < cases; ++n) {
    const bool is_large = n % 30 == 29;
    auto c = of_guides ? tests::make_guide_case(random, is_large ? 60000 : 2000, is_large ? 60 : 8)
                       : tests::make_piece_case(random, is_large ? 60000 : 1500, is_large ? 100 : 12);
    c.options.search = random.chance(0.8) ? scan::ScanMethod::pieces : scan::ScanMethod::automatic;
    const auto queries = scan::make_queries(c.patterns, c.options);
    if (queries.empty()) {
      continue;
    }
    const auto reference = tests::make_reference(c.contigs);
    const auto expected = by_rows(queries, c.options, reference);
    const bool is_small = n % 4 == 0;
    const std::size_t room = is_small ? expected.size() / random.number(2, 30) + 1 : 1 << 20;
    if (random.chance(0.3)) {
      c.options.device_memory = std::uint64_t{random.number(3, of_guides ? 300 : 30)} << 20;
      c.options.all_devices = random.chance(0.5);
    }
    CAPTURE(n, c.options.max_edits, c.options.max_bulges, c.options.pam.bases, c.options.pam.is_last,
            static_cast<int>(c.options.metric), queries.size(), room);
    const auto device = gpu::make_cuda_finder(queries, c.options, room);
    counts.by_pieces += is_by(*device, of_guides ? kSites : kPieces) ? 1 : 0;
    REQUIRE(ends_of(*device, reference) == expected);
    if (is_small) {
      REQUIRE(by_regions(*device, reference, room, counts.regions) == expected);
    }
    counts.ends += expected.size();
  }
  return counts;
}

// Many ends, of patterns that are alike.
void check_alike(const scan::PatternList& patterns, const scan::ScanOptions& options,
                 const std::vector<std::string>& contigs, const char* way) {
  const auto queries = scan::make_queries(patterns, options);
  const auto reference = tests::make_reference(contigs);
  const auto expected = by_rows(queries, options, reference);
  REQUIRE(expected.size() > 10000);
  const auto device = gpu::make_cuda_finder(queries, options);
  REQUIRE(is_by(*device, way));
  REQUIRE(ends_of(*device, reference) == expected);
  std::size_t regions = 0;
  REQUIRE(by_regions(*device, reference, 5000, regions) == expected);
}

// A long text with matches on both strands, on all devices or on one, with so much memory. `plant`: of a pattern.
template <class Plant>
void check_stretches(tests::RandomCases& random, const scan::PatternList& patterns, scan::ScanOptions options,
                     std::size_t letters, std::initializer_list<std::uint64_t> memory, std::uint64_t of_all_devices,
                     const char* way, Plant&& plant) {
  std::string text;
  while (text.size() < letters) {
    const std::string_view pattern = patterns[random.number(0, patterns.size() - 1)].bases;
    const std::string match = plant(random.mutate(std::string(pattern), random.number(0, options.max_edits + 1)));
    text += random.bases(random.number(0, 2500)) + (random.chance(0.5) ? match : sequence::reverse_complement(match));
  }
  options.threads = 4;
  const auto queries = scan::make_queries(patterns, options);
  const auto reference = tests::make_reference({text});
  const auto expected = by_rows(queries, options, reference);
  REQUIRE(expected.size() > 10000);
  for (const std::uint64_t megabytes : memory) {
    CAPTURE(options.max_edits, megabytes);
    options.device_memory = megabytes << 20;
    options.all_devices = megabytes == of_all_devices;
    const auto device = gpu::make_cuda_finder(queries, options);
    REQUIRE(is_by(*device, way));
    REQUIRE(ends_of(*device, reference) == expected);
  }
}

}  // namespace

TEST_CASE("pieces of patterns with edits and guides from their sites have, on the device, the ends of the CPU's rows") {
  if (!tests::has_device()) {
    return;
  }
  for (const bool of_guides : {false, true}) {
    const Counts counts = check(of_guides ? 171 : 181, 240, of_guides);
    REQUIRE(counts.by_pieces > 100);
    REQUIRE(counts.regions > 300);
    REQUIRE(counts.ends > 10000);
  }
}

TEST_CASE("pieces of patterns with edits and guides from their sites, small cases", "[sanitize]") {
  if (!tests::has_device()) {
    return;
  }
  for (const bool of_guides : {false, true}) {
    REQUIRE(check(of_guides ? 175 : 185, 12, of_guides).by_pieces > 4);
  }
}

TEST_CASE("thousands of patterns with edits whose pieces occur everywhere") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(182);
  for (const bool hamming : {false, true}) {
    scan::ScanOptions options;
    options.max_edits = 2;
    options.metric = hamming ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.search = scan::ScanMethod::pieces;
    scan::PatternList patterns;
    const std::string word = "GATTACAGATTACCAGGATTAACCGTGA";
    for (int n = 0; n < 3000; ++n) {
      std::string pattern = n % 3 == 0   ? std::string(24, 'A')
                            : n % 3 == 1 ? word.substr(n % 28) + word.substr(0, n % 28)
                                         : std::string(12, 'A') + random.bases(12);
      patterns.add("p", random.mutate(pattern, random.number(0, 2)));
    }
    check_alike(patterns, options,
                {random.bases(3000) + std::string(200, 'A') + random.bases(3000),
                 std::string(200, 'T') + word + word + word + "NNN" + word},
                kPieces);
  }
}

TEST_CASE("pieces at the borders of stretches, on several devices with little memory") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(183);
  for (const std::uint32_t k : {1, 3}) {
    scan::ScanOptions options;
    options.max_edits = k;
    options.search = scan::ScanMethod::pieces;
    scan::PatternList patterns;
    for (int n = 0; n < 60; ++n) {
      patterns.add("p", random.bases(n % 10 == 0 ? 300 : random.number(30, 40)));
    }
    check_stretches(random, patterns, options, 20'000'000, {5, 8, 4096}, 8, kPieces,
                    [](const std::string& match) { return match; });
  }
}

TEST_CASE("thousands of guides that are alike at every position") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(172);
  for (const bool no_gaps : {false, true}) {
    scan::ScanOptions options;
    options.max_edits = options.max_mismatches = 3;
    options.max_bulges = no_gaps ? 0 : 3;
    options.pam = {"NRG", true};
    options.search = scan::ScanMethod::pieces;
    scan::PatternList patterns;
    for (int n = 0; n < 3000; ++n) {
      std::string guide = n % 3 == 0 ? std::string(20, 'A') : std::string(10, 'A') + random.bases(10);
      if (n % 3 == 1) {  // rotations of a word
        const std::string word = "GATTACAGATTACAGGATTA";
        guide = word.substr(n % 20) + word.substr(0, n % 20);
      }
      patterns.add("g", random.mutate(guide, random.number(0, 1)).substr(0, 20));
    }
    check_alike(patterns, options,
                {random.bases(3000) + std::string(300, 'A') + "GG" + std::string(40, 'G') + random.bases(3000),
                 std::string(40, 'C') + std::string(300, 'T') + "GATTACAGATTACAGGATTAAGGNNNGATTACAGATTACAGGATTAAGG"},
                kSites);
  }
}

TEST_CASE("guides at the borders of stretches and words, on several devices with little memory") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(173);
  scan::ScanOptions options;
  options.max_edits = options.max_mismatches = options.max_bulges = 2;
  options.pam = {"NGG", true};
  options.search = scan::ScanMethod::pieces;
  scan::PatternList patterns;
  for (int n = 0; n < 40; ++n) {
    patterns.add("g", random.bases(random.number(18, 20)));
  }
  // Three tables of 4^9 to 4^11 words, and the rest for the text.
  check_stretches(random, patterns, options, 40'000'000, {48, 64, 4096}, 64, kSites,
                  [&](const std::string& guide) { return guide + random.base() + "GG"; });
}
