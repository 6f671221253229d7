// distance() and align() against plain dynamic programming.
#include <hwy/targets.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "trawl/distance.hpp"

namespace {

using trawl::Mode;

// D of the last row, for each end in the target.
std::vector<std::int64_t> last_row(const std::string& query, const std::string& target, Mode mode) {
  std::vector<std::int64_t> column(query.size() + 1), ends;
  for (std::size_t i = 0; i <= query.size(); ++i) {
    column[i] = static_cast<std::int64_t>(i);
  }
  ends.push_back(column.back());
  for (std::size_t c = 0; c < target.size(); ++c) {
    std::int64_t diagonal = column[0];
    column[0] = mode == Mode::infix ? 0 : static_cast<std::int64_t>(c + 1);
    for (std::size_t i = 1; i <= query.size(); ++i) {
      const std::int64_t substituted = diagonal + (query[i - 1] == target[c] ? 0 : 1);
      diagonal = column[i];
      column[i] = std::min({substituted, column[i] + 1, column[i - 1] + 1});
    }
    ends.push_back(column.back());
  }
  return ends;
}

std::int64_t oracle(const std::string& query, const std::string& target, Mode mode, std::size_t& end) {
  const auto ends = last_row(query, target, mode);
  const auto best = mode == Mode::global ? ends.end() - 1 : std::min_element(ends.begin(), ends.end());
  end = static_cast<std::size_t>(best - ends.begin());
  return *best;
}

// The edits of a CIGAR; -1 if it does not fit the strings.
std::int64_t edits_of(const trawl::PairAlignment& a, const std::string& query, const std::string& target) {
  std::int64_t edits = 0;
  auto in_query = std::size_t{0}, in_target = static_cast<std::size_t>(a.start);
  for (const std::uint32_t element : a.cigar) {
    for (std::uint32_t k = 0; k < element >> 4; ++k) {
      const std::uint32_t op = element & 15;
      const bool takes_query = op != 2, takes_target = op != 1;
      if ((takes_query && in_query >= query.size()) || (takes_target && in_target >= target.size())) {
        return -1;
      }
      edits += !takes_query || !takes_target || query[in_query] != target[in_target] ? 1 : 0;
      in_query += takes_query ? 1 : 0;
      in_target += takes_target ? 1 : 0;
    }
  }
  return in_query == query.size() && in_target == static_cast<std::size_t>(a.end) ? edits : -1;
}

// Of the best alignments of all of both: from the end, a match, else a substitution, an insertion, a deletion.
std::string cigar_of_rule(const std::string& query, const std::string& target) {
  const std::size_t m = query.size(), n = target.size();
  std::vector<std::vector<int>> d(m + 1, std::vector<int>(n + 1));
  for (std::size_t i = 0; i <= m; ++i) {
    for (std::size_t c = 0; c <= n; ++c) {
      const int substituted = i > 0 && c > 0 ? d[i - 1][c - 1] + (query[i - 1] == target[c - 1] ? 0 : 1) : 1 << 30;
      const int beside = std::min(i > 0 ? d[i - 1][c] + 1 : 1 << 30, c > 0 ? d[i][c - 1] + 1 : 1 << 30);
      d[i][c] = i + c == 0 ? 0 : std::min(substituted, beside);
    }
  }
  std::string back;
  for (std::size_t i = m, c = n; i + c > 0;) {
    const bool same = i > 0 && c > 0 && query[i - 1] == target[c - 1];
    const bool both = same || (i > 0 && c > 0 && d[i][c] == d[i - 1][c - 1] + 1);
    const bool inserts = !both && i > 0 && d[i][c] == d[i - 1][c] + 1;
    back += both ? (same ? '=' : 'X') : inserts ? 'I' : 'D';
    i -= both || inserts ? 1 : 0;
    c -= both || !inserts ? 1 : 0;
  }
  std::string cigar;
  for (std::size_t k = back.size(); k > 0;) {
    const std::size_t first = back.find_last_not_of(back[k - 1], k - 1) + 1;
    cigar += std::to_string(k - first) + back[first];
    k = first;
  }
  return cigar;
}

std::string random_text(std::mt19937& random, std::size_t length, int letters) {
  std::string text(length, 'A');
  for (char& letter : text) {
    letter = "ACGTNXYZ"[random() % static_cast<unsigned>(letters)];
  }
  return text;
}

std::string with_edits(std::mt19937& random, std::string text, int edits) {
  for (int e = 0; e < edits; ++e) {
    const std::size_t at = text.empty() ? 0 : random() % text.size();
    switch (random() % 3) {
      case 0:
        text.insert(at, 1, "ACGT"[random() % 4]);
        break;
      case 1:
        text.erase(at, 1);
        break;
      default:
        text.replace(at, 1, 1, "ACGT"[random() % 4]);
    }
  }
  return text;
}

void check(const std::string& query, const std::string& target) {
  for (const Mode mode : {Mode::global, Mode::prefix, Mode::infix}) {
    std::size_t end = 0;
    const std::int64_t expected = oracle(query, target, mode, end);
    INFO("mode " << static_cast<int>(mode) << ", query " << query << ", target " << target);
    REQUIRE(trawl::distance(query, target, mode) == expected);
    REQUIRE(trawl::distance(query, target, mode, expected) == expected);
    if (expected > 0) {
      REQUIRE(trawl::distance(query, target, mode, expected - 1) == -1);
    }
    const trawl::PairAlignment found = trawl::align(query, target, mode);
    REQUIRE(found.distance == expected);
    REQUIRE(found.end == static_cast<std::int64_t>(end));
    REQUIRE(edits_of(found, query, target) == expected);
    if (mode != Mode::infix) {
      REQUIRE(found.start == 0);
    }
    const std::string part =
        target.substr(static_cast<std::size_t>(found.start), end - static_cast<std::size_t>(found.start));
    REQUIRE(trawl::cigar_text(trawl::align(query, target, mode, expected, true).cigar) == cigar_of_rule(query, part));
  }
}

}  // namespace

TEST_CASE("the distance and the alignment of two strings are those of the oracle", "[api][distance]") {
  constexpr unsigned seed = 29;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  SECTION("small ones, all kinds") {
    for (int round = 0; round < 3000; ++round) {
      const int letters = 1 + static_cast<int>(random() % 4);
      check(random_text(random, random() % 12, letters), random_text(random, random() % 12, letters));
    }
  }
  SECTION("around the borders of words") {
    for (int round = 0; round < 400; ++round) {
      const std::string query = random_text(random, 60 + random() % 75, 4);
      check(query, random_text(random, random() % 30, 4) + with_edits(random, query, static_cast<int>(random() % 20)) +
                       random_text(random, random() % 30, 4));
    }
  }
  SECTION("long ones, near and far") {
    for (int round = 0; round < 40; ++round) {
      const std::string query = random_text(random, 200 + random() % 600, 4);
      const int edits = static_cast<int>(random() % 200);
      check(query, with_edits(random, query, edits));
      check(query, random_text(random, random() % 900, 4));
    }
  }
  SECTION("strips of 512 rows: bands, their borders, long gaps, other letters") {
    for (int round = 0; round < 30; ++round) {
      const auto length = static_cast<std::size_t>(round % 3 == 0 ? 512 * (1 + random() % 4) : 900 + random() % 1700);
      const std::string query = random_text(random, length, 1 + static_cast<int>(random() % 8));
      std::string target = with_edits(random, query, static_cast<int>(random() % (round % 2 == 0 ? 40 : 900)));
      if (round % 4 == 1) {
        target.erase(random() % target.size(), random() % 600);
      } else if (round % 4 == 2) {
        target.insert(random() % target.size(), random_text(random, random() % 600, 4));
      }
      check(query, target);
    }
    std::string bytes(1500, 'A');
    for (char& letter : bytes) {
      letter = static_cast<char>(random() % 256);
    }
    check(bytes, with_edits(random, bytes, 100));
    check(random_text(random, 700, 4), random_text(random, 2500, 4));
    check(random_text(random, 2500, 4), random_text(random, 700, 4));
  }
  SECTION("repeats") {
    check(std::string(300, 'A'), std::string(280, 'A'));
    check(std::string(70, 'A') + "C" + std::string(70, 'A'), std::string(500, 'A'));
    check(std::string(1300, 'A'), std::string(700, 'A') + "C" + std::string(900, 'A'));
    check(std::string(1030, 'A'), std::string(1030, 'C'));
  }
}

TEST_CASE("each instruction set of this machine finds the distance and the alignment", "[api][distance]") {
  std::mt19937 random(11);
  for (std::int64_t targets = hwy::SupportedTargets(); targets != 0; targets &= targets - 1) {
    hwy::SetSupportedTargetsForTest(targets & -targets);
    INFO(hwy::TargetName(targets & -targets));
    for (const int letters : {3, 4, 8}) {
      const std::string query = random_text(random, 700 + random() % 900, letters);
      check(query, with_edits(random, query, 150));
      check(query + "0123456789", random_text(random, 1100, letters));
    }
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST_CASE("an alignment whose rows do not fit the memory is the same", "[api][distance]") {
  std::mt19937 random(7);
  // Far apart, so that the rows between strips are wide: those of 160,000 letters take more than 8 MB.
  const std::string query = random_text(random, 160000, 4);
  const std::string target = random_text(random, 158000, 4);
  const trawl::PairAlignment found = trawl::align(query, target);
  CHECK(found.distance == trawl::distance(query, target));
  CHECK(edits_of(found, query, target) == found.distance);
  CHECK(trawl::distance(query, target, Mode::global, found.distance - 1) == -1);
  // Equal letters: the rows are narrow, but what follows the end of the path is as near.
  const trawl::PairAlignment runs = trawl::align(std::string(90000, 'A'), std::string(45000, 'A'));
  CHECK(trawl::cigar_text(runs.cigar) == "45000I45000M");
  // The other way round, insertions are deletions.
  CHECK(trawl::align(target, query).distance == found.distance);
}
