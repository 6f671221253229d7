// The row-wise scan on the device finds the same as plain dynamic programming; and, also for guides, the same as the
// CPU.

#include <tbb/parallel_for.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/made_text.hpp"
#include "gpu/scan/cuda_finder.hpp"
#include "tests/catch.hpp"
#include "tests/find_all.hpp"
#include "tests/finder_ends.hpp"
#include "tests/gpu/has_device.hpp"
#include "tests/many_patterns.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using tests::ends_of;

namespace {

void check(tests::RandomCases& random, int cases, std::size_t longest, std::size_t most_n) {
  for (int n = 0; n < cases; ++n) {
    scan::ScanOptions options;
    options.max_edits = static_cast<std::uint32_t>(n % 17);
    options.metric = random.chance(0.3) ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.ambiguous_matches = random.chance(0.3);
    options.search = random.chance(0.5) ? scan::ScanMethod::pieces : scan::ScanMethod::automatic;
    if (random.chance(0.3)) {
      options.pam = {"NGG", random.chance(0.5)};
      options.max_bulges = random.chance(0.2) ? 0 : options.max_edits;
    }
    auto contigs = random.contigs(random.chance(0.5) ? 0.002 : 0);
    if (random.chance(0.3)) {
      contigs.push_back(random.contig(most_n + most_n / 2, 0) + std::string(random.number(1, most_n), 'N') +
                        random.bases(9000));
    }
    scan::PatternList patterns;
    for (std::size_t p = random.number(1, 6); p > 0; --p) {
      const std::size_t m = random.number(options.max_edits + 1, std::min(longest, random.long_length(60)));
      std::string pattern = random.read(contigs, m, options.max_edits, random.chance(0.2) ? 0.1 : 0);
      pattern.resize(std::min(pattern.size(), longest - options.pam.bases.size()));
      patterns.add("p", pattern);
    }
    const auto queries = scan::make_queries(patterns, options);
    const auto reference = tests::make_reference(contigs);
    if (random.chance(0.3)) {
      options.device_memory = std::uint64_t{random.number(3, 5)} << 20;
      options.all_devices = random.chance(0.5);
    }
    const auto device = gpu::make_cuda_finder(queries, options);
    const auto cpu = scan::make_cpu_finder(queries, options);
    CAPTURE(n, options.max_edits, static_cast<int>(options.metric), options.ambiguous_matches, options.pam.bases);
    const auto found = ends_of(*device, reference);
    if (options.pam.bases.empty()) {
      REQUIRE(found == tests::oracle_ends(contigs, reference, queries, options));
    }
    REQUIRE(found == ends_of(*cpu, reference));
    REQUIRE(found == ends_of(*device, reference));
  }
}

}  // namespace

TEST_CASE("the device finder gives the oracle's ends, and the CPU finder's") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(121);
  check(random, 200, gpu::kRowsLongest, 40000);
}

TEST_CASE("the device finder on many patterns that share prefixes") {
  if (!tests::has_device()) {
    return;
  }
  for (const tests::ManyCase& c : tests::kManyCases) {
    CAPTURE(c.seed, c.k, c.hamming, c.patterns, c.shortest, c.longest, c.text_length);
    const auto input = tests::make_many_patterns(c);
    const auto expected = tests::expected_ends(input, c.k, c.hamming);
    REQUIRE(expected.size() > c.patterns);
    const auto options = tests::many_options(c.k, c.hamming);
    const auto queries = tests::many_queries(input, options);
    CHECK(tests::first_difference(*gpu::make_cuda_finder(queries, options), input, expected) == "");
    const auto look_up = tests::many_options(c.k, c.hamming, scan::ScanMethod::pieces);
    CHECK(tests::first_difference(*gpu::make_cuda_finder(queries, look_up), input, expected) == "");
    CHECK(tests::first_difference(*scan::make_cpu_finder(queries, options), input, expected) == "");
  }
}

TEST_CASE("the row-wise kernels on small cases", "[sanitize]") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(123);
  check(random, 17, 100, 10000);
}

TEST_CASE("the device looks literals up, of any lengths, some equal, beside patterns that are scanned by rows",
          "[sanitize]") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(124);
  for (int n = 0; n < 40; ++n) {
    scan::ScanOptions options;
    options.search = scan::ScanMethod::pieces;
    const auto contigs = random.contigs(random.chance(0.5) ? 0.005 : 0);
    const auto reference = tests::make_reference(contigs);
    scan::PatternList patterns;
    const std::size_t longest = random.chance(0.5) ? 24 : 300;
    while (patterns.size() < (n % 4 == 0 ? 2000u : 50u)) {
      const double codes = random.chance(0.1) ? 0.1 : 0;
      patterns.add("p", random.read(contigs, random.number(1, longest), 0, codes));
      if (random.chance(0.1)) {
        const auto again = patterns[random.number(0, patterns.size() - 1)];
        patterns.add(again.name, again.bases);
      }
    }
    const auto queries = scan::make_queries(patterns, options);
    CAPTURE(n, patterns.size(), longest);
    const auto expected = ends_of(*scan::make_cpu_finder(queries, options), reference);
    options.search = scan::ScanMethod::rows;
    REQUIRE(expected == ends_of(*scan::make_cpu_finder(queries, options), reference));
    options.search = scan::ScanMethod::pieces;
    options.device_memory = random.chance(0.5) ? std::uint64_t{8} << 20 : 0;
    REQUIRE(expected == ends_of(*gpu::make_cuda_finder(queries, options), reference));
  }
}

TEST_CASE("more hits than there is room for at once") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(122);
  scan::ScanOptions options;
  options.max_edits = 1;
  const auto queries = scan::make_queries({{"p", "ACG"}, {"q", "TTT"}}, options);
  const auto reference = tests::make_reference({random.bases(3000000)});
  const auto device = gpu::make_cuda_finder(queries, options);
  const auto found = ends_of(*device, reference);
  REQUIRE(found.size() > 2000000);
  REQUIRE(found == ends_of(*scan::make_cpu_finder(queries, options), reference));
}

TEST_CASE("room for few hits: regions are cut until they fit, and every hit is found", "[sanitize]") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(124);
  std::size_t regions_found = 0;
  for (const bool hamming : {false, true}) {
    scan::ScanOptions options;
    options.max_edits = 1;
    options.ambiguous_matches = true;
    options.metric = hamming ? scan::Metric::hamming : scan::Metric::levenshtein;
    scan::PatternList patterns{{"a", "AAAAAA"}, {"c", "ACGTAC"}, {"r", "GRTTAC"}, {"long", random.bases(40)}};
    const auto queries = scan::make_queries(patterns, options);
    // Positions where several queries end, runs of N, and several blocks of the kernel.
    const auto reference = tests::make_reference({random.bases(12000) + std::string(900, 'N') + std::string(500, 'A') +
                                                      random.contig(9000, 0.01) + std::string(20000, 'N'),
                                                  random.contig(3000, 0.05)});
    const auto expected = ends_of(*scan::make_cpu_finder(queries, options), reference);
    REQUIRE(expected.size() > 1000);
    for (const std::size_t room : {1, 20, 333}) {
      const auto device = gpu::make_cuda_finder(queries, options, room);
      REQUIRE(ends_of(*device, reference) == expected);
      REQUIRE(tests::by_regions(*device, reference, room, regions_found, std::max(room, queries.size())) == expected);
    }
  }
  REQUIRE(regions_found > 2000);
}

TEST_CASE("little device memory, all devices: the reference in stretches") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(126);
  for (const bool ambiguous : {false, true}) {
    scan::ScanOptions options;
    options.max_edits = 1;
    options.ambiguous_matches = ambiguous;
    // Many hits of many patterns, and runs of N.
    scan::PatternList patterns{{"p", "ACG"}, {"q", "TTT"}, {"long", random.bases(200)}};
    for (int p = 0; p < 200; ++p) {
      patterns.add("r", random.bases(6));
    }
    const auto queries = scan::make_queries(patterns, options);
    const auto reference = tests::make_reference(
        {random.bases(700000) + std::string(50000, 'N') + random.contig(400000, 0.001), random.bases(1000000)});
    const auto expected = ends_of(*scan::make_cpu_finder(queries, options), reference);
    REQUIRE(expected.size() > 2000000);
    for (const bool all_devices : {false, true}) {
      for (const std::uint64_t memory : {3, 4, 16}) {
        CAPTURE(ambiguous, all_devices, memory);
        options.all_devices = all_devices;
        options.device_memory = memory << 20;
        const auto device = gpu::make_cuda_finder(queries, options);
        REQUIRE(ends_of(*device, reference) == expected);
        std::vector<scan::Hit> ends;
        device->load(reference);
        // It finds as many as asked for, from any stretch on.
        const std::uint64_t stop = device->find({900000, reference.size()}, 5000, ends);
        REQUIRE(stop > 900000);
        REQUIRE(ends.size() <= 5000);
        REQUIRE(!ends.empty());
        const auto is_there = [&](const auto& end) { return end.first.second >= 900000 && end.first.second < stop; };
        REQUIRE(static_cast<std::size_t>(std::count_if(expected.begin(), expected.end(), is_there)) == ends.size());
      }
    }
    options.device_memory = std::uint64_t{2} << 20;
    REQUIRE_THROWS_AS(gpu::make_cuda_finder(queries, options), Error);
  }
}

TEST_CASE("a text beyond 4 Gbp", "[large]") {
  if (!tests::has_device()) {
    return;
  }
  const std::uint64_t size = (std::uint64_t{1} << 32) + 300000;
  constexpr std::uint64_t offset = sequence::kContigGap;
  const std::uint64_t blocks = (offset + size + 63) / 64 + offset / 64;
  sequence::Reference::Parts parts;
  parts.contigs.push_back({"text", offset, size});
  parts.planes = sequence::HugeArray<sequence::PlaneBlock>(blocks);
  parts.ambiguous = sequence::HugeArray<std::uint64_t>(blocks);
  tbb::parallel_for(std::uint64_t{0}, blocks, [&](std::uint64_t b) {
    parts.planes[b] = {};
    parts.ambiguous[b] = 0;
    for (std::uint64_t i = 0; i < 64; ++i) {
      const std::uint64_t at = 64 * b + i;
      const bool is_text = at >= offset && at < offset + size;
      const std::uint64_t code = is_text ? made_letter("\0\1\2\3", 4, 9, at - offset) : 0;
      parts.planes[b].high |= (code >> 1) << i;
      parts.planes[b].low |= (code & 1) << i;
      parts.ambiguous[b] |= std::uint64_t{!is_text} << i;
    }
  });
  parts.summary = sequence::summarise({parts.ambiguous.data(), blocks});
  const sequence::Reference reference(std::move(parts));
  const auto letters = [](std::uint64_t begin, std::uint64_t count) {
    std::string out;
    for (std::uint64_t j = begin; j < begin + count; ++j) {
      out += static_cast<char>(made_letter("ACGT", 4, 9, j));
    }
    return out;
  };
  // Parts of the text on both sides of 2^32 and at its end, changed in one position.
  scan::ScanOptions options;
  options.max_edits = 1;
  options.strands = scan::Strands::forward;
  scan::PatternList patterns;
  std::vector<std::uint64_t> ends;
  for (const std::uint64_t begin : {std::uint64_t{5000}, (std::uint64_t{1} << 32) - 30, (std::uint64_t{1} << 32) - 20,
                                    (std::uint64_t{1} << 32) + 100, size - 40}) {
    const std::string slice = letters(begin, 40);
    patterns.add("p", slice.substr(0, 20) + (slice[20] == 'A' ? "C" : "A") + slice.substr(21));
    ends.push_back(begin + 39);
  }
  const auto queries = scan::make_queries(patterns, options);
  options.search = scan::ScanMethod::rows;
  std::vector<scan::Hit> hits;
  tests::find_all(*gpu::make_cuda_finder(queries, options), reference, hits);
  REQUIRE(hits.size() == ends.size());
  for (const auto& hit : hits) {
    REQUIRE(hit.end == offset + ends[hit.id]);
    REQUIRE(hit.distance == 1);
  }
  // All ends of a short pattern in a window across 2^32.
  options.max_edits = 2;
  const auto short_queries = scan::make_queries({{"s", "GATTACAGATT"}}, options);
  tests::find_all(*gpu::make_cuda_finder(short_queries, options), reference, hits);
  const std::uint64_t first = (std::uint64_t{1} << 32) - 200000;
  std::erase_if(hits, [&](const auto& hit) { return hit.end < offset + first; });
  std::sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
  const auto expected = tests::oracle_ends("GATTACAGATT", letters(first - 20, size - first + 20), 2, false, false);
  std::size_t h = 0;
  for (const auto& [end, distance] : expected) {
    if (end > 20) {
      REQUIRE(h < hits.size());
      REQUIRE(hits[h].end == offset + first - 20 + end - 1);
      REQUIRE(hits[h].distance == static_cast<unsigned>(distance));
      ++h;
    }
  }
  REQUIRE(h == hits.size());
  REQUIRE(h > 100);
}
