// Shift-Or and Wu-Manber as scans: the operators are associative, and scan = columns = oracle.
#include <algorithm>

#include "match/cascade_on_host.hpp"
#include "match/levenshtein.hpp"
#include "match/rows_on_host.hpp"
#include "match/streamed_on_host.hpp"
#include "match/wu_manber.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using match::Segments;

namespace {

// Plain dynamic programming over any bytes: whether a match with at most `max_edits` edits ends at each position.
std::vector<std::uint8_t> oracle_ends(std::string_view text, std::string_view pattern, int max_edits) {
  std::vector<int> column(pattern.size() + 1);
  for (std::size_t i = 0; i <= pattern.size(); ++i) {
    column[i] = static_cast<int>(i);
  }
  std::vector<std::uint8_t> ends;
  for (const char t : text) {
    int diagonal = 0;
    for (std::size_t i = 1; i <= pattern.size(); ++i) {
      const int substituted = diagonal + (pattern[i - 1] != t);
      diagonal = column[i];
      column[i] = std::min({substituted, column[i] + 1, column[i - 1] + 1});
    }
    ends.push_back(column.back() <= max_edits);
  }
  return ends;
}

template <class Word>
match::WuManberRun<Word> random_run(tests::RandomCases& random) {
  const auto word = [&] { return static_cast<Word>(random.number(0, ~std::size_t{0})); };
  return {word(), word()};
}

template <class Word>
void check_associative(std::uint64_t seed) {
  tests::RandomCases random(seed);
  for (int n = 0; n < 5000; ++n) {
    const auto a = random_run<Word>(random), b = random_run<Word>(random), c = random_run<Word>(random);
    const auto ub = static_cast<unsigned>(random.number(0, 80)), uc = static_cast<unsigned>(random.number(0, 80));
    const auto left = a.then(b, ub).then(c, uc);
    const auto right = a.then(b.then(c, uc), ub + uc);
    REQUIRE(left.x == right.x);
    REQUIRE(left.y == right.y);
    const match::ShiftOrRun<Word> ea{a.x}, eb{b.x}, ec{c.x};
    REQUIRE(ea.then(eb, ub).then(ec, uc).mask == ea.then(eb.then(ec, uc), ub + uc).mask);
    // Composing and applying agree.
    const Word column = static_cast<Word>(random.number(0, ~std::size_t{0}));
    const auto ua = static_cast<unsigned>(random.number(0, 80));
    REQUIRE(b.apply(a.apply(column, ua), ub) == a.then(b, ub).apply(column, ua + ub));
  }
}

// Hostile texts: runs, tandem repeats, the pattern itself at the borders, few and many letters.
std::string hostile_text(tests::RandomCases& random, const std::string& pattern, std::size_t length, unsigned sigma) {
  std::string text;
  while (text.size() < length) {
    switch (random.number(0, 4)) {
      case 0:
        text += std::string(random.number(1, 90), pattern[random.number(0, pattern.size() - 1)]);
        break;
      case 1:
        text += pattern;
        break;
      case 2:
        text += random.mutate(pattern, random.number(1, 4));
        break;
      default:
        for (std::size_t k = random.number(1, 100); k > 0; --k) {
          text += static_cast<char>(random.number(0, sigma - 1));
        }
    }
  }
  text.resize(length);
  return text;
}

template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards>
void check_cascade(tests::RandomCases& random) {
  constexpr std::size_t bits = 8 * sizeof(Word);
  constexpr std::size_t longest = kWildcards ? bits - kAlpha + 1 : bits;
  for (int n = 0; n < 20; ++n) {
    const unsigned sigma = random.chance(0.5) ? 4 : random.chance(0.5) ? 2 : 256;
    const std::size_t m = random.chance(0.2) ? longest : random.chance(0.1) ? 1 : random.number(1, longest);
    std::string pattern;
    while (pattern.size() < m) {
      pattern += static_cast<char>(random.number(0, sigma - 1));
    }
    const std::size_t length = random.chance(0.1)   ? m
                               : random.chance(0.1) ? random.number(1, m)
                                                    : random.number(1, 3000);
    const std::string text = hostile_text(random, pattern, length, sigma);
    const auto expected = oracle_ends(text, pattern, kEdits);
    const unsigned warps = static_cast<unsigned>(random.number(32 * kAlpha < 96 ? 4 : 1, 8)) + 1;
    CAPTURE(bits, kAlpha, kEdits, kWildcards, m, length, sigma, warps);
    REQUIRE((match::cascade_on_host<Word, kAlpha, kEdits, kWildcards>(text, pattern, Segments::disjoint, warps) ==
             expected));
    REQUIRE((match::streamed_on_host<Word, kAlpha, kEdits, kWildcards>(text, pattern, warps) == expected));
    if (32 * kAlpha > match::halo_length(static_cast<unsigned>(m), kEdits)) {
      REQUIRE((match::cascade_on_host<Word, kAlpha, kEdits, kWildcards>(text, pattern, Segments::overlapping, warps) ==
               expected));
    }
  }
}

template <class Word, unsigned kEdits>
void check_alphas(tests::RandomCases& random) {
  check_cascade<Word, 1, kEdits, false>(random);
  check_cascade<Word, 2, kEdits, false>(random);
  check_cascade<Word, 4, kEdits, false>(random);
  check_cascade<Word, 8, kEdits, false>(random);
  check_cascade<Word, 16, kEdits, false>(random);
  check_cascade<Word, 2, kEdits, true>(random);
  check_cascade<Word, 4, kEdits, true>(random);
  check_cascade<Word, 8, kEdits, true>(random);
  check_cascade<Word, 16, kEdits, true>(random);
}

template <class Word>
void check_edits(std::uint64_t seed) {
  tests::RandomCases random(seed);
  check_alphas<Word, 0>(random);
  check_alphas<Word, 1>(random);
  check_alphas<Word, 2>(random);
  check_alphas<Word, 3>(random);
  check_alphas<Word, 5>(random);
  check_alphas<Word, 8>(random);
}

}  // namespace

TEST_CASE("both operators are associative") {
  check_associative<std::uint32_t>(41);
  check_associative<std::uint64_t>(42);
}

TEST_CASE("rows by warp give the oracle's ends") {
  tests::RandomCases random(46);
  for (int n = 0; n < 200; ++n) {
    const unsigned sigma = random.chance(0.5) ? 4 : random.chance(0.5) ? 2 : 256;
    const std::size_t m = random.number(1, random.chance(0.8) ? 70 : 700);
    std::string pattern;
    while (pattern.size() < m) {
      pattern += static_cast<char>(random.number(0, sigma - 1));
    }
    const auto k = static_cast<unsigned>(random.number(0, random.chance(0.8) ? 8 : m + 2));
    const std::size_t length = random.chance(0.1) ? m : random.number(1, 4000);
    const std::string text = hostile_text(random, pattern, length, sigma);
    const std::size_t stretch = random.number(1, 4);
    CAPTURE(m, k, sigma, length, stretch);
    REQUIRE((match::rows_on_host(text, pattern, k, stretch) == oracle_ends(text, pattern, static_cast<int>(k))));
  }
}

TEST_CASE("the exact cascade gives the oracle's ends") {
  tests::RandomCases random(45);
  for (unsigned m = 1; m <= 64; ++m) {
    for (const unsigned sigma : {1u, 2u, 4u, 256u}) {
      std::string pattern;
      while (pattern.size() < m) {
        pattern += static_cast<char>(random.number(0, sigma - 1));
      }
      const std::size_t length = random.chance(0.1) ? random.number(1, m) : random.number(1, 6000);
      const std::string text = hostile_text(random, pattern, length, sigma);
      const std::size_t stretch = random.number(1, 6);
      CAPTURE(m, sigma, length, stretch);
      REQUIRE((match::exact_on_host(text, pattern, stretch) == oracle_ends(text, pattern, 0)));
    }
  }
}

TEST_CASE("the cascade gives the oracle's ends, words of 32 bits") { check_edits<std::uint32_t>(43); }

TEST_CASE("the cascade gives the oracle's ends, words of 64 bits") { check_edits<std::uint64_t>(44); }
