// Every finder gives the oracle's ends: queries searched whole and by parts, with one thread and with several.
#include "scan/find/finder.hpp"

#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "scan/find/ambiguous_text.hpp"
#include "scan/find/cpu_finder.hpp"
#include "scan/find/near_set.hpp"
#include "scan/find/place_check.hpp"
#include "scan/find/region_finder.hpp"
#include "scan/find/search_plan.hpp"
#include "tests/catch.hpp"
#include "tests/finder_ends.hpp"
#include "tests/many_patterns.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

using tests::Ends, tests::ends_of, tests::oracle_ends;

void check(scan::Finder& finder, const sequence::Reference& reference, const Ends& expected) {
  REQUIRE(ends_of(finder, reference) == expected);
}

}  // namespace

TEST_CASE("the CPU finder gives the oracle's ends") {
  tests::RandomCases random(81);
  std::size_t by_parts = 0;
  for (int n = 0; n < 150; ++n) {
    scan::ScanOptions options;
    options.max_edits = static_cast<std::uint32_t>(random.number(0, random.chance(0.8) ? 5 : 16));
    options.metric = random.chance(0.3) ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.ambiguous_matches = random.chance(0.2);
    options.search = random.chance(0.5) ? scan::ScanMethod::pieces : scan::ScanMethod::rows;
    const auto contigs = random.contigs(random.chance(0.5) ? 0.005 : 0);
    scan::PatternList patterns;
    for (std::size_t p = random.number(1, 5); p > 0; --p) {
      const std::size_t m = random.number(options.max_edits + 1, random.long_length(60));
      patterns.add("p", random.read(contigs, m, options.max_edits, random.chance(0.2) ? 0.1 : 0));
    }
    const auto queries = scan::make_queries(patterns, options);
    if (queries.empty()) {
      continue;
    }
    for (const auto& query : queries) {
      by_parts += !scan::choose_parts(query, options, 0).parts.empty();
    }
    const auto reference = tests::make_reference(contigs);
    CAPTURE(n, options.max_edits, static_cast<int>(options.metric), options.ambiguous_matches);
    check(*scan::make_cpu_finder(queries, options), reference, oracle_ends(contigs, reference, queries, options));
  }
  REQUIRE(by_parts > 100);
}

// Sets that have many places: patterns that are alike, texts of repeats; patterns of several words; every number of
// edits that fits in a lane of 16 or 32 bits, and one more.
TEST_CASE("places of parts that are looked up have the oracle's ends") {
  tests::RandomCases random(89);
  std::size_t taken = 0, with_edits = 0, many = 0, looked_up = 0;
  for (int n = 0; n < 300; ++n) {
    scan::ScanOptions options;
    options.max_edits = static_cast<std::uint32_t>(random.chance(0.8) ? random.number(1, 4) : random.number(5, 16));
    options.metric = random.chance(0.4) ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.search = scan::ScanMethod::pieces;
    const std::string letters = random.chance(0.3) ? random.bases(random.number(1, 2)) : "ACGT";
    const auto text_of = [&](std::size_t length) {
      std::string text;
      while (text.size() < length) {
        text += letters[random.number(0, letters.size() - 1)];
      }
      return text;
    };
    scan::PatternList patterns;
    std::vector<std::string> added;
    const std::size_t usual = random.number(3 * options.max_edits + 4, random.chance(0.7) ? 70 : 200);
    for (std::size_t p = random.number(1, 12); p > 0; --p) {
      std::string pattern = text_of(random.chance(0.7) ? usual : random.number(options.max_edits + 1, usual));
      if (!added.empty() && random.chance(0.5)) {
        pattern = random.mutate(added[random.number(0, added.size() - 1)], random.number(0, 2));
      }
      if (random.chance(0.05)) {
        pattern[random.number(0, pattern.size() - 1)] = random.ambiguous_letter();
      }
      if (pattern.size() > options.max_edits) {
        added.push_back(pattern);
        patterns.add("p", pattern);
      }
    }
    std::vector<std::string> contigs;
    for (std::size_t c = random.number(1, 3); c > 0; --c) {
      std::string& contig = contigs.emplace_back();
      const std::size_t length = random.number(1, 600);
      while (contig.size() < length) {
        if (added.empty() || random.chance(0.4)) {
          contig += random.chance(0.5) ? text_of(random.number(1, 40)) : random.bases(random.number(1, 20));
        } else {
          std::string planted =
              random.mutate(added[random.number(0, added.size() - 1)], random.number(0, options.max_edits + 1));
          contig += random.chance(0.2) ? planted.substr(random.number(0, planted.size() - 1)) : planted;
        }
        if (random.chance(0.1)) {
          contig += random.ambiguous_letter();
        }
      }
    }
    const auto queries = scan::make_queries(patterns, options);
    if (queries.empty()) {
      continue;
    }
    const scan::PlaceCheck places(queries, options);
    for (std::uint32_t q = 0; q < queries.size(); ++q) {
      const auto parts = scan::choose_parts(queries[q], options, scan::kMostWords / queries.size()).parts;
      taken += places.takes(q) && !parts.empty();
      with_edits += places.takes(q) && !parts.empty() && parts.front().edits == 1;
    }
    const auto reference = tests::make_reference(contigs);
    const auto expected = oracle_ends(contigs, reference, queries, options);
    many += expected.size() > 100;
    CAPTURE(n, options.max_edits, static_cast<int>(options.metric), queries.size());
    const auto one = [&] { check(*scan::make_cpu_finder(queries, options), reference, expected); };
    n % 10 == 0 ? tests::on_all_targets(one) : one();
    std::vector<scan::Query> same;  // patterns of one length, from the side of the text
    std::copy_if(queries.begin(), queries.end(), std::back_inserter(same), [&](const scan::Query& query) {
      return query.is_literal && query.length() == queries.front().length();
    });
    if (std::isfinite(scan::NearSet::estimated_cost(same, options))) {
      const auto of_same = oracle_ends(contigs, reference, same, options);
      std::vector<scan::Hit> hits;
      const scan::NearSet set(same, options);
      for (std::uint64_t at = 0; at < reference.size();) {
        at = set.scan(reference, {.most_hits = random.number(1, 50)}, at, reference.size(), hits);
      }
      scan::tidy_ends(reference, same, options, hits);
      REQUIRE(hits.size() == of_same.size());
      for (const auto& [end, id, distance] : hits) {
        REQUIRE(of_same.at({id, end}) == distance);
      }
      looked_up += hits.empty() ? 0 : 1;
    }
  }
  REQUIRE(looked_up > 20);
  REQUIRE(taken > 1500);
  REQUIRE(with_edits > 500);
  REQUIRE(many > 100);
}

TEST_CASE("parts leave room for every distribution of the edits") {
  tests::RandomCases random(82);
  for (int n = 0; n < 500; ++n) {
    scan::ScanOptions options;
    options.max_edits = static_cast<std::uint32_t>(random.number(0, 16));
    options.metric = random.chance(0.5) ? scan::Metric::hamming : scan::Metric::levenshtein;
    const auto queries = scan::make_queries({{"p", random.bases(random.number(options.max_edits + 1, 400))}}, options);
    const auto parts = scan::choose_parts(queries[0], options, 0).parts;
    std::uint32_t sum = 0;
    std::uint32_t at = 0;
    for (const auto& part : parts) {
      REQUIRE(part.first == at);
      REQUIRE(part.length > part.edits);
      at += part.length;
      sum += part.edits + 1;
    }
    REQUIRE((parts.empty() || (at == queries[0].length() && sum > options.max_edits)));
  }
}

TEST_CASE("parts that the text holds too often are given up, others are not") {
  tests::RandomCases random(83);
  const std::string pattern = random.bases(64);
  const std::string other = random.bases(64);
  std::string contig = random.bases(100000);
  for (int n = 0; n < 2000; ++n) {
    contig += pattern.substr(0, 21) + random.bases(random.number(1, 60));
  }
  contig += random.mutate(pattern, 2) + random.bases(1000) + random.mutate(other, 2) + random.bases(1000);
  scan::ScanOptions options;
  options.max_edits = 2;
  options.strands = scan::Strands::forward;
  const auto queries = scan::make_queries({{"p", pattern}, {"q", other}}, options);
  REQUIRE(!scan::choose_parts(queries[0], options, 0).parts.empty());
  REQUIRE(!scan::choose_parts(queries[1], options, 0).parts.empty());
  const auto reference = tests::make_reference({contig});
  const auto expected = oracle_ends({contig}, reference, queries, options);
  REQUIRE(expected.size() > 1);
  for (const std::size_t threads : {1, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    scan::CpuFinder finder(queries, options);
    check(finder, reference, expected);
    REQUIRE(finder.plan()->given_up == std::vector<bool>{true, false});
    check(finder, reference, expected);
    scan::CpuFinder elsewhere(queries, options);
    const std::string text = random.bases(100000);
    const auto random_text = tests::make_reference({text});
    check(elsewhere, random_text, oracle_ends({text}, random_text, queries, options));
    REQUIRE(elsewhere.plan()->given_up.empty());
  }
}

TEST_CASE("parts are given up wherever the text begins to hold them, in the middle of a stretch too") {
  tests::RandomCases random(84);
  std::string pattern = random.bases(50);
  scan::ScanOptions options;
  options.max_edits = 2;
  options.strands = scan::Strands::forward;
  // A part that is one letter repeated.
  const auto parts = scan::choose_parts(scan::make_queries({{"p", pattern}}, options)[0], options, 0).parts;
  REQUIRE(parts.size() > 1);
  pattern.replace(parts[1].first, parts[1].length, parts[1].length, 'A');
  const auto queries = scan::make_queries({{"p", pattern}}, options);
  REQUIRE(scan::choose_parts(queries[0], options, 0).parts.size() == parts.size());
  // Stretches meet at 2^19 and 2^20.
  std::string contig = random.bases(300000);
  while (contig.size() < 1100000) {
    contig += std::string(random.number(20, 30000), 'A') + random.mutate(pattern, random.number(0, 3)) +
              random.bases(random.number(0, 30));
  }
  const auto reference = tests::make_reference({contig});
  const auto expected = oracle_ends({contig}, reference, queries, options);
  REQUIRE(expected.size() > 50);
  for (const std::size_t threads : {1, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    scan::CpuFinder finder(queries, options);
    check(finder, reference, expected);
    REQUIRE(finder.plan()->given_up == std::vector<bool>{true});
  }
}

namespace {

// A text of up to 4 of these is searched in stretches of this length, with any number of threads.
constexpr std::size_t kShortStretch = std::size_t{1} << 14;

}  // namespace

TEST_CASE("matches across the borders of stretches") {
  tests::RandomCases random(85);
  const std::string pattern = random.bases(40);
  const std::string text = random.bases(50000);
  for (const bool hamming : {false, true}) {
    scan::ScanOptions options;
    options.max_edits = 2;
    options.metric = hamming ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.strands = scan::Strands::forward;
    const auto queries = scan::make_queries({{"p", pattern}}, options);
    for (const std::size_t before : {0, 1, 2, 12, 13, 14, 26, 27, 38, 39, 40, 41}) {
      std::string contig = text;
      std::size_t offset = tests::make_reference({"A"}).contigs()[0].offset;
      for (const std::size_t border : {kShortStretch, 2 * kShortStretch}) {
        std::string planted = pattern;
        for (int n = 0; n < 2; ++n) {
          planted[random.number(0, 39)] = random.base();
        }
        contig.replace(border - offset - before, 40, planted);
      }
      const auto reference = tests::make_reference({contig});
      const auto expected = oracle_ends({contig}, reference, queries, options);
      REQUIRE(expected.size() >= 2);
      CAPTURE(before, hamming);
      check(*scan::make_cpu_finder(queries, options), reference, expected);
    }
  }
}

// Only the first part occurs without edits. It is hit before the border; the match ends after it, as far away as
// inserted letters can move it.
TEST_CASE("matches with inserted letters across the borders of stretches") {
  tests::RandomCases random(86);
  const std::string text = random.bases(50000);
  const std::size_t offset = tests::make_reference({"A"}).contigs()[0].offset;
  for (const auto search : {scan::ScanMethod::rows, scan::ScanMethod::pieces}) {
    for (const std::size_t before : {38, 39, 40, 41, 42}) {
      const std::string pattern = random.bases(39);
      scan::ScanOptions options;
      options.max_edits = 2;
      options.strands = scan::Strands::forward;
      options.search = search;
      const auto queries = scan::make_queries({{"p", pattern}}, options);
      std::string planted = pattern;
      for (const std::size_t at : {33, 20}) {  // in the third part and in the second
        char inserted = random.base();
        while (inserted == pattern[at - 1] || inserted == pattern[at]) {
          inserted = random.base();
        }
        planted.insert(at, 1, inserted);
      }
      std::string contig = text;
      contig.replace(kShortStretch - offset - before, planted.size(), planted);
      const auto reference = tests::make_reference({contig});
      const auto expected = oracle_ends({contig}, reference, queries, options);
      CAPTURE(before, static_cast<int>(search));
      REQUIRE(expected.at({0, kShortStretch - before + planted.size() - 1}) == 2);
      check(*scan::make_cpu_finder(queries, options), reference, expected);
    }
  }
}

TEST_CASE("parts inside long runs of N, which match") {
  tests::RandomCases random(86);
  scan::ScanOptions options;
  options.max_edits = 2;
  options.ambiguous_matches = true;
  options.strands = scan::Strands::forward;
  const std::string pattern = random.bases(36);
  const auto queries = scan::make_queries({{"p", pattern}}, options);
  REQUIRE(!scan::choose_parts(queries[0], options, 0).parts.empty());
  const std::uint64_t offset = tests::make_reference({"A"}).contigs()[0].offset;
  const auto substitute = [&](std::string& text, std::size_t at) { text[at] = text[at] == 'A' ? 'C' : 'A'; };
  for (std::size_t n = 0; n < 40; ++n) {
    // The run begins or ends near a block's border. Only the part in it has no edit.
    std::string head = pattern.substr(0, 28), tail = pattern.substr(8);
    substitute(head, 3);
    substitute(head, 15);
    substitute(tail, 10);
    substitute(tail, 22);
    const std::size_t begin = 8192 - offset + n - 20;
    const std::size_t end = 5 * 4096 - offset + (n % 2 == 0 ? 0 : n - 20);
    const std::string contig =
        random.bases(begin - head.size()) + head + std::string(end - begin, 'N') + tail + random.bases(500);
    const auto reference = tests::make_reference({contig});
    CAPTURE(n);
    const auto expected = oracle_ends({contig}, reference, queries, options);
    REQUIRE(!expected.empty());
    check(*scan::make_cpu_finder(queries, options), reference, expected);
  }
}

// Regions with few ends, and positions where every query ends.
TEST_CASE("regions follow each other, hold few ends and together have all of them") {
  tests::RandomCases random(87);
  std::size_t cut = 0;
  for (int n = 0; n < 5; ++n) {
    scan::ScanOptions options;
    options.max_edits = static_cast<std::uint32_t>(random.number(0, 3));
    options.metric = random.chance(0.3) ? scan::Metric::hamming : scan::Metric::levenshtein;
    options.ambiguous_matches = random.chance(0.5);
    std::vector<std::string> contigs;
    for (int c = 0; c < 3; ++c) {
      contigs.push_back(random.contig(random.number(1, 1500), 0.01) + std::string(random.number(1, 300), 'N') +
                        std::string(random.number(1, 200), 'A') + random.bases(random.number(1, 300)));
    }
    scan::PatternList patterns;
    for (std::size_t p = random.number(1, 40); p > 0; --p) {
      patterns.add("p", random.chance(0.3) ? std::string(random.number(5, 9), 'A')
                                           : random.read(contigs, random.number(5, 30), options.max_edits, 0));
    }
    const auto queries = scan::make_queries(patterns, options);
    if (queries.empty()) {
      continue;
    }
    const auto reference = tests::make_reference(contigs);
    const auto expected = oracle_ends(contigs, reference, queries, options);
    for (const std::size_t most : {std::size_t{0}, std::size_t{1}, random.number(2, 50), random.number(50, 1000)}) {
      CAPTURE(n, most, queries.size(), options.max_edits, options.ambiguous_matches);
      scan::CpuFinder finder(queries, options);
      const std::uint64_t look_back = random.number(0, 3);
      scan::RegionFinder regions(finder, look_back, most);
      for (int twice = 0; twice < 2; ++twice) {
        regions.begin(reference);
        Ends found;
        scan::Region region;
        std::uint64_t at = 0;
        std::vector<scan::Hit> hits;
        while (regions.next(region, hits)) {
          REQUIRE(region.begin == at);
          REQUIRE(region.end > at);
          at = region.end;
          // A thread stops after a step that finds at most twice as many hits.
          const std::size_t one_each = queries.size() * (look_back + 1);
          REQUIRE((hits.size() <= 4 * most + one_each || region.end == region.begin + 1));
          REQUIRE(hits.size() <= 4 * most + one_each + queries.size());
          for (const auto& hit : hits) {
            REQUIRE(hit.end + look_back >= region.begin);
            REQUIRE(hit.end < region.end);
            found[{hit.id, hit.end}] = hit.distance;
          }
          cut += region.end < reference.size();
        }
        REQUIRE(at == reference.size());
        REQUIRE(found == expected);
      }
    }
  }
  REQUIRE(cut > 1000);
}

TEST_CASE("ends that lean on too many ambiguous letters, for every window") {
  tests::RandomCases random(88);
  for (int n = 0; n < 100; ++n) {
    std::vector<std::string> contigs;
    for (std::size_t c = random.number(1, 3); c > 0; --c) {
      contigs.push_back(random.contig(random.number(1, 500), 0.1) + std::string(random.number(0, 200), 'N') +
                        random.contig(random.number(1, 500), 0.02));
    }
    const auto reference = tests::make_reference(contigs);
    const std::uint64_t longest = random.number(1, 700);
    const auto edits = static_cast<std::uint32_t>(random.number(0, 5));
    const bool is_share = random.chance(0.5);
    const auto most = static_cast<std::uint32_t>(is_share ? random.number(0, 10'000) : random.number(0, longest));
    const sequence::AmbiguousLimit limit{is_share, most, edits};
    scan::AmbiguousCounts counts;
    const std::uint64_t words = random.number(1, 5);
    for (std::uint64_t begin = 0; begin < reference.size(); begin += 64 * words) {
      counts.load(reference, (begin - std::min(begin, longest)) / 64, begin / 64 + words + 1);
      const auto length = static_cast<std::uint32_t>(random.number(edits + 1, longest + edits + 1));
      if (length > longest) {
        continue;
      }
      for (std::uint64_t at = begin; at < std::min(begin + 64 * words, reference.size()); ++at) {
        std::uint32_t count = 0;
        for (std::uint64_t i = at + 1 - std::min<std::uint64_t>(at + 1, length); i <= at; ++i) {
          count += sequence::base_code(reference.letter(i)) == sequence::kAmbiguous && reference.letter(i) != 0;
        }
        CAPTURE(n, at, length, edits);
        const bool leans = count + edits >= length || (is_share ? 10'000 * count > most * length : count > most);
        REQUIRE(limit.allows(count, length) == !leans);
        REQUIRE((count > limit.of(length) || edits >= length) == leans);
        REQUIRE(sequence::count_ambiguous(reference, at + 1 - std::min<std::uint64_t>(at + 1, length), at + 1) ==
                count);
        if (counts.any()) {
          REQUIRE(counts.view().in_window(at, length) == count);
        } else {
          REQUIRE(count == 0);
        }
      }
    }
  }
}

// Hundreds to thousands of short patterns that share prefixes, in texts of many blocks, on every instruction set of
// this machine. Each end must be found and no other, whatever rows the patterns share and whatever a block gets from
// the one before.
TEST_CASE("many patterns that share prefixes") {
  for (const tests::ManyCase& c : tests::kManyCases) {
    CAPTURE(c.seed, c.k, c.hamming, c.patterns, c.shortest, c.longest, c.text_length);
    const auto input = tests::make_many_patterns(c);
    const auto expected = tests::expected_ends(input, c.k, c.hamming);
    REQUIRE(expected.size() > c.patterns);
    const auto options = tests::many_options(c.k, c.hamming);
    const auto queries = tests::many_queries(input, options);
    REQUIRE(queries.size() == c.patterns);
    tests::on_all_targets(
        [&] { CHECK(tests::first_difference(*scan::make_cpu_finder(queries, options), input, expected) == ""); });
    const auto looked_up = tests::many_options(c.k, c.hamming, scan::ScanMethod::pieces);
    CHECK(tests::first_difference(*scan::make_cpu_finder(queries, looked_up), input, expected) == "");
  }
}

// The check of a place has all ends that a match through the place can have: those that are moved by as many letters as
// there are edits too.
namespace {

// The distances at the ends in the contig that the check of one place gives.
std::map<std::size_t, int> ends_at(const std::string& contig, const std::string& pattern, std::uint32_t k,
                                   std::size_t place) {
  scan::ScanOptions options;
  options.max_edits = k;
  options.strands = scan::Strands::forward;
  const auto queries = scan::make_queries({{"p", pattern}}, options);
  const scan::PlaceCheck check(queries, options);
  REQUIRE(check.takes_all());
  const auto reference = tests::make_reference({contig});
  const std::uint64_t before = reference.contigs()[0].offset - 1;
  std::vector<scan::Hit> hits;
  const scan::QueryPlace places[] = {{before + place, 0}};
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
  for (std::uint32_t k = 1; k <= scan::kMostPlaceEdits; ++k) {
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

namespace {

// Ends that several threads have found are merged into the order that one thread would give them.
std::vector<std::tuple<std::uint32_t, std::uint64_t, unsigned>> listed(const std::vector<scan::Hit>& ends) {
  std::vector<std::tuple<std::uint32_t, std::uint64_t, unsigned>> list;
  for (const scan::Hit& hit : ends) {
    list.emplace_back(hit.id, hit.end, hit.distance);
  }
  return list;
}

}  // namespace

TEST_CASE("parts of ends are joined") {
  tests::RandomCases random(3);
  for (const std::size_t most : {0, 1, 100, 5000, 60000}) {
    for (int round = 0; round < 8; ++round) {
      // Few queries or many; a part may be empty, or have all ends.
      const std::size_t queries = random.chance(0.3) ? 1 : random.number(1, 5000);
      std::vector<std::vector<scan::Hit>> parts(random.number(1, 40));
      std::vector<scan::Hit> all;
      for (std::size_t p = 0; p < parts.size(); ++p) {
        const std::size_t count = random.chance(0.2) ? 0 : random.number(0, most);
        for (std::size_t n = 0; n < count; ++n) {
          parts[p].push_back({100000 * p + random.number(0, 99999),
                              static_cast<std::uint32_t>(random.number(0, queries - 1)),
                              static_cast<std::uint16_t>(random.number(0, 5))});
        }
        scan::sort_ends(parts[p]);
        all.insert(all.end(), parts[p].begin(), parts[p].end());
      }
      std::vector<scan::Hit> merged{{1, 2, 3}};
      scan::join_ends(parts, merged);
      scan::sort_ends(all);
      CAPTURE(most, round, queries, parts.size(), all.size());
      REQUIRE(listed(merged) == listed(all));
      REQUIRE(std::is_sorted(merged.begin(), merged.end(), [](const scan::Hit& a, const scan::Hit& b) {
        return std::pair(a.id, a.end) < std::pair(b.id, b.end);
      }));
    }
  }
}
