// Guides with a PAM, searched from their sites, have the ends that the oracle and the rows have: every PAM, both sides,
// all numbers of edits, with bulges and without, guides that are alike, and texts of repeats and with ambiguous
// letters.
#include "scan/find/guide_set.hpp"

#include <algorithm>

#include "scan/find/cpu_finder.hpp"
#include "tests/catch.hpp"
#include "tests/finder_ends.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/random_cases.hpp"
#include "tests/scan_cases.hpp"

using namespace trawl;

using tests::ends_of;

TEST_CASE("guides from their sites have the oracle's ends and those of the rows") {
  tests::RandomCases random(151);
  std::size_t with_guides = 0, ends = 0;
  for (int n = 0; n < 400; ++n) {
    tests::ScanCase c = tests::make_guide_case(random, 700, 8);
    c.options.search = scan::ScanMethod::pieces;
    const auto queries = scan::make_queries(c.patterns, c.options);
    if (queries.empty()) {
      continue;
    }
    const auto reference = tests::make_reference(c.contigs);
    const auto expected = tests::oracle_ends(c.contigs, reference, queries, c.options);
    CAPTURE(n, c.options.max_edits, c.options.max_bulges, c.options.pam.bases, c.options.pam.is_last, queries.size());
    if (const auto guides = scan::GuideSet::choose(queries, c.options)) {
      ++with_guides;
      std::size_t bytes = 0;
      for (const auto& group : guides->groups()) {
        for (const auto* table : {&group.near_table, &group.far_table}) {
          bytes += 4 * (table->starts.size() + table->entries.size());
        }
      }
      REQUIRE(bytes <= scan::GuideSet::most_memory(c.patterns.size(), c.options));
    }
    ends += expected.size();
    REQUIRE(ends_of(*scan::make_cpu_finder(queries, c.options), reference) == expected);
    c.options.search = scan::ScanMethod::rows;
    REQUIRE(scan::GuideSet::choose(queries, c.options) == nullptr);
    REQUIRE(ends_of(*scan::make_cpu_finder(queries, c.options), reference) == expected);
  }
  REQUIRE(with_guides > 250);
  REQUIRE(ends > 5000);
}

// Several blocks of the search and stretches of the threads, and regions that hold few ends.
TEST_CASE("guides from their sites in long texts, on every instruction set") {
  tests::RandomCases random(152);
  for (int n = 0; n < 12; ++n) {
    tests::ScanCase c = tests::make_guide_case(random, 60000, 60);
    c.options.search = scan::ScanMethod::rows;
    const auto queries = scan::make_queries(c.patterns, c.options);
    if (queries.empty()) {
      continue;
    }
    const auto reference = tests::make_reference(c.contigs);
    const auto expected = ends_of(*scan::make_cpu_finder(queries, c.options), reference);
    c.options.search = scan::ScanMethod::pieces;
    CAPTURE(n, c.options.max_edits, c.options.max_bulges, c.options.pam.bases, c.options.pam.is_last, queries.size());
    tests::on_all_targets([&] { REQUIRE(ends_of(*scan::make_cpu_finder(queries, c.options), reference) == expected); });
    const auto finder = scan::make_cpu_finder(queries, c.options);
    std::size_t regions = 0;
    REQUIRE(tests::by_regions(*finder, reference, random.number(0, 500), regions) == expected);
  }
}

TEST_CASE("guides that too many sites are like are searched by rows") {
  // Every position is a site, and each site is like the first half of all guides but not like their second half.
  scan::ScanOptions options;
  options.max_edits = options.max_mismatches = options.max_bulges = 3;
  options.pam = {"N", false};
  options.strands = scan::Strands::forward;
  tests::RandomCases random(153);
  scan::PatternList patterns;
  for (int n = 0; n < 5000; ++n) {
    patterns.add("g", std::string(10, 'A') + random.bases(20));
  }
  const auto queries = scan::make_queries(patterns, options);
  REQUIRE(scan::GuideSet::choose(queries, options) != nullptr);
  scan::AdaptivePlan plan(queries, options);
  const auto has_guides = [&] { return plan.plan()->has_guides; };
  REQUIRE(has_guides());
  const double by_rows = plan.guides()->cost_by_rows();
  plan.add(1 << 20, {}, by_rows * (1 << 20));
  REQUIRE(has_guides());
  plan.add(1 << 24, {}, by_rows * (1 << 24));  // as expensive as rows, for many positions
  REQUIRE(has_guides());
  plan.add(1 << 20, {}, by_rows * (1 << 23));
  REQUIRE(!has_guides());
  REQUIRE(plan.plan()->programs.size() == 1);
  const std::string text = random.bases(2000) + std::string(30000, 'A') + random.bases(2000);
  const auto reference = tests::make_reference({text});
  auto expected = ends_of(*scan::make_cpu_finder(queries, options), reference);
  options.search = scan::ScanMethod::rows;
  REQUIRE(expected == ends_of(*scan::make_cpu_finder(queries, options), reference));
  options.search = scan::ScanMethod::pieces;  // is what was asked for, at any cost
  scan::AdaptivePlan pieces(queries, options);
  pieces.add(1 << 20, {}, by_rows * (1 << 23));
  REQUIRE(pieces.plan()->has_guides);
}

namespace {

scan::PatternList random_guides(tests::RandomCases& random, std::size_t count, std::size_t length) {
  scan::PatternList guides;
  for (std::size_t n = 0; n < count; ++n) {
    guides.add("g", random.bases(length));
  }
  return guides;
}

scan::ScanOptions guide_options(std::uint32_t k, const char* pam) {
  scan::ScanOptions options;
  options.max_edits = options.max_mismatches = options.max_bulges = k;
  options.pam = {pam, true};
  options.search = scan::ScanMethod::pieces;
  return options;
}

}  // namespace

TEST_CASE("a search of guides whose room is full gives only the ends before the position where it stopped") {
  const scan::ScanOptions options = guide_options(1, "N");
  const auto queries = scan::make_queries({{"g", std::string(20, 'A')}}, options);
  const auto guides = scan::GuideSet::choose(queries, options);
  REQUIRE(guides != nullptr);
  const auto reference = tests::make_reference({std::string(20000, 'A')});
  constexpr std::size_t room = 30000;
  std::vector<scan::Hit> hits;
  double cost = 0;
  const std::uint64_t at = scan::guide_scan(reference, *guides, {.room = room}, 0, reference.size(), hits, cost);
  REQUIRE(at > 0);
  REQUIRE(at < reference.size());
  REQUIRE(!hits.empty());
  REQUIRE(hits.size() <= room);
  REQUIRE(std::all_of(hits.begin(), hits.end(), [&](const scan::Hit& hit) { return hit.end < at; }));
}

TEST_CASE("guides whose ambiguous letters match are searched by rows") {
  tests::RandomCases random(154);
  scan::ScanOptions options = guide_options(2, "NGG");
  const auto patterns = random_guides(random, 20, 20);
  REQUIRE(scan::GuideSet::choose(scan::make_queries(patterns, options), options) != nullptr);
  options.ambiguous_matches = true;
  const auto queries = scan::make_queries(patterns, options);
  REQUIRE(scan::GuideSet::choose(queries, options) == nullptr);
  // An N in each guide and in each PAM.
  std::string text = random.bases(100);
  for (const auto pattern : patterns) {
    std::string site(pattern.bases);
    site[random.number(0, 19)] = 'N';
    text += site + "ANG" + random.bases(random.number(0, 30));
  }
  const auto reference = tests::make_reference({text});
  const auto found = ends_of(*scan::make_cpu_finder(queries, options), reference);
  REQUIRE(found.size() >= 20);
  options.search = scan::ScanMethod::rows;
  REQUIRE(found == ends_of(*scan::make_cpu_finder(queries, options), reference));
}

TEST_CASE("the tables of guides have a limit") {
  tests::RandomCases random(155);
  const scan::ScanOptions options = guide_options(5, "NGG");
  const auto few = scan::GuideSet::choose(scan::make_queries(random_guides(random, 10, 20), options), options);
  REQUIRE(few != nullptr);
  const auto& group = few->groups().front();
  const std::size_t of_ten = group.near_table.entries.size() + group.far_table.entries.size();
  // As many as would take four times 2^26 entries.
  const std::size_t many = 4 * (std::size_t{1} << 26) / (of_ten / 10);
  REQUIRE(scan::GuideSet::choose(scan::make_queries(random_guides(random, many, 20), options), options) == nullptr);
}

TEST_CASE("guides of many lengths: some are searched from their sites, the others by rows") {
  tests::RandomCases random(156);
  scan::ScanOptions options = guide_options(2, "NGG");
  scan::PatternList patterns;
  std::string text = random.bases(100);
  for (std::size_t length = 18; length < 28; ++length) {
    const std::string guide = random.bases(length);
    patterns.add("g", guide);
    text += random.mutate(guide, 1) + "AGG" + random.bases(50);
  }
  const auto queries = scan::make_queries(patterns, options);
  const auto guides = scan::GuideSet::choose(queries, options);
  REQUIRE(guides != nullptr);
  REQUIRE(guides->groups().size() == 4);
  const auto reference = tests::make_reference({text});
  const auto found = ends_of(*scan::make_cpu_finder(queries, options), reference);
  REQUIRE(found.size() >= 10);
  options.search = scan::ScanMethod::rows;
  REQUIRE(found == ends_of(*scan::make_cpu_finder(queries, options), reference));
}
