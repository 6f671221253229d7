// The range finders of all engines find the oracle's runs of ends, and nothing else.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "align/clip_rule.hpp"
#include "pipeline/engine_choice.hpp"
#include "tests/alignment_oracle.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

struct Query {
  std::string bases;
  std::uint32_t max_edits;
};

using Runs = std::vector<engine::EndRange>;

Runs oracle(const std::vector<std::string>& contigs, const sequence::Reference& reference, const Query& query,
            bool reverse, match::AmbiguityRule rule = match::AmbiguityRule::matches_nothing) {
  const std::string bases = reverse ? sequence::reverse_complement(query.bases) : query.bases;
  Runs runs;
  for (std::size_t c = 0; c < contigs.size(); ++c) {
    for (const auto& locus : match::oracle_loci(bases, contigs[c], static_cast<int>(query.max_edits), rule)) {
      const std::uint64_t offset = reference.contigs()[c].offset;
      runs.push_back({offset + locus.run_begin - 1, offset + locus.run_end - 1});
    }
  }
  return runs;
}

std::string text_of(std::span<const engine::EndRange> runs) {
  std::string text;
  for (const auto& run : runs) {
    text += std::to_string(run.first) + '-' + std::to_string(run.last) + ' ';
  }
  return text;
}

std::vector<engine::RangeQuery> asked_of(const std::vector<Query>& queries) {
  std::vector<engine::RangeQuery> asked;
  for (const Query& query : queries) {
    asked.push_back({query.bases, query.max_edits});
  }
  return asked;
}

void find(engine::RangeFinder& finder, const std::vector<Query>& queries, engine::EndRanges& found) {
  finder.find(asked_of(queries), found);
  REQUIRE(found.first.size() == 2 * queries.size() + 1);
  REQUIRE(found.first.front() == 0);
  REQUIRE(found.first.back() == found.ranges.size());
}

// What an engine says.
engine::EndRanges found_by(const std::string& name, const sequence::Reference& reference,
                           const map::MapOptions& options, const std::vector<engine::RangeQuery>& asked) {
  engine::EndRanges found;
  pipeline::make_engine(name, reference, options)->make_range_finder()->find(asked, found);
  return found;
}

// Whether one of the ranges is such a one.
template <class Is>
bool any(std::span<const engine::EndRange> ranges, const Is& is) {
  return std::any_of(ranges.begin(), ranges.end(), is);
}

// Each range lies in one of `all`.
void check_parts(std::span<const engine::EndRange> ranges, std::span<const engine::EndRange> all) {
  for (const auto& range : ranges) {
    REQUIRE(any(all,
                [&](const engine::EndRange& whole) { return whole.first <= range.first && range.last <= whole.last; }));
  }
}

void check_same(const engine::EndRanges& found, const engine::EndRanges& expected, const std::vector<Query>& queries) {
  REQUIRE(found.first.size() == expected.first.size());
  for (std::size_t q = 0; q < queries.size(); ++q) {
    for (const bool reverse : {false, true}) {
      CAPTURE(q, reverse, queries[q].bases, queries[q].max_edits);
      REQUIRE(text_of(found.of(q, reverse)) == text_of(expected.of(q, reverse)));
    }
  }
}

// What `find` should say. Slow: for small references.
engine::EndRanges expected_of(const std::vector<std::string>& contigs, const sequence::Reference& reference,
                              const std::vector<Query>& queries, match::AmbiguityRule rule) {
  engine::EndRanges expected;
  expected.first.push_back(0);
  for (const Query& query : queries) {
    for (const bool reverse : {false, true}) {
      const Runs runs = oracle(contigs, reference, query, reverse, rule);
      expected.ranges.insert(expected.ranges.end(), runs.begin(), runs.end());
      expected.first.push_back(expected.ranges.size());
    }
  }
  return expected;
}

// Copies of a unit with and without edits: the ends of neighbouring copies form long runs.
std::string tandem_repeat(RandomCases& random, std::size_t length) {
  const std::string unit = random.bases(random.number(1, random.chance(0.5) ? 5 : 40));
  std::string repeat;
  while (repeat.size() < length) {
    repeat += random.chance(0.1) ? random.mutate(unit, 1) : unit;
  }
  return repeat;
}

std::vector<std::string> hostile_contigs(RandomCases& random, double ambiguity) {
  auto contigs = random.contigs(ambiguity);
  if (random.chance(0.5)) {
    contigs.push_back(tandem_repeat(random, random.number(100, 700)));
  }
  if (random.chance(0.3)) {
    // Contigs that begin and end with the same bases: runs must not go on in the next contig.
    const std::string same = random.bases(random.number(10, 60));
    contigs.push_back(random.bases(20) + same);
    contigs.push_back(same + random.bases(20) + same);
    contigs.push_back(same);
  }
  std::shuffle(contigs.begin(), contigs.end(), std::mt19937(static_cast<unsigned>(random.number(0, 1'000'000))));
  return contigs;
}

// Some are too long for a device, some have too many edits for it, and some are not longer than their edits.
Query random_query(RandomCases& random, const std::vector<std::string>& contigs, double ambiguity) {
  const bool is_core = random.chance(0.6);
  std::size_t length = is_core ? random.number(60, 130) : random.number(10, 300);
  std::size_t edits = is_core ? random.number(2, 7) : random.number(0, std::min<std::size_t>(length / 6, 30));
  if (random.chance(0.01)) {
    length = random.number(1025, 1100);
  }
  if (random.chance(0.02)) {
    edits = random.number(32, 40);
  }
  return {random.read(contigs, length, edits, ambiguity), static_cast<std::uint32_t>(edits)};
}

std::vector<Query> random_queries(RandomCases& random, const std::vector<std::string>& contigs, double ambiguity,
                                  std::size_t count) {
  std::vector<Query> queries;
  while (queries.size() < count) {
    queries.push_back(random_query(random, contigs, ambiguity));
  }
  return queries;
}

void check_cases(std::uint64_t seed, std::size_t cases, double ambiguity, const map::MapOptions& options) {
  CAPTURE(seed);
  RandomCases random(seed);
  const auto rule = options.ambiguous == map::Ambiguous::match ? match::AmbiguityRule::matches_its_set
                                                               : match::AmbiguityRule::matches_nothing;
  std::size_t runs = 0;
  std::size_t long_runs = 0;
  for (std::size_t n = 0; n < cases / kFewer; ++n) {
    CAPTURE(n);
    const auto contigs = hostile_contigs(random, ambiguity);
    const auto reference = make_reference(contigs);
    auto queries = random_queries(random, contigs, ambiguity, random.number(1, 40));
    if (options.ambiguous == map::Ambiguous::match) {
      // A device leaves these to the CPU, which then does not know how long the longest query is.
      std::erase_if(queries, [](const Query& query) { return query.max_edits > 31 || query.bases.size() > 1024; });
    }
    const auto expected = expected_of(contigs, reference, queries, rule);
    for (const auto& run : expected.ranges) {
      ++runs;
      long_runs += run.last - run.first > 64;
    }
    for (const auto& name : usable_engines()) {
      CAPTURE(name);
      check_same(found_by(name, reference, options, asked_of(queries)), expected, queries);
    }
  }
  CHECK(runs > 5 * cases / kFewer);
  if (kFewer == 1) {  // among few cases there may be none
    CHECK(long_runs > cases / 10);
  }
}

map::MapOptions with_search(map::SearchMethod search) {
  map::MapOptions options;
  options.search = search;
  // Only how to search counts: the other options must change nothing.
  options.max_edits = {false, 0, 1};
  options.strata = 0;
  return options;
}

}  // namespace

TEST_CASE("ranges of sequences with few and many edits, long and short, in hostile texts") {
  check_cases(201, 120, 0, with_search(map::SearchMethod::automatic));
}

TEST_CASE("ranges between ambiguous bases, found by seeds, by a scan, or as is best") {
  check_cases(202, 80, 0.01, with_search(map::SearchMethod::automatic));
  check_cases(203, 40, 0.003, with_search(map::SearchMethod::seeds));
  check_cases(204, 40, 0.003, with_search(map::SearchMethod::scan));
}

TEST_CASE("ranges where ambiguous bases match") {
  for (const auto search : {map::SearchMethod::seeds, map::SearchMethod::scan}) {
    auto options = with_search(search);
    options.ambiguous = map::Ambiguous::match;
    check_cases(search == map::SearchMethod::seeds ? 205 : 206, 20, 0.01, options);
  }
}

TEST_CASE("ranges by hand") {
  //                                            0         10        20        30
  const std::vector<std::string> contigs{"TTTTTTTTTTGATTACAGATCCTTTTTTTTTT", "GATTACAGATCC", "ACCCGGGTATAATACTTA"};
  const auto reference = make_reference(contigs);
  const std::vector<Query> queries{{"GATTACAGATCC", 0}, {"GATTACAGATCC", 1}, {"GGATCTGTAATC", 0}, {"ACGT", 4}, {"", 0}};
  const std::uint64_t first = reference.contigs()[0].offset;
  const std::uint64_t second = reference.contigs()[1].offset;
  for (const auto& name : usable_engines()) {
    INFO(name);
    engine::EndRanges found;
    const auto engine = pipeline::make_engine(name, reference, {});
    const auto finder = engine->make_range_finder();
    find(*finder, queries, found);
    CHECK(text_of(found.of(0, false)) == text_of(Runs{{first + 21, first + 21}, {second + 11, second + 11}}));
    CHECK(text_of(found.of(1, false)) == text_of(Runs{{first + 20, first + 22}, {second + 10, second + 11}}));
    CHECK(text_of(found.of(2, true)) == text_of(found.of(0, false)));
    CHECK(found.of(0, true).empty());
    CHECK(found.of(2, false).empty());
    for (const std::size_t none : {3, 4}) {
      CHECK((found.of(none, false).empty() && found.of(none, true).empty()));
    }
    find(*finder, {}, found);  // replaces what was there
    CHECK(found.ranges.empty());
    // Without gaps each range is one end.
    map::MapOptions options;
    options.metric = map::Metric::hamming;
    found = found_by(name, reference, options, asked_of(queries));
    CHECK(text_of(found.of(1, false)) == text_of(Runs{{first + 21, first + 21}, {second + 11, second + 11}}));
    CHECK(text_of(found.of(2, true)) == text_of(found.of(1, false)));
  }
}

TEST_CASE("one call with thousands of queries, again and again", "[long]") {
  RandomCases random(207);
  std::vector<std::string> contigs{random.contig(20'000, 0.001), tandem_repeat(random, 1000), random.contig(5000, 0)};
  const auto reference = make_reference(contigs);
  const auto options = with_search(map::SearchMethod::automatic);
  const auto queries = random_queries(random, contigs, 0.001, 3000 / kFewer);
  const auto expected = found_by("cpu", reference, options, asked_of(queries));
  CHECK(expected.ranges.size() > queries.size() / 2);
  for (std::size_t q = 0; q < queries.size(); q += 100) {
    for (const bool reverse : {false, true}) {
      CAPTURE(q, reverse, queries[q].bases, queries[q].max_edits);
      REQUIRE(text_of(expected.of(q, reverse)) == text_of(oracle(contigs, reference, queries[q], reverse)));
    }
  }
  for (const auto& name : usable_engines()) {
    INFO(name);
    const auto engine = pipeline::make_engine(name, reference, options);
    const auto finder = engine->make_range_finder();
    engine::EndRanges found;
    for (const std::size_t count : {queries.size(), std::size_t{7}, queries.size() / 4}) {
      const std::vector<Query> some(queries.begin(), queries.begin() + static_cast<std::ptrdiff_t>(count));
      engine::EndRanges of_some = expected;
      of_some.first.resize(2 * count + 1);
      find(*finder, some, found);
      check_same(found, of_some, some);
    }
  }
}

TEST_CASE("ranges of queries that a device leaves to the CPU, between others", "[long]") {
  RandomCases random(208);
  const std::vector<std::string> contigs{random.contig(6000, 0), random.contig(2000, 0), std::string(20'000, 'A')};
  const auto reference = make_reference(contigs);
  std::vector<Query> queries;
  for (int n = 0; n < 40; ++n) {
    switch (random.number(0, 4)) {
      case 0:
        queries.push_back({random.read(contigs, random.number(1025, 1500), 3, 0), 3});
        break;
      case 1:
        queries.push_back({random.read(contigs, random.number(300, 400), 30, 0), 32});
        break;
      case 2:
        queries.push_back({std::string(random.number(60, 100), 'A'), 5});  // too many hits for little memory
        break;
      default:
        queries.push_back(random_query(random, contigs, 0));
    }
  }
  const auto expected = expected_of(contigs, reference, queries, match::AmbiguityRule::matches_nothing);
  for (const auto search : {map::SearchMethod::automatic, map::SearchMethod::seeds}) {
    for (const auto& name : usable_engines()) {
      INFO(name);
      const auto engine = pipeline::make_engine(name, reference, with_search(search));
      const auto finder = engine->make_range_finder();
      engine::EndRanges found;
      find(*finder, queries, found);
      check_same(found, expected, queries);
      const std::vector<Query> only_long(3, {contigs[0].substr(100, 1100), 2});
      find(*finder, only_long, found);
      for (std::size_t q = 0; q < only_long.size(); ++q) {
        CHECK(text_of(found.of(q, false)) == text_of(oracle(contigs, reference, only_long[q], false)));
      }
    }
  }
}

TEST_CASE("ranges in a reference that is larger than the device's memory") {
  RandomCases random(209);
  std::vector<std::string> contigs;
  for (int c = 0; c < 3; ++c) {
    contigs.push_back(random.bases(random.number(8'000'000, 9'000'000)));
    std::fill_n(contigs.back().begin() + 3'000'000, 5000, 'N');
  }
  contigs[1].replace(1'000'000, 500, tandem_repeat(random, 500).substr(0, 500));
  const auto reference = make_reference(contigs);
  auto options = with_search(map::SearchMethod::automatic);
  options.device_memory = std::uint64_t{11} << 20;  // the reference takes 12 MiB, and 6 while it is sent
  std::vector<Query> queries;
  for (int q = 0; q < 300; ++q) {
    queries.push_back({random.read(contigs, random.number(60, 130), 4, 0.001), 4});
  }
  for (std::size_t at = 0; at < 400; at += 47) {
    queries.push_back({contigs[1].substr(1'000'000 + at, 100), 5});
  }
  const auto expected = found_by("cpu", reference, options, asked_of(queries));
  CHECK(expected.ranges.size() > 200);
  for (const auto& name : device_engines("")) {
    const auto engine = pipeline::make_engine(name, reference, options);
    CHECK(engine->description().find("the host's memory") != std::string::npos);
    check_same(found_by(name, reference, options, asked_of(queries)), expected, queries);
  }
}

TEST_CASE("several threads find ranges and map reads by turns") {
  RandomCases random(210);
  const std::vector<std::string> contigs{random.contig(5000, 0.001), tandem_repeat(random, 1000)};
  const auto reference = make_reference(contigs);
  map::MapOptions options;
  options.max_edits = {false, 0, 3};
  options.threads = 6;
  const auto queries = random_queries(random, contigs, 0.001, 200);
  const auto expected = expected_of(contigs, reference, queries, match::AmbiguityRule::matches_nothing);
  std::vector<Read> reads;
  for (int r = 0; r < 50; ++r) {
    reads.push_back({"read", random.read(contigs, 80, 3, 0.001), ""});
  }
  const auto mapped = map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), reads);
  for (const auto& name : usable_engines()) {
    INFO(name);
    const auto engine = pipeline::make_engine(name, reference, options);
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t) {
      threads.emplace_back([&] {
        try {
          const auto finder = engine->make_range_finder();
          const auto worker = engine->make_worker();
          const auto asked = asked_of(queries);
          engine::EndRanges found;
          for (int turn = 0; turn < 3; ++turn) {
            finder->find(asked, found);
            wrong += found.ranges != expected.ranges || found.first != expected.first;
            const auto alignments = map_with(*worker, reads);
            for (std::size_t r = 0; r < reads.size(); ++r) {
              wrong += tests::text_of(alignments, r) != tests::text_of(mapped, r);
            }
          }
          wrong += finder->seconds().seed + finder->seconds().verify + finder->seconds().scan == 0;
        } catch (const std::exception&) {
          ++wrong;
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("queries of one region that share their seeds") {
  RandomCases random(211);
  std::size_t places = 0;
  std::size_t missing = 0;
  for (std::size_t n = 0; n < 8 / kFewer; ++n) {
    CAPTURE(n);
    const auto contigs = hostile_contigs(random, 0.001);
    const auto reference = make_reference(contigs);
    // Queries keep their bases here, and regions their addresses.
    std::vector<std::string> regions;
    std::vector<engine::RangeQuery> asked;
    for (std::size_t r = 0; r < 60; ++r) {
      regions.push_back(random.read(contigs, random.number(60, 200), 4, 0.001));
    }
    for (const std::string& region : regions) {
      const std::string_view all = region;
      const auto seeds = static_cast<std::uint32_t>(random.number(2, 8));
      const auto seed_length = static_cast<std::uint32_t>(std::min<std::size_t>(8, all.size() / seeds));
      for (std::size_t more = random.number(1, 8); more > 0; --more) {
        const std::size_t begin = random.number(0, all.size() / 3);
        const std::size_t end = all.size() - random.number(0, all.size() / 3);
        engine::RangeQuery query{all.substr(begin, end - begin), static_cast<std::uint32_t>(random.number(0, 7))};
        if (random.chance(0.95)) {
          query.region = all;
          query.seeds = seeds;
          query.seed_length = seed_length;
        }
        asked.push_back(query);
      }
    }
    std::vector<Query> queries;
    std::vector<Query> asked_regions;
    for (const auto& query : asked) {
      queries.push_back({std::string(query.bases), query.max_edits});
      asked_regions.push_back({std::string(query.region), std::min(query.max_edits, query.seeds - 1)});
    }
    const auto rule = match::AmbiguityRule::matches_nothing;
    const auto expected = expected_of(contigs, reference, queries, rule);
    const auto of_regions = expected_of(contigs, reference, asked_regions, rule);
    for (const auto& name : usable_engines()) {
      CAPTURE(name);
      const auto engine = pipeline::make_engine(name, reference, with_search(map::SearchMethod::automatic));
      const auto finder = engine->make_range_finder();
      engine::EndRanges found;
      finder->find(asked, found);
      for (std::size_t q = 0; q < asked.size(); ++q) {
        const engine::RangeQuery& query = asked[q];
        for (const bool reverse : {false, true}) {
          CAPTURE(q, reverse, query.bases, query.max_edits, query.region, query.seeds);
          const auto runs = found.of(q, reverse);
          const auto all = expected.of(q, reverse);
          if (query.region.empty() || !finder->shares_seeds()) {
            REQUIRE(text_of(runs) == text_of(all));
            continue;
          }
          missing += text_of(runs) != text_of(all);
          check_parts(runs, all);
          // Where the region lies with fewer edits than it has seeds, the query ends near by.
          const std::uint32_t edits = asked_regions[q].max_edits;
          const auto before = static_cast<std::size_t>(query.bases.data() - query.region.data());
          const std::size_t after = reverse ? before : query.region.size() - query.bases.size() - before;
          for (const auto& run : of_regions.of(q, reverse)) {
            for (std::uint64_t end = run.first; end <= run.last; ++end) {
              ++places;
              REQUIRE(any(runs, [&](const engine::EndRange& range) {
                return range.first <= end - after + edits && range.last + edits >= end - after;
              }));
            }
          }
        }
      }
    }
  }
  if (kTested.empty()) {  // the CPU shares seeds
    CHECK(places > 1000);
    CHECK(missing > 0);
  }
}

namespace {

// Which bases of a copy differ from those of its original.
using Differences = std::vector<bool>;

std::size_t count(const Differences& differences, std::size_t begin, std::size_t end) {
  return static_cast<std::size_t>(std::count(differences.begin() + static_cast<std::ptrdiff_t>(begin),
                                             differences.begin() + static_cast<std::ptrdiff_t>(end), true));
}

// The most disjoint parts of at least `length` bases that all have a difference.
std::size_t most_parts(const Differences& differences, std::size_t length) {
  std::size_t parts = 0;
  std::size_t begin = 0;
  bool differs = false;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    differs = differs || differences[i];
    if (differs && i + 1 - begin >= length) {
      ++parts;
      begin = i + 1;
      differs = false;
    }
  }
  return parts;
}

// A copy of `bases` with only substitutions: a few; or none but in the ends; or so many that no core matches, but some
// seeds do.
std::string copy_of(RandomCases& random, const std::string& bases, Differences& differences) {
  differences.assign(bases.size(), false);
  const auto differ = [&](std::size_t begin, std::size_t end, double share) {
    for (std::size_t i = begin; i < end; ++i) {
      differences[i] = differences[i] || random.chance(share);
    }
  };
  const std::size_t kind = random.number(0, 3);
  if (kind == 0) {
    differ(0, bases.size(), 0.04);
  } else if (kind == 1) {
    differ(0, random.number(0, 30), 0.7);
    differ(bases.size() - random.number(0, 30), bases.size(), 0.7);
  } else {
    const std::size_t same = random.number(0, bases.size() - 40);
    differ(0, same, 0.2);
    differ(same + 40, bases.size(), 0.2);
  }
  std::string copy = bases;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    if (differences[i]) {
      copy[i] = bases[i] == 'A' ? 'C' : bases[i] == 'C' ? 'G' : bases[i] == 'G' ? 'T' : 'A';
    }
  }
  return copy;
}

struct CoreOfRegion {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t max_edits = 0;
};

}  // namespace

TEST_CASE("queries of one region find all copies of a repeat that match, among many that do not") {
  RandomCases random(214);
  std::size_t wanted = 0;
  std::size_t failed_in_common = 0;  // the bases that all queries hold differ too much
  std::size_t failed_alone = 0;      // they do not, but other bases of a query
  for (std::size_t n = 0; n < 6; ++n) {
    CAPTURE(n);
    const std::string region = random.bases(random.number(100, 140));
    const std::size_t size = region.size();
    const auto most = static_cast<std::uint32_t>(random.chance(0.7) ? random.number(4, 7) : random.number(8, 12));
    const std::vector<CoreOfRegion> cores{{0, size, most},
                                          {random.number(5, 10), size - random.number(5, 10), most - 1},
                                          {random.number(11, 20), size, most / 2},
                                          {0, size - random.number(11, 20), most / 2},
                                          {random.number(21, 30), size - random.number(21, 30), 1}};
    const std::size_t common_begin = cores.back().begin;
    const std::size_t common_end = cores.back().end;
    std::vector<std::string> contigs(2);
    std::vector<Differences> differences(150);
    std::vector<std::size_t> starts;
    for (Differences& copy : differences) {
      contigs[0] += random.bases(random.number(20, 60));
      starts.push_back(contigs[0].size());
      contigs[0] += copy_of(random, region, copy);
    }
    contigs[0] += random.bases(50);
    contigs[1] = sequence::reverse_complement(contigs[0]);
    const auto reference = make_reference(contigs);
    std::vector<engine::RangeQuery> asked;
    std::vector<Query> queries;
    for (const CoreOfRegion& core : cores) {
      asked.push_back({std::string_view(region).substr(core.begin, core.end - core.begin), core.max_edits, region,
                       most + 1, std::min(8u, static_cast<std::uint32_t>(size) / (most + 1))});
      queries.push_back({std::string(asked.back().bases), core.max_edits});
    }
    const auto expected = expected_of(contigs, reference, queries, match::AmbiguityRule::matches_nothing);
    for (const auto& name : usable_engines()) {
      CAPTURE(name);
      const auto found = found_by(name, reference, with_search(map::SearchMethod::seeds), asked);
      for (std::size_t q = 0; q < cores.size(); ++q) {
        const CoreOfRegion& core = cores[q];
        for (const bool reverse : {false, true}) {
          const auto runs = found.of(q, reverse);
          const auto all = expected.of(q, reverse);
          check_parts(runs, all);
          for (std::size_t c = 0; c < starts.size(); ++c) {
            CAPTURE(q, reverse, c, starts[c]);
            if (count(differences[c], core.begin, core.end) > core.max_edits) {
              const bool in_common = count(differences[c], common_begin, common_end) > most;
              failed_in_common += in_common;
              failed_alone += !in_common;
              continue;
            }
            if (most_parts(differences[c], asked[q].seed_length) > most) {
              continue;  // may be missing
            }
            ++wanted;
            const std::uint64_t end = reference.contigs()[reverse].offset +
                                      (reverse ? contigs[0].size() - starts[c] - core.begin : starts[c] + core.end) - 1;
            REQUIRE(any(runs, [&](const engine::EndRange& range) { return range.first <= end && end <= range.last; }));
          }
        }
      }
    }
  }
  CHECK(wanted > 500);
  CHECK(failed_in_common > 500);
  CHECK(failed_alone > 500);
}

namespace {

// A core of a read, and which of its places are wanted.
struct CoreQuery {
  std::size_t read = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t max_edits = 0;
  std::uint32_t most_penalty = ~std::uint32_t{0};
};

engine::RangeQuery query_of(const std::vector<std::string>& reads, const CoreQuery& core) {
  const std::string_view read = reads[core.read];
  engine::RangeQuery query{read.substr(core.begin, core.end - core.begin), core.max_edits};
  query.read = read;
  query.most_penalty = core.most_penalty;
  return query;
}

// The score of engine::RangeQuery. `first` and `last`: diagonals, counted from the beginning of the text.
int score_on(std::string_view read, std::string_view text, std::int64_t first, std::int64_t last) {
  constexpr int kPoints = static_cast<int>(align::kEditPoints);
  int best = 0;
  std::vector<int> above(text.size() + 1, 0);
  std::vector<int> row(text.size() + 1, 0);
  const auto size = static_cast<std::int64_t>(text.size());
  for (std::size_t i = 1; i <= read.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    std::fill(row.begin(), row.end(), 0);
    for (std::int64_t j = std::max<std::int64_t>(0, at + first); j <= std::min(size, at + last); ++j) {
      const auto t = static_cast<std::size_t>(j);
      int sum = 0;
      if (j > 0) {
        const bool same = match::letters_match(read[i - 1], text[t - 1]);
        sum = std::max({sum, above[t - 1] + 1 - (same ? 0 : kPoints), j > at + first ? row[t - 1] - kPoints : 0});
      }
      if (j < at + last) {
        sum = std::max(sum, above[t] + 1 - kPoints);
      }
      row[t] = sum;
      best = std::max(best, sum);
    }
    std::swap(above, row);
  }
  return best;
}

struct FilterCounts {
  std::size_t wanted = 0;
  std::size_t left_out = 0;
  std::size_t wide_left_out = 0;
  std::size_t by_width[4] = {};
};

// 0 to 3: up to 32, 64, 128, and more diagonals.
std::size_t width_class(const engine::EndRange& range, const CoreQuery& core) {
  const std::uint64_t diagonals = range.last - range.first + 1 + 2 * core.max_edits;
  return diagonals <= 32 ? 0 : diagonals <= 64 ? 1 : diagonals <= 128 ? 2 : 3;
}

bool has_wide(std::span<const engine::EndRange> ranges, const CoreQuery& core) {
  return any(ranges, [&](const engine::EndRange& range) { return width_class(range, core) == 3; });
}

// The scores of all places of a core: those of the forward strand, then those of the other one.
std::vector<int> scores_of(const std::vector<std::string>& contigs, const sequence::Reference& reference,
                           const std::vector<std::string>& reads, const CoreQuery& core,
                           std::span<const engine::EndRange> forward, std::span<const engine::EndRange> reverse) {
  std::vector<int> scores;
  for (const bool is_reverse : {false, true}) {
    const std::string& bases = reads[core.read];
    const std::string strand = is_reverse ? sequence::reverse_complement(bases) : bases;
    const auto core_end = static_cast<std::int64_t>(is_reverse ? strand.size() - core.begin : core.end);
    for (const engine::EndRange& range : is_reverse ? reverse : forward) {
      const std::size_t contig = reference.contig_at(range.first);
      const auto shift = static_cast<std::int64_t>(reference.contigs()[contig].offset) + core_end - 1;
      scores.push_back(score_on(strand, contigs[contig],
                                static_cast<std::int64_t>(range.first) - shift - core.max_edits,
                                static_cast<std::int64_t>(range.last) - shift + core.max_edits));
    }
  }
  return scores;
}

// `all`: the ranges without a filter. `is_exact`: everything that is not wanted must be left out.
void check_filtered(const std::vector<std::string>& contigs, const sequence::Reference& reference,
                    const std::vector<std::string>& reads, const std::vector<CoreQuery>& cores,
                    const engine::EndRanges& all, const engine::EndRanges& found, bool is_exact, FilterCounts& counts) {
  REQUIRE(found.first.size() == all.first.size());
  for (std::size_t q = 0; q < cores.size(); ++q) {
    const CoreQuery& core = cores[q];
    const auto scores = scores_of(contigs, reference, reads, core, all.of(q, false), all.of(q, true));
    const auto length = static_cast<std::uint32_t>(reads[core.read].size());
    // An engine may keep very wide ranges as they are. Their scores are then not known.
    const bool is_exact_here = is_exact && !has_wide(all.of(q, false), core) && !has_wide(all.of(q, true), core);
    std::size_t s = 0;
    for (const bool reverse : {false, true}) {
      CAPTURE(q, reverse, reads[core.read], core.begin, core.end, core.max_edits, core.most_penalty);
      Runs wanted;
      for (const auto& range : all.of(q, reverse)) {
        ++counts.by_width[width_class(range, core)];
        const int score = scores[s++];
        if (length - static_cast<std::uint32_t>(score) <= core.most_penalty) {
          wanted.push_back(range);
        }
      }
      counts.wanted += wanted.size();
      const auto ranges = found.of(q, reverse);
      if (is_exact_here) {
        REQUIRE(text_of(ranges) == text_of(wanted));
        counts.left_out += all.of(q, reverse).size() - ranges.size();
        continue;
      }
      for (const auto& range : wanted) {
        REQUIRE(std::find(ranges.begin(), ranges.end(), range) != ranges.end());
      }
      const auto unfiltered = all.of(q, reverse);
      for (const auto& range : ranges) {
        REQUIRE(std::find(unfiltered.begin(), unfiltered.end(), range) != unfiltered.end());
      }
      const auto wide = [&](std::span<const engine::EndRange> some) {
        return std::count_if(some.begin(), some.end(),
                             [&](const engine::EndRange& range) { return width_class(range, core) == 3; });
      };
      counts.wide_left_out += static_cast<std::size_t>(wide(unfiltered) - wide(ranges));
    }
  }
}

// A read whose ends do not belong, maybe with a long gap.
std::string clipped_read(RandomCases& random, const std::vector<std::string>& contigs, std::size_t edits) {
  std::string read = random.read(contigs, random.number(30, random.chance(0.7) ? 150 : 400), edits, 0.003);
  if (random.chance(0.3) && read.size() > 40) {
    const std::size_t at = random.number(10, read.size() - 20);
    if (random.chance(0.5)) {
      read.erase(at, random.number(1, 15));
    } else {
      read.insert(at, random.bases(random.number(1, 15)));
    }
  }
  return random.bases(random.number(0, 20)) + read + random.bases(random.number(0, 20));
}

}  // namespace

TEST_CASE("ranges where the whole read cannot matter are left out, and no others", "[long]") {
  RandomCases random(212);
  FilterCounts counts;
  for (std::size_t n = 0; n < 40 / kFewer; ++n) {
    CAPTURE(n);
    auto contigs = hostile_contigs(random, 0.003);
    contigs.push_back(random.bases(200));  // there must be two
    const std::vector<std::string> tandem{tandem_repeat(random, 600)};
    contigs.push_back(tandem[0]);
    const auto reference = make_reference(contigs);
    std::vector<std::string> reads;
    std::vector<CoreQuery> cores;
    for (std::size_t r = 0; r < 40; ++r) {
      const bool has_many_edits = random.chance(0.15);
      const std::size_t edits = has_many_edits ? random.number(8, 31) : random.number(0, 7);
      reads.push_back(clipped_read(random, random.chance(0.2) ? tandem : contigs, edits));
      for (std::size_t more = random.number(1, 4); more > 0; --more) {
        CoreQuery core{r, random.number(0, reads[r].size() / 3),
                       reads[r].size() - random.number(0, reads[r].size() / 3)};
        core.max_edits = std::min<std::uint32_t>(static_cast<std::uint32_t>(edits),
                                                 static_cast<std::uint32_t>(core.end - core.begin) / 4);
        cores.push_back(core);
      }
    }
    // A read that goes on in the next contig: there its bases do not count.
    const auto& spans = reference.contigs();
    const std::size_t gap = spans[1].offset - spans[0].offset - contigs[0].size();
    reads.push_back(contigs[0].substr(contigs[0].size() - std::min<std::size_t>(contigs[0].size(), 60)));
    cores.push_back({reads.size() - 1, 0, reads.back().size(), 1});
    reads.back() += random.bases(gap) + contigs[1].substr(0, 100);

    std::vector<Query> queries;
    for (const CoreQuery& core : cores) {
      queries.push_back({reads[core.read].substr(core.begin, core.end - core.begin), core.max_edits});
    }
    const auto all = expected_of(contigs, reference, queries, match::AmbiguityRule::matches_nothing);
    std::vector<engine::RangeQuery> asked;
    for (std::size_t q = 0; q < cores.size(); ++q) {
      const auto scores = scores_of(contigs, reference, reads, cores[q], all.of(q, false), all.of(q, true));
      if (random.chance(0.3)) {
        cores[q].most_penalty = static_cast<std::uint32_t>(random.number(0, 60));
      } else if (!scores.empty() && random.chance(0.9)) {
        // That of one of the places, or not quite enough for it.
        const int score = scores[random.number(0, scores.size() - 1)];
        cores[q].most_penalty = static_cast<std::uint32_t>(reads[cores[q].read].size()) -
                                static_cast<std::uint32_t>(score) - (random.chance(0.5) ? 1 : 0);
      }
      asked.push_back(query_of(reads, cores[q]));
    }
    const auto exact = [&](const std::string& name) {
      return device_engines("") == std::vector{name} || device_engines("-parts") == std::vector{name};
    };
    for (const auto& name : usable_engines()) {
      CAPTURE(name);
      const auto found = found_by(name, reference, with_search(map::SearchMethod::automatic), asked);
      check_filtered(contigs, reference, reads, cores, all, found, exact(name), counts);
    }
  }
  CHECK(counts.wanted > 2000 / kFewer);
  CHECK(counts.left_out > 2000 / kFewer);
  CHECK(counts.wide_left_out > 40 / kFewer);
  for (const std::size_t count : counts.by_width) {
    CHECK(count > 50 / kFewer);
  }
}

TEST_CASE("of a repeat's copies only those are found at which the read's ends match, too") {
  RandomCases random(213);
  const std::string repeat = random.bases(90);
  const std::string left = random.bases(30);
  const std::string right = random.bases(30);
  std::string contig = random.bases(300);
  for (int copy = 0; copy < 50; ++copy) {
    const bool is_best = copy == 20;
    const bool is_good = copy == 30;
    contig += is_best || is_good ? left : random.bases(30);
    contig += repeat;
    contig += is_best ? right : random.bases(40);
  }
  const std::vector<std::string> contigs{contig, sequence::reverse_complement(contig)};
  const auto reference = make_reference(contigs);
  const std::string read = left + repeat + right + random.bases(10);  // penalties: 10, 40, about 70
  std::vector<engine::RangeQuery> asked;
  for (const std::uint32_t most_penalty : {5u, 15u, 50u, 100u, ~0u}) {
    asked.push_back({std::string_view(read).substr(30, 90), 3, {}, 0, 0, read, most_penalty});
  }
  for (const std::string suffix : {"", "-parts", "-small"}) {
    for (const auto& name : device_engines(suffix)) {
      INFO(name);
      const auto found = found_by(name, reference, with_search(map::SearchMethod::automatic), asked);
      std::vector<std::size_t> counts;
      for (std::size_t q = 0; q < asked.size(); ++q) {
        for (const bool reverse : {false, true}) {
          counts.push_back(found.of(q, reverse).size());
        }
      }
      const std::vector<std::size_t> expected{0, 0, 1, 1, 2, 2, 50, 50, 50, 50};
      CHECK(counts == expected);
    }
  }
}

TEST_CASE("a wanted place anywhere in a wide range is found") {
  std::string tandem;
  while (tandem.size() < 400) {
    tandem += "ACGGT";
  }
  const auto with_differences = [&](std::size_t first, std::size_t second) {
    std::string part = tandem.substr(0, 30);
    part[first] = 'T';
    part[second] = 'C';
    return part;
  };
  const std::string left = with_differences(5, 16);
  const std::string right = with_differences(12, 27);
  const std::string middle = tandem.substr(0, 30);
  const std::vector<std::string> reads{left + middle + right};
  // The place has a deletion, and lies one diagonal further in each contig.
  std::vector<std::string> contigs;
  for (std::size_t before = 90; before < 190; ++before) {
    contigs.push_back(tandem.substr(tandem.size() - before) + left + middle + "C" + right + tandem.substr(0, 300));
  }
  const auto reference = make_reference(contigs);
  const std::vector<CoreQuery> cores{{0, 20, 70, 6, 5}};
  const std::string core = reads[0].substr(20, 50);
  const auto all = expected_of(contigs, reference, {{core, 6}}, match::AmbiguityRule::matches_nothing);
  for (const auto& name : usable_engines()) {
    INFO(name);
    FilterCounts counts;
    const auto found =
        found_by(name, reference, with_search(map::SearchMethod::automatic), {query_of(reads, cores[0])});
    check_filtered(contigs, reference, reads, cores, all, found, false, counts);
    CHECK(counts.wanted == contigs.size());
    CHECK(counts.by_width[3] >= counts.wanted);
  }
}

// Each seed of both words has thousands of hits.
TEST_CASE("of exact words with many ranges only some are wanted", "[ranges]") {
  constexpr std::uint32_t kMost = 100;
  RandomCases random(77);
  const std::string frequent = random.bases(20);
  const std::string rare = random.bases(20);
  std::string contig;
  for (int copy = 0; copy < 6000; ++copy) {
    // Two thirds of the rare word, and all of it in every hundredth copy.
    const std::string part = copy % 2 == 0 ? rare.substr(0, 14) : rare.substr(6);
    contig += frequent + random.bases(7) + (copy % 100 == 99 ? rare : part) + random.bases(7);
  }
  const auto reference = make_reference({contig});
  const std::vector<engine::RangeQuery> all = {{frequent, 0}, {rare, 0}};
  std::vector<engine::RangeQuery> some = all;
  for (engine::RangeQuery& query : some) {
    query.most_ranges = kMost;
  }
  for (const auto& name : usable_engines()) {
    CAPTURE(name);
    const auto expected = found_by(name, reference, {}, all);
    const auto found = found_by(name, reference, {}, some);
    REQUIRE(expected.of(0, false).size() == 6000);
    CHECK(found.of(0, false).size() > kMost);
    for (const engine::EndRange& range : found.of(0, false)) {
      REQUIRE(any(expected.of(0, false), [&](const engine::EndRange& other) { return other.first == range.first; }));
    }
    REQUIRE(expected.of(1, false).size() >= 60);
    REQUIRE(expected.of(1, false).size() <= kMost);
    CHECK(text_of(found.of(1, false)) == text_of(expected.of(1, false)));
    CHECK(text_of(found.of(1, true)) == text_of(expected.of(1, true)));
  }
}

// Words of one read share seeds and their hits. Here are many places of some words of a read, of all of them, and of
// none; homopolymers, of which places overlap; ends of contigs; and ambiguous letters.
TEST_CASE("words of one read are found as each word alone", "[ranges]") {
  const auto seed = GENERATE(range(1u, 13u));
  CAPTURE(seed);
  RandomCases random(seed);
  std::vector<std::string> reads;
  std::string contig = random.bases(300);
  for (int r = 0; r < 6; ++r) {
    reads.push_back(random.bases(random.number(20, 160)));
    if (r % 3 == 1) {
      reads.back() += std::string(40, 'A') + random.bases(25);
    }
    for (int copy = 0; copy < 40; ++copy) {
      const std::string piece = reads.back().substr(random.number(0, reads.back().size() - 20));
      contig += copy % 2 == 0 ? piece : std::string(sequence::reverse_complement(piece));
      contig += copy % 10 == 9 ? std::string(random.number(1, 30), copy % 20 == 9 ? 'N' : 'A') : random.bases(copy % 7);
    }
  }
  const auto reference = make_reference({reads[0], contig, reads[1] + "R" + reads[2]});
  std::vector<engine::RangeQuery> words, alone;
  for (const std::string& read : reads) {
    for (std::size_t begin = 0; begin + 20 <= read.size(); begin += random.number(1, 9)) {
      words.push_back({std::string_view(read).substr(begin, random.number(0, 9) == 0 ? 16 : 20), 0});
      if (words.size() > 1 && words.back().bases.end() <= words[words.size() - 2].bases.end() &&
          words[words.size() - 2].read.data() == read.data()) {
        words.back().bases = std::string_view(read).substr(begin, 20);  // words have ascending ends
      }
      alone.push_back(words.back());
      words.back().read = read;
      words.back().most_ranges = 1'000'000;
    }
  }
  for (const auto& name : usable_engines()) {
    CAPTURE(name);
    const auto engine = pipeline::make_engine(name, reference, {});
    engine::EndRanges expected, found;
    engine->make_range_finder()->find(alone, expected);
    engine->make_range_finder()->find(words, found);
    CHECK(found.ranges.size() > 10 * words.size());
    REQUIRE(found.first == expected.first);
    for (std::size_t q = 0; q < words.size(); ++q) {
      CAPTURE(q, words[q].bases);
      REQUIRE(text_of(found.of(q, false)) == text_of(expected.of(q, false)));
      REQUIRE(text_of(found.of(q, true)) == text_of(expected.of(q, true)));
    }
  }
}
