// The CPU search finds the oracle's loci, for any reads, any reference and each way of searching.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "map/column_scan.hpp"
#include "map/loci_finder.hpp"
#include "tests/alignment_oracle.hpp"
#include "tests/catch.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

using Found = std::tuple<bool, std::uint64_t, int>;  // reverse, end in the coordinate space, distance

struct Query {
  std::string bases;
  std::uint32_t max_edits;
  std::uint32_t allowed_edits = 0;  // if more than max_edits
};

std::vector<Found> oracle(const std::vector<std::string>& contigs, const sequence::Reference& reference,
                          const Query& query, match::AmbiguityRule rule) {
  std::vector<Found> loci;
  for (const bool reverse : {false, true}) {
    const std::string read = reverse ? sequence::reverse_complement(query.bases) : query.bases;
    for (std::size_t c = 0; c < contigs.size(); ++c) {
      const auto is_end = [&](std::size_t end) {
        return rule == match::AmbiguityRule::matches_nothing ||
               !tests::leans_on_ambiguous(contigs[c], end - std::min(end, read.size()), end, read.size(),
                                          query.max_edits);
      };
      for (const auto& locus : match::oracle_loci(read, contigs[c], static_cast<int>(query.max_edits), rule, is_end)) {
        loci.emplace_back(reverse, reference.contigs()[c].offset + locus.end - 1, locus.distance);
      }
    }
  }
  return loci;
}

struct Searched {
  std::vector<std::vector<Found>> loci;  // of each query
  std::vector<bool> proven;
};

Searched search(const sequence::Reference& reference, const seed::SeedIndex& index, const map::MapOptions& options,
                const std::vector<Query>& queries) {
  std::vector<sequence::EncodedRead> encoded(2 * queries.size());
  std::vector<map::Strand> strands;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    encoded[2 * q].encode(queries[q].bases, options.ambiguous == map::Ambiguous::match);
    encoded[2 * q + 1].encode_reverse_complement(encoded[2 * q]);
    const std::uint32_t allowed = std::max(queries[q].allowed_edits, queries[q].max_edits);
    strands.push_back({&encoded[2 * q], queries[q].max_edits, allowed});
    strands.push_back({&encoded[2 * q + 1], queries[q].max_edits, allowed});
  }
  map::LociFinder finder(reference, index, options);
  finder.find(strands);
  Searched searched{std::vector<std::vector<Found>>(queries.size()), std::vector<bool>(queries.size())};
  std::vector<std::size_t> left;
  std::vector<map::Strand> left_strands;
  const auto gather = [&](std::size_t q, std::size_t strand) {
    for (const std::size_t s : {strand, strand + 1}) {
      for (const auto& locus : finder.loci(s)) {
        searched.loci[q].emplace_back(locus.reverse, locus.end, locus.distance);
      }
    }
    searched.proven[q] = finder.proven(strand) && finder.proven(strand + 1);
  };
  for (std::size_t q = 0; q < queries.size(); ++q) {
    REQUIRE(finder.left_to_scan(2 * q) == finder.left_to_scan(2 * q + 1));
    if (finder.left_to_scan(2 * q)) {
      left.push_back(q);
      left_strands.push_back(strands[2 * q]);
      left_strands.push_back(strands[2 * q + 1]);
    } else {
      gather(q, 2 * q);
    }
  }
  finder.scan(left_strands);
  for (std::size_t i = 0; i < left.size(); ++i) {
    gather(left[i], 2 * i);
  }
  return searched;
}

std::string text_of(const std::vector<Found>& loci) {
  std::string text;
  for (const auto& [reverse, end, distance] : loci) {
    text += (reverse ? "-" : "+") + std::to_string(end) + ':' + std::to_string(distance) + ' ';
  }
  return text;
}

void check_cases(std::uint64_t seed, std::size_t cases, double ambiguity, map::MapOptions options,
                 std::size_t longest_read, std::size_t largest_distance) {
  CAPTURE(seed);
  tests::RandomCases random(seed);
  const auto rule = options.ambiguous == map::Ambiguous::match ? match::AmbiguityRule::matches_its_set
                                                               : match::AmbiguityRule::matches_nothing;
  for (std::size_t n = 0; n < cases; ++n) {
    CAPTURE(n);
    const auto contigs = random.contigs(ambiguity);
    const auto reference = tests::make_reference(contigs);
    const unsigned q = static_cast<unsigned>(random.number(seed::SeedIndex::kMinQ, 10));
    const std::uint64_t shard = random.chance(0.3) ? random.number(64, 1000) : std::uint64_t{1} << 30;
    const seed::SeedIndex index(reference, q, static_cast<unsigned>(random.number(1, 2)), shard);
    std::vector<Query> queries;
    for (std::size_t r = random.number(1, 12); r > 0; --r) {
      const auto edits =
          random.number(0, random.chance(0.7) ? std::min<std::size_t>(6, largest_distance) : largest_distance);
      const auto length = random.number(edits + 1, random.chance(0.7) ? edits + 120 : longest_read);
      Query query{random.read(contigs, length, edits, ambiguity), static_cast<std::uint32_t>(edits)};
      if (query.bases.size() > edits) {
        queries.push_back(query);
      }
    }
    options.report = map::Report::all;
    const auto found = search(reference, index, options, queries);
    for (std::size_t r = 0; r < queries.size(); ++r) {
      CAPTURE(r, queries[r].bases, queries[r].max_edits, q, shard);
      REQUIRE(found.proven[r]);
      REQUIRE(text_of(found.loci[r]) == text_of(oracle(contigs, reference, queries[r], rule)));
    }
  }
}

}  // namespace

TEST_CASE("seeds find all loci and nothing else") {
  map::MapOptions options;
  options.search = map::SearchMethod::seeds;
  SECTION("between plain bases") { check_cases(1, 1500, 0.0, options, 300, 31); }
  SECTION("between ambiguous bases") { check_cases(2, 1500, 0.01, options, 300, 31); }
  SECTION("at distances beyond the widest band") { check_cases(3, 100, 0.002, options, 600, 90); }
  SECTION("of long reads") { check_cases(4, 60, 0.001, options, 1100, 40); }
  SECTION("where ambiguous bases match") {
    options.ambiguous = map::Ambiguous::match;
    check_cases(7, 500, 0.01, options, 200, 20);
  }
}

TEST_CASE("the scan finds all loci and nothing else") {
  map::MapOptions options;
  options.search = map::SearchMethod::scan;
  check_cases(5, 800, 0.01, options, 300, 40);
  options.ambiguous = map::Ambiguous::match;
  check_cases(8, 300, 0.01, options, 200, 20);
}

TEST_CASE("choosing between seeds and scan loses nothing") { check_cases(6, 800, 0.005, map::MapOptions{}, 200, 20); }

TEST_CASE("a search for fewer edits than allowed shows the loci of the full search, or says that it may not") {
  tests::RandomCases random(9);
  std::size_t proven = 0;
  std::size_t unproven = 0;
  for (int n = 0; n < 700; ++n) {
    auto contigs = random.contigs(0);
    if (random.chance(0.5)) {
      // A tandem repeat: only here can neighbouring runs of ends be parts of one run.
      const std::string unit = random.bases(random.number(2, 40));
      std::string repeat;
      while (repeat.size() < 600) {
        repeat += random.chance(0.3) ? random.read({unit}, unit.size(), 2, 0) : unit;
      }
      contigs.push_back(repeat);
    }
    const auto reference = tests::make_reference(contigs);
    const seed::SeedIndex index(reference, 8, 1);
    map::MapOptions options;
    options.report = map::Report::all;
    options.search = random.chance(0.8) ? map::SearchMethod::seeds : map::SearchMethod::scan;
    std::vector<Query> queries;
    std::vector<Query> full;
    for (std::size_t r = random.number(1, 10); r > 0; --r) {
      const auto allowed = static_cast<std::uint32_t>(random.number(1, random.chance(0.8) ? 8 : 31));
      const auto edits = static_cast<std::uint32_t>(random.number(0, std::min(allowed - 1, 4u)));
      const std::string bases = random.read(contigs, random.number(allowed + 1, allowed + 120), edits, 0);
      if (bases.size() > allowed) {
        queries.push_back({bases, edits, allowed});
        full.push_back({bases, allowed});
      }
    }
    const auto found = search(reference, index, options, queries);
    for (std::size_t r = 0; r < queries.size(); ++r) {
      (found.proven[r] ? proven : unproven) += 1;
      if (found.proven[r]) {
        auto expected = oracle(contigs, reference, full[r], match::AmbiguityRule::matches_nothing);
        std::erase_if(expected,
                      [&](const Found& f) { return std::get<2>(f) > static_cast<int>(queries[r].max_edits); });
        CAPTURE(n, r, queries[r].bases, queries[r].max_edits, queries[r].allowed_edits);
        REQUIRE(text_of(found.loci[r]) == text_of(expected));
      }
    }
  }
  CHECK(proven > 10 * unproven);
  CHECK(unproven > 20);
}

TEST_CASE("every instruction set finds the same loci") {
  tests::on_all_targets([] {
    map::MapOptions options;
    options.search = map::SearchMethod::seeds;
    check_cases(11, 100, 0.005, options, 300, 31);
    options.search = map::SearchMethod::scan;
    check_cases(12, 30, 0.01, options, 300, 31);
  });
}

namespace {

// The distances of whole columns, cell by cell (Sellers 1980).
std::vector<std::int64_t> last_row(const sequence::EncodedRead& read, const sequence::TextWindow& window) {
  std::vector<std::int64_t> column(read.length() + 1), distances;
  std::iota(column.begin(), column.end(), std::int64_t{0});
  for (std::size_t j = 0; j < window.length(); ++j) {
    std::int64_t diagonal = 0;
    for (std::size_t i = 0; i < read.length(); ++i) {
      const std::int64_t across = diagonal + ((read.set(i) & window.set_at(j)) == 0 ? 1 : 0);
      diagonal = column[i + 1];
      column[i + 1] = std::min({across, column[i] + 1, diagonal + 1});
    }
    distances.push_back(column.back());
  }
  return distances;
}

}  // namespace

TEST_CASE("in a band of diagonals, long reads have the distances of whole columns") {
  tests::RandomCases random(3307);
  std::size_t found = 0;
  for (int n = 0; n < 300; ++n) {
    const std::size_t edits = random.number(0, 40);
    const std::size_t shift = random.number(0, 50);
    const std::string contig = random.bases(300) + random.contig(random.number(200, 1500), 0.002) + random.bases(300);
    const std::size_t at = random.number(edits, 290);
    const std::string bases = random.mutate(contig.substr(at, random.number(1, 1200)), edits);
    if (bases.empty()) {
      continue;
    }
    const auto reference = tests::make_reference({contig});
    sequence::EncodedRead read;
    read.encode(bases, false);
    sequence::TextWindow window;
    const std::size_t width = 2 * edits + shift;
    window.load(reference, static_cast<std::int64_t>(reference.contigs()[0].offset + at - edits), bases.size() + width,
                false);
    map::ColumnScan scan;
    scan.start(read);
    const std::vector<std::int64_t> whole = last_row(read, window);
    std::vector<std::int64_t> band(window.length(), INT64_MAX);
    scan.run(window, width, [&](std::size_t j, std::int64_t distance) { band[j] = distance; });
    const auto most = static_cast<std::int64_t>(edits);
    for (std::size_t j = 0; j < whole.size(); ++j) {
      CHECK(band[j] >= whole[j]);
    }
    const auto best = std::min_element(whole.begin(), whole.end());
    if (bases.size() > 4 * width && *best <= most) {
      CHECK(band[static_cast<std::size_t>(best - whole.begin())] == *best);
      ++found;
    }
  }
  CHECK(found > 50);
}
