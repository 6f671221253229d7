// The row-wise scan of a whole reference, on every instruction set of this machine, gives the oracle's distances.
#include "scan/find/wu_manber_scan.hpp"

#include <algorithm>
#include <tuple>

#include "tests/catch.hpp"
#include "tests/finder_ends.hpp"
#include "tests/on_all_targets.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using match::RowKind;

namespace {

std::vector<scan::PatternRow> rows_of(const std::string& pattern, RowKind kind) {
  std::vector<scan::PatternRow> rows;
  for (const char c : pattern) {
    rows.push_back({sequence::iupac_set(c), kind});
  }
  return rows;
}

using tests::Ends;

// Leaves out what the scan's caller must remove: ends in gaps, Hamming windows across a contig's start, ends that lean
// on too many ambiguous letters.
bool is_kept(const scan::Hit& hit, const std::vector<std::string>& contigs, const sequence::Reference& reference,
             std::size_t length, unsigned k, bool hamming, bool ambiguous_matches) {
  const std::size_t c = reference.contig_at(hit.end);
  const auto& contig = reference.contigs()[c];
  if (hit.end < contig.offset || hit.end >= contig.offset + contig.length) {
    return false;
  }
  const std::uint64_t end = hit.end - contig.offset + 1;
  if (hamming && end < length) {
    return false;
  }
  return !ambiguous_matches || !tests::leans_on_ambiguous(contigs[c], end - std::min(end, length), end, length, k);
}

void check(const std::vector<std::string>& contigs, const std::vector<std::string>& patterns, unsigned k, bool hamming,
           bool ambiguous_matches, std::uint64_t begin, std::uint64_t end) {
  const auto reference = tests::make_reference(contigs);
  std::vector<scan::ProgramSearch> searches;
  for (std::uint32_t p = 0; p < patterns.size(); ++p) {
    searches.push_back({p, rows_of(patterns[p], hamming ? RowKind::mismatches : RowKind::edits)});
  }
  std::vector<scan::WuManberProgram> programs;
  programs.emplace_back(k, searches);
  Ends expected = tests::oracle_ends(contigs, reference, patterns, k, hamming, ambiguous_matches);
  end = std::min(end, reference.size());
  std::erase_if(expected, [&](const auto& entry) { return entry.first.second < begin || entry.first.second >= end; });
  std::vector<scan::Hit> hits;
  scan::WuManberScanOptions options;
  options.ambiguous_matches = ambiguous_matches;
  REQUIRE(scan::wu_manber_scan(reference, programs, options, begin, end, hits) == end);
  Ends found;
  for (const auto& hit : hits) {
    if (is_kept(hit, contigs, reference, patterns[hit.id].size(), k, hamming, ambiguous_matches)) {
      REQUIRE(found.emplace(std::pair(hit.id, hit.end), hit.distance).second);
    }
  }
  REQUIRE(found == expected);
}

void check_random(std::uint64_t seed, std::size_t longest, unsigned most_edits, std::size_t most_patterns, int cases) {
  tests::RandomCases random(seed);
  for (int n = 0; n < cases; ++n) {
    const double ambiguity = random.chance(0.5) ? 0.005 : 0;
    const auto contigs = random.contigs(ambiguity);
    const auto k = static_cast<unsigned>(random.number(0, most_edits));
    std::vector<std::string> patterns;
    for (std::size_t p = random.number(1, most_patterns); p > 0; --p) {
      std::string pattern = random.read(contigs, random.number(k + 1, std::max<std::size_t>(longest, k + 1)), k,
                                        random.chance(0.3) ? 0.1 : 0);
      if (!patterns.empty() && random.chance(0.4)) {
        const std::string& other = patterns[random.number(0, patterns.size() - 1)];
        pattern = other.substr(0, random.number(0, other.size())) + pattern;
        pattern.resize(std::min(pattern.size(), longest));
      }
      if (pattern.size() > k) {
        patterns.push_back(pattern);
      }
    }
    if (patterns.empty()) {
      continue;
    }
    const bool hamming = random.chance(0.4);
    const bool ambiguous_matches = random.chance(0.3);
    CAPTURE(n, k, patterns, hamming, ambiguous_matches);
    check(contigs, patterns, k, hamming, ambiguous_matches, 0, ~std::uint64_t{0});
    check(contigs, patterns, k, hamming, ambiguous_matches, scan::kStretchUnit, 2 * scan::kStretchUnit);
  }
}

}  // namespace

TEST_CASE("the scan gives the oracle's ends: short patterns") {
  tests::on_all_targets([] { check_random(71, 40, 5, 12, 60); });
}

TEST_CASE("the scan gives the oracle's ends: long patterns, many edits") {
  tests::on_all_targets([] { check_random(72, 300, 16, 2, 25); });
  tests::on_all_targets([] { check_random(75, 1024, 16, 2, 8); });
}

TEST_CASE("a scan that stops at its most hits goes on where it stopped") {
  tests::RandomCases random(76);
  const std::string text = random.contig(60000, 0);
  const auto reference = tests::make_reference({text});
  std::vector<scan::WuManberProgram> programs;
  programs.emplace_back(1, std::vector<scan::ProgramSearch>{{0, rows_of("ACGTA", RowKind::edits)},
                                                            {1, rows_of("ACTTG", RowKind::edits)}});
  const auto key = [](const scan::Hit& hit) { return std::tuple(hit.end, hit.id, hit.distance); };
  const auto sort = [&](std::vector<scan::Hit>& hits) {
    std::sort(hits.begin(), hits.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  };
  tests::on_all_targets([&] {
    std::vector<scan::Hit> all;
    const std::uint64_t end = reference.size();
    REQUIRE(scan::wu_manber_scan(reference, programs, {}, 0, end, all) == end);
    sort(all);
    std::vector<scan::Hit> in_pieces;
    std::size_t slices = 0;
    for (std::uint64_t at = 0; at < end; ++slices) {
      const std::size_t before = in_pieces.size();
      scan::WuManberScanOptions few;
      few.most_hits = 50;
      const std::uint64_t next = scan::wu_manber_scan(reference, programs, few, at, end, in_pieces);
      REQUIRE(next > at);
      REQUIRE((next == end || in_pieces.size() >= before + 50));
      at = next;
    }
    REQUIRE(slices > 3);
    sort(in_pieces);
    REQUIRE(std::equal(all.begin(), all.end(), in_pieces.begin(), in_pieces.end(),
                       [&](const auto& a, const auto& b) { return key(a) == key(b); }));
  });
}

TEST_CASE("long runs of N, and what lies behind them") {
  tests::RandomCases random(73);
  const std::string pattern = random.bases(30);
  tests::on_all_targets([&] {
    for (const bool ambiguous_matches : {false, true}) {
      for (const std::size_t run : {100, 4096, 20000}) {
        std::string contig = random.bases(5000) + pattern + std::string(run, 'N') + pattern + random.bases(100);
        check({contig, std::string(9000, 'N'), "RYN" + pattern}, {pattern, "NNA", "TNN"}, 2, false, ambiguous_matches,
              0, ~std::uint64_t{0});
      }
    }
  });
}

TEST_CASE("a match at every offset of a block") {
  tests::RandomCases random(74);
  const std::string pattern = random.bases(21);
  const std::string left = random.bases(4200), right = random.bases(300);
  tests::on_all_targets([&] {
    for (std::size_t offset = 0; offset<4200; offset += offset % 512> 40 && offset % 512 < 470 ? 43 : 1) {
      check({left.substr(0, offset) + random.mutate(pattern, 2) + right}, {pattern}, 2, false, false, 0,
            ~std::uint64_t{0});
    }
  });
}
