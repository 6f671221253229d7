// Shift-Or and Wu-Manber as scans: the operators are associative, and the scan gives what the columns of plain dynamic
// programming give.
#include "matchers/cushiftor_on_host.hpp"
#include "matchers/cushiftor_streamed_on_host.hpp"
#include "matchers/sequential.hpp"
#include "tests/catch.hpp"
#include "tests/hostile_text.hpp"

using namespace trawl;
using matchers::Segments;

namespace {

template <class Word>
matchers::WuManberRun<Word> random_run(tests::RandomCases& random) {
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
    const matchers::ShiftOrRun<Word> ea{a.x}, eb{b.x}, ec{c.x};
    REQUIRE(ea.then(eb, ub).then(ec, uc).mask == ea.then(eb.then(ec, uc), ub + uc).mask);
    // Composing and applying agree.
    const Word column = static_cast<Word>(random.number(0, ~std::size_t{0}));
    const auto ua = static_cast<unsigned>(random.number(0, 80));
    REQUIRE(b.apply(a.apply(column, ua), ub) == a.then(b, ub).apply(column, ua + ub));
  }
}

template <class Word, unsigned kAlpha, unsigned kEdits, bool kWildcards>
void check_cascade(tests::RandomCases& random) {
  constexpr std::size_t bits = 8 * sizeof(Word);
  constexpr std::size_t longest = kWildcards ? bits - kAlpha + 1 : bits;
  for (int n = 0; n < 20; ++n) {
    const unsigned sigma = random.chance(0.5) ? 4 : random.chance(0.5) ? 2 : 256;
    const std::size_t m = random.chance(0.2) ? longest : random.chance(0.1) ? 1 : random.number(1, longest);
    const std::string pattern = tests::random_letters(random, m, sigma);
    const std::size_t length = tests::hostile_length(random, m, 3000);
    const std::string text = tests::hostile_text(random, pattern, length, sigma);
    const auto expected = matchers::sequential_ends(text, pattern, kEdits);
    const unsigned warps = static_cast<unsigned>(random.number(32 * kAlpha < 96 ? 4 : 1, 8)) + 1;
    CAPTURE(bits, kAlpha, kEdits, kWildcards, m, length, sigma, warps);
    REQUIRE((matchers::cushiftor_on_host<Word, kAlpha, kEdits, kWildcards>(text, pattern, Segments::disjoint, warps) ==
             expected));
    REQUIRE((matchers::cushiftor_streamed_on_host<Word, kAlpha, kEdits, kWildcards>(text, pattern, warps) == expected));
    if (32 * kAlpha > matchers::halo_length(static_cast<unsigned>(m), kEdits)) {
      REQUIRE((matchers::cushiftor_on_host<Word, kAlpha, kEdits, kWildcards>(text, pattern, Segments::overlapping,
                                                                             warps) == expected));
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

TEST_CASE("the exact cascade gives the sequential program's ends") {
  tests::RandomCases random(45);
  for (unsigned m = 1; m <= 64; ++m) {
    for (const unsigned sigma : {1u, 2u, 4u, 256u}) {
      const std::string pattern = tests::random_letters(random, m, sigma);
      const std::size_t length = tests::hostile_length(random, m, 6000);
      const std::string text = tests::hostile_text(random, pattern, length, sigma);
      const std::size_t stretch = random.number(1, 6);
      CAPTURE(m, sigma, length, stretch);
      REQUIRE((matchers::exact_on_host(text, pattern, stretch) == matchers::sequential_ends(text, pattern, 0)));
    }
  }
}

TEST_CASE("the cascade gives the sequential program's ends, words of 32 bits") { check_edits<std::uint32_t>(43); }

TEST_CASE("the cascade gives the sequential program's ends, words of 64 bits") { check_edits<std::uint64_t>(44); }
