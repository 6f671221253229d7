#include "rescue/mate_overlap.hpp"

#include <algorithm>

#include "sequence/alphabet.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

// The rule letter by letter, for all lengths.
std::uint32_t length_by_hand(const std::string& first, const std::string& first_q, const std::string& second,
                             const std::string& second_q) {
  const auto a = static_cast<int>(first.size());
  const auto b = static_cast<int>(second.size());
  const int longer = std::max(a, b);
  int best = 0, next = 0, best_length = 0;
  for (int length = 16; length <= a + b - 16; ++length) {
    int points = 0, count = 0, differ = 0, differ_at_64 = 0;
    for (int i = std::max(0, length - b); i < std::min(length, a); ++i) {
      const int j = length - 1 - i;
      const bool fits = first[i] != 'N' && second[j] == sequence::complement_base(first[i]);
      const bool is_sure = first[i] != 'N' && second[j] != 'N' &&
                           (first_q.empty() || (first_q[i] >= '!' + 15 && second_q[j] >= '!' + 15));
      points += fits ? 1 : is_sure ? -4 : 0;
      differ += fits ? 0 : 1;
      ++count;
      if (count % 64 == 0 && 4 * differ > count) {
        differ_at_64 = 1;
      }
    }
    const int fewest = length < longer && longer - length < 6 ? count - 10 : 3 * count / 4;
    if (count < 16 || points < std::max(16, fewest) || 4 * differ > count || differ_at_64) {
      continue;
    }
    next = std::max(next, std::min(best, points));
    if (points > best) {
      best = points;
      best_length = length;
    }
  }
  return best_length < longer && best - next >= 12 ? static_cast<std::uint32_t>(best_length) : 0;
}

}  // namespace

TEST_CASE("mates show the length of their fragment, however little is behind it") {
  RandomCases cases(101);
  rescue::MateOverlap overlap;
  unsigned found = 0;
  for (std::uint32_t length = 16; length < 200; ++length) {
    const std::size_t sizes[2] = {150, cases.chance(0.5) ? 150 : cases.number(100, 180)};
    const std::string fragment = cases.bases(length);
    std::string mates[2] = {fragment + cases.bases(200), sequence::reverse_complement(fragment) + cases.bases(200)};
    std::string qualities[2];
    for (int m = 0; m < 2; ++m) {
      mates[m].resize(sizes[m]);
      qualities[m].assign(sizes[m], 'F');
    }
    const bool is_short = length < std::max(sizes[0], sizes[1]);
    INFO(length << " " << sizes[1]);
    CHECK(overlap.find(mates[0], qualities[0], mates[1], qualities[1]) == (is_short ? length : 0));
    if (is_short) {
      CHECK(overlap.fragment().bases == fragment);
      ++found;
    }
    CHECK(overlap.find(mates[0], "", mates[1], "") == (is_short ? length : 0));
  }
  CHECK(found > 130);
}

TEST_CASE("the base of the mate with the better quality is that of the fragment") {
  RandomCases cases(102);
  rescue::MateOverlap overlap;
  const std::string fragment = cases.bases(60);
  std::string first = fragment + cases.bases(30);
  std::string second = sequence::reverse_complement(fragment) + cases.bases(30);
  std::string first_q(90, 'F'), second_q(90, ':');
  first[50] = first[50] == 'A' ? 'C' : 'A';
  first_q[50] = '#';
  second[3] = 'N';                             // base 56
  second[20] = second[20] == 'A' ? 'C' : 'A';  // base 39
  REQUIRE(overlap.find(first, first_q, second, second_q) == 60);
  CHECK(overlap.fragment().bases == fragment);
  CHECK(overlap.fragment().qualities[0] == '!' + 37 + 25);  // both are right, or both are wrong
  CHECK(overlap.fragment().qualities[50] == '!' + 25 - 2);
  CHECK(overlap.fragment().qualities[56] == 'F');
  CHECK(overlap.fragment().qualities[39] == '!' + 37 - 25);
}

TEST_CASE("mates in a tandem repeat say nothing, and empty, short and long ones neither") {
  rescue::MateOverlap overlap;
  std::string repeat;
  while (repeat.size() < 150) {
    repeat += "GGAAT";
  }
  CHECK(overlap.find(repeat, "", sequence::reverse_complement(repeat), "") == 0);
  CHECK(overlap.find(std::string(150, 'A'), "", std::string(150, 'T'), "") == 0);
  CHECK(overlap.find(std::string(150, 'N'), "", std::string(150, 'N'), "") == 0);
  CHECK(overlap.find("", "", "", "") == 0);
  CHECK(overlap.find("ACGT", "", "ACGT", "") == 0);
  RandomCases cases(103);
  const std::string fragment = cases.bases(900);
  CHECK(overlap.find(fragment + cases.bases(150), "", sequence::reverse_complement(fragment) + cases.bases(150), "") ==
        0);
}

TEST_CASE("the length of a fragment is that of the rule letter by letter") {
  RandomCases cases(104);
  rescue::MateOverlap overlap;
  unsigned found = 0;
  for (int c = 0; c < 3000; ++c) {
    const std::string letters = cases.chance(0.3) ? "AC" : "ACGT";
    const auto bases = [&](std::size_t n) {
      std::string out;
      while (out.size() < n) {
        out += letters[cases.number(0, letters.size() - 1)];
      }
      return out;
    };
    std::string fragment = bases(cases.number(10, 180));
    if (cases.chance(0.2)) {
      const std::string unit = bases(cases.number(1, 60));
      while (fragment.size() < 200) {
        fragment += unit;
      }
      fragment.resize(cases.number(16, 200));
    }
    std::string mates[2] = {fragment + bases(100), sequence::reverse_complement(fragment) + bases(100)};
    std::string qualities[2];
    const bool has_qualities = cases.chance(0.5);
    const double errors = cases.chance(0.5) ? 0.01 : 0.1;
    for (int m = 0; m < 2; ++m) {
      mates[m].resize(std::min(mates[m].size(), cases.number(10, 160)));
      for (char& base : mates[m]) {
        base = cases.chance(errors) ? "ACGTN"[cases.number(0, 4)] : base;
        if (has_qualities) {
          qualities[m] += cases.chance(0.2) ? '#' : 'F';
        }
      }
    }
    const std::uint32_t expected = length_by_hand(mates[0], qualities[0], mates[1], qualities[1]);
    INFO(mates[0] << "\n" << mates[1]);
    REQUIRE(overlap.find(mates[0], qualities[0], mates[1], qualities[1]) == expected);
    found += expected > 0;
  }
  CHECK(found > 500);
}

TEST_CASE("mates in a tandem repeat fit with several lengths, and another sign says which one it is") {
  rescue::MateOverlap overlap;
  const std::string fragment = "ACACACACACACACACACACACACAC";
  const std::string first = fragment + "AGATCGGAAGAGCACACGTC",
                    second = sequence::reverse_complement(fragment) + "AGATCGGAAGAGC";
  CHECK(overlap.find(first, "", second, "") == 0);
  CHECK(overlap.fits_several());
  CHECK(overlap.take(26));
  CHECK(overlap.fragment().bases == fragment);
  CHECK_FALSE(overlap.take(25));
  CHECK_FALSE(overlap.take(8));
  CHECK(overlap.find("ACGGTATTCGACCATTGC", "", "TTTTTTTTTTTTTTTTTT", "") == 0);
  CHECK_FALSE(overlap.fits_several());
}
