// Each bit-parallel recurrence gives the oracle's distances.
#include <algorithm>

#include "match/banded_myers.hpp"
#include "match/fewest_gaps.hpp"
#include "match/myers.hpp"
#include "tests/alignment_oracle.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

struct Case {
  std::string pattern;
  std::string text;
  std::vector<int> distances;
};

Case make_case(tests::RandomCases& random, std::size_t longest) {
  Case c;
  c.text = random.chance(0.05) ? std::string() : random.contig(random.number(1, 400), random.chance(0.3) ? 0.02 : 0);
  c.pattern = c.text.size() > 1 && random.chance(0.1)
                  ? c.text.substr(0, std::min(c.text.size(), longest))
                  : random.read({c.text + "A"}, random.number(1, longest), 4, random.chance(0.3) ? 0.02 : 0);
  c.pattern.resize(std::min(std::max<std::size_t>(c.pattern.size(), 1), longest), 'A');
  c.distances = match::end_distances(c.pattern, c.text);
  return c;
}

// Bit i: pattern character i matches `c`.
template <class Word>
Word rows_that_match(const std::string& pattern, char c, std::size_t first = 0) {
  Word rows = 0;
  for (std::size_t i = first; i < std::min(pattern.size(), first + 8 * sizeof(Word)); ++i) {
    rows |= static_cast<Word>(static_cast<Word>(match::letters_match(pattern[i], c)) << (i - first));
  }
  return rows;
}

template <class Word>
void check_columns(std::uint64_t seed) {
  constexpr std::size_t bits = 8 * sizeof(Word);
  tests::RandomCases random(seed);
  for (int n = 0; n < 2000; ++n) {
    const Case c = make_case(random, bits);
    CAPTURE(seed, n, c.pattern, c.text);
    const auto m = static_cast<unsigned>(c.pattern.size());
    match::MyersWord<Word> column;
    int distance = static_cast<int>(m);
    const Word last_row = static_cast<Word>(Word{1} << (m - 1));
    for (std::size_t j = 0; j < c.text.size(); ++j) {
      const Word eq = rows_that_match<Word>(c.pattern, c.text[j]);
      distance += match::myers_step(column, eq, 0, last_row);
      REQUIRE(distance == c.distances[j + 1]);
    }
  }
}

}  // namespace

TEST_CASE("Myers in one word") {
  check_columns<std::uint8_t>(11);
  check_columns<std::uint16_t>(12);
  check_columns<std::uint32_t>(13);
  check_columns<std::uint64_t>(14);
}

TEST_CASE("Myers in several words") {
  tests::RandomCases random(15);
  for (int n = 0; n < 400; ++n) {
    const Case c = make_case(random, 1100);
    CAPTURE(n, c.pattern, c.text);
    const unsigned words = static_cast<unsigned>((c.pattern.size() + 63) / 64);
    std::vector<match::MyersWord<std::uint64_t>> columns(words);
    std::vector<std::uint64_t> eq(words);
    int distance = static_cast<int>(c.pattern.size());
    for (std::size_t j = 0; j < c.text.size(); ++j) {
      for (unsigned w = 0; w < words; ++w) {
        eq[w] = rows_that_match<std::uint64_t>(c.pattern, c.text[j], 64 * w);
      }
      distance +=
          match::myers_step(columns.data(), eq.data(), words, std::uint64_t{1} << ((c.pattern.size() - 1) % 64));
      REQUIRE(distance == c.distances[j + 1]);
    }
  }
}

TEST_CASE("the band is exact where the best alignment stays inside, and never too small") {
  tests::RandomCases random(16);
  for (int n = 0; n < 3000; ++n) {
    const Case c = make_case(random, 200);
    if (c.text.empty()) {
      continue;
    }
    const auto m = static_cast<std::int64_t>(c.pattern.size());
    const std::int64_t begin = static_cast<std::int64_t>(random.number(0, c.text.size() + 20)) - m / 2;
    CAPTURE(n, c.pattern, c.text, begin);
    match::BandState<std::uint16_t> state;
    int distance = static_cast<int>(m);
    for (std::int64_t i = 0; i < m; ++i) {
      std::uint16_t eq = 0;
      for (int bit = 0; bit < 16; ++bit) {
        const std::int64_t at = begin + i + bit;
        if (at >= 0 && at < static_cast<std::int64_t>(c.text.size()) &&
            match::letters_match(c.pattern[static_cast<std::size_t>(i)], c.text[static_cast<std::size_t>(at)])) {
          eq = static_cast<std::uint16_t>(eq | 1u << bit);
        }
      }
      distance -= match::banded_row(match::PlainOps<std::uint16_t>{}, state, eq).d0 & 1;
    }
    for (int bit = 0; bit < 16; ++bit) {
      const std::int64_t end = begin + m - 1 + bit;
      if (end >= 0 && end < static_cast<std::int64_t>(c.text.size())) {
        const int exact = c.distances[static_cast<std::size_t>(end) + 1];
        REQUIRE(distance >= exact);
        if (exact <= std::min(bit, 15 - bit)) {
          REQUIRE(distance == exact);
        }
      }
      distance += ((state.vp >> bit) & 1) - ((state.vn >> bit) & 1);
    }
  }
}

TEST_CASE("the oracle's own examples") {
  REQUIRE(match::end_distances("ACGT", "TTACTTT") == std::vector<int>{4, 3, 3, 3, 2, 1, 1, 2});
  REQUIRE(match::oracle_loci("ACGT", "TTACTTT", 1) == std::vector<match::OracleLocus>{{5, 6, 5, 1}});
  REQUIRE(match::oracle_loci("AC", "ACGT", 2).empty());
  REQUIRE(match::edit_distance("kitten", "") == 6);
  REQUIRE_FALSE(match::letters_match('N', 'N'));
  REQUIRE(match::letters_match('N', 'A', match::AmbiguityRule::matches_its_set));
  REQUIRE_FALSE(match::letters_match('R', 'C', match::AmbiguityRule::matches_its_set));
}
