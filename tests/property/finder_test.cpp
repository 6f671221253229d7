// Every finder gives the oracle's ends: queries searched whole and by parts, one thread and several.
#include "scan/finder.hpp"

#include <tbb/global_control.h>

#include <map>

#include "scan/search_plan.hpp"
#include "tests/catch.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

using Ends = std::map<std::pair<std::uint32_t, std::uint64_t>, unsigned>;

Ends oracle(const std::vector<std::string>& contigs, const sequence::Reference& reference,
            const std::vector<scan::Query>& queries, const scan::Options& options) {
  Ends ends;
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      for (const auto& [end, distance] :
           tests::oracle_ends(queries[q].bases, contigs[c], static_cast<int>(options.max_edits),
                              options.metric == scan::Metric::hamming, options.ambiguous_matches)) {
        ends[{q, reference.contigs()[c].offset + end - 1}] = static_cast<unsigned>(distance);
      }
    }
  }
  return ends;
}

void check(scan::Finder& finder, const sequence::Reference& reference, const Ends& expected) {
  std::vector<scan::RowHit> hits;
  finder.find(reference, hits);
  Ends found;
  std::pair<std::uint32_t, std::uint64_t> before{0, 0};
  for (const auto& hit : hits) {
    REQUIRE(before <= std::pair(hit.id, hit.end));
    before = {hit.id, hit.end};
    REQUIRE(found.emplace(before, hit.distance).second);
  }
  REQUIRE(found == expected);
}

}  // namespace

TEST_CASE("the CPU finder gives the oracle's ends") {
  tests::RandomCases random(81);
  std::size_t by_parts = 0;
  for (int n = 0; n < 150; ++n) {
    scan::Options options;
    options.max_edits = static_cast<std::uint32_t>(random.number(0, random.chance(0.8) ? 5 : 12));
    options.metric = random.chance(0.3) ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.ambiguous_matches = random.chance(0.2);
    const auto contigs = random.contigs(random.chance(0.5) ? 0.005 : 0);
    std::vector<scan::Pattern> patterns;
    for (std::size_t p = random.number(1, 5); p > 0; --p) {
      const std::size_t m = random.number(options.max_edits + 1, random.chance(0.7) ? 60 : 300);
      patterns.push_back({"p", random.read(contigs, m, options.max_edits, random.chance(0.2) ? 0.1 : 0)});
    }
    const auto queries = scan::make_queries(patterns, options);
    if (queries.empty()) {
      continue;
    }
    for (const auto& query : queries) {
      by_parts += !scan::choose_parts(query, options).empty();
    }
    const auto reference = tests::make_reference(contigs);
    CAPTURE(n, options.max_edits, static_cast<int>(options.metric), options.ambiguous_matches);
    check(*scan::make_cpu_finder(queries, options), reference, oracle(contigs, reference, queries, options));
  }
  REQUIRE(by_parts > 100);
}

TEST_CASE("parts leave room for every distribution of the edits") {
  tests::RandomCases random(82);
  for (int n = 0; n < 500; ++n) {
    scan::Options options;
    options.max_edits = static_cast<std::uint32_t>(random.number(0, 16));
    options.metric = random.chance(0.5) ? scan::Metric::hamming : scan::Metric::levenshtein;
    const auto queries = scan::make_queries({{"p", random.bases(random.number(options.max_edits + 1, 400))}}, options);
    const auto parts = scan::choose_parts(queries.front(), options);
    std::uint32_t sum = 0;
    std::uint32_t at = 0;
    for (const auto& part : parts) {
      REQUIRE(part.first == at);
      REQUIRE(part.length > part.edits);
      at += part.length;
      sum += part.edits + 1;
    }
    REQUIRE((parts.empty() || (at == queries.front().length() && sum > options.max_edits)));
  }
}

TEST_CASE("a text long enough for a sample, with frequent parts") {
  tests::RandomCases random(83);
  const std::string pattern = random.bases(64);
  std::string contig = random.bases(150000);
  for (int n = 0; n < 2000; ++n) {
    contig += pattern.substr(0, 21) + random.bases(random.number(1, 60));
  }
  contig += random.mutate(pattern, 2) + random.bases(1000);
  scan::Options options;
  options.max_edits = 2;
  const auto queries = scan::make_queries({{"p", pattern}, {"q", random.bases(64)}}, options);
  REQUIRE(!scan::choose_parts(queries.front(), options).empty());
  const auto reference = tests::make_reference({contig});
  const auto expected = oracle({contig}, reference, queries, options);
  REQUIRE(!expected.empty());
  for (const std::size_t threads : {1, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    const auto finder = scan::make_cpu_finder(queries, options);
    check(*finder, reference, expected);
    check(*finder, reference, expected);
  }
}
