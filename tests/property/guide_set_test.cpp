// Guides with a PAM, searched from their sites, have the ends that the oracle and the rows have: every PAM, both sides,
// all numbers of edits, with bulges and without, guides that are alike, and texts of repeats and with ambiguous
// letters.
#include "scan/find/guide_set.hpp"

#include <algorithm>
#include <map>

#include "scan/find/cpu_finder.hpp"
#include "scan/find/region_finder.hpp"
#include "tests/catch.hpp"
#include "tests/guide_cases.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

using Ends = std::map<std::pair<std::uint32_t, std::uint64_t>, unsigned>;

// By plain dynamic programming beside each PAM.
Ends oracle(const std::vector<std::string>& contigs, const sequence::Reference& reference,
            const std::vector<scan::Query>& queries, const scan::Options& options) {
  Ends ends;
  const auto k = static_cast<int>(options.max_edits);
  const std::size_t pam_length = options.pam.bases.size();
  for (std::uint32_t q = 0; q < queries.size(); ++q) {
    const scan::Query& query = queries[q];
    const bool is_right = query.pam_first > 0;
    const std::string pam(query.bases.substr(is_right ? 0 : query.guide_length(), pam_length));
    std::string guide(query.bases.substr(query.pam_first, query.guide_length()));
    if (!is_right) {
      std::reverse(guide.begin(), guide.end());
    }
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      const auto add = [&](std::size_t end, int distance) {
        if (distance <= k && end > 0 && end <= contigs[c].size()) {
          const auto [at, is_new] = ends.emplace(std::pair(q, reference.contigs()[c].offset + end - 1), distance);
          at->second = std::min(at->second, static_cast<unsigned>(distance));
        }
      };
      for (std::size_t at = 0; at + pam_length <= contigs[c].size(); ++at) {
        bool is_site = true;
        for (std::size_t i = 0; i < pam_length && is_site; ++i) {
          is_site = tests::pattern_matches(pam[i], contigs[c][at + i], false);
        }
        if (!is_site) {
          continue;
        }
        // The text from the PAM on.
        std::string text = is_right ? contigs[c].substr(at + pam_length, guide.size() + options.max_edits)
                                    : contigs[c].substr(at - std::min<std::size_t>(at, guide.size() + k),
                                                        std::min<std::size_t>(at, guide.size() + k));
        if (!is_right) {
          std::reverse(text.begin(), text.end());
        }
        std::vector<int> distances;
        if (query.no_gaps) {
          // Without a metric of windows, the site is only dropped later if the guide does not fit in the contig.
          distances.assign(std::max(text.size(), guide.size()) + 1, k + 1);
          if (text.size() >= guide.size() || options.metric == scan::Metric::levenshtein) {
            distances[guide.size()] = 0;
            for (std::size_t i = 0; i < guide.size(); ++i) {
              distances[guide.size()] += i >= text.size() || !tests::pattern_matches(guide[i], text[i], false);
            }
          }
        } else {
          distances = tests::pattern_distances(guide, text, false, true);
        }
        if (is_right) {
          for (std::size_t j = 0; j < distances.size(); ++j) {
            add(at + pam_length + j, distances[j]);
          }
        } else {
          add(at + pam_length, *std::min_element(distances.begin(), distances.end()));
        }
      }
    }
  }
  return ends;
}

Ends ends_of(scan::Finder& finder, const sequence::Reference& reference) {
  std::vector<scan::Hit> hits;
  finder.find(reference, hits);
  Ends found;
  for (const auto& hit : hits) {
    REQUIRE(found.emplace(std::pair(hit.id, hit.end), hit.distance).second);
  }
  return found;
}

}  // namespace

TEST_CASE("guides from their sites have the oracle's ends and those of the rows") {
  tests::RandomCases random(151);
  std::size_t with_guides = 0, ends = 0;
  for (int n = 0; n < 400; ++n) {
    tests::GuideCase c = tests::make_guide_case(random, 700, 8);
    c.options.search = scan::Search::pieces;
    const auto queries = scan::make_queries(c.patterns, c.options);
    if (queries.empty()) {
      continue;
    }
    const auto reference = tests::make_reference(c.contigs);
    const auto expected = oracle(c.contigs, reference, queries, c.options);
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
    c.options.search = scan::Search::rows;
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
    tests::GuideCase c = tests::make_guide_case(random, 60000, 60);
    c.options.search = scan::Search::rows;
    const auto queries = scan::make_queries(c.patterns, c.options);
    if (queries.empty()) {
      continue;
    }
    const auto reference = tests::make_reference(c.contigs);
    const auto expected = ends_of(*scan::make_cpu_finder(queries, c.options), reference);
    c.options.search = scan::Search::pieces;
    CAPTURE(n, c.options.max_edits, c.options.max_bulges, c.options.pam.bases, c.options.pam.is_last, queries.size());
    tests::on_all_targets([&] { REQUIRE(ends_of(*scan::make_cpu_finder(queries, c.options), reference) == expected); });
    const auto finder = scan::make_cpu_finder(queries, c.options);
    scan::RegionFinder regions(*finder, 0, random.number(0, 500));
    regions.begin(reference);
    Ends found;
    scan::Region region;
    std::vector<scan::Hit> hits;
    while (regions.next(region, hits)) {
      for (const auto& hit : hits) {
        REQUIRE(found.emplace(std::pair(hit.id, hit.end), hit.distance).second);
      }
    }
    REQUIRE(found == expected);
  }
}

TEST_CASE("guides that too many sites are like are searched by rows") {
  // Every position is a site, and each site is like the first half of all guides but not like their second half.
  scan::Options options;
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
  plan.add_guides(1 << 20, by_rows * (1 << 20));
  REQUIRE(has_guides());
  plan.add_guides(1 << 20, by_rows * (1 << 23));
  REQUIRE(!has_guides());
  REQUIRE(plan.plan()->programs.size() == 1);
  const std::string text = random.bases(2000) + std::string(30000, 'A') + random.bases(2000);
  const auto reference = tests::make_reference({text});
  auto expected = ends_of(*scan::make_cpu_finder(queries, options), reference);
  options.search = scan::Search::rows;
  REQUIRE(expected == ends_of(*scan::make_cpu_finder(queries, options), reference));
}
