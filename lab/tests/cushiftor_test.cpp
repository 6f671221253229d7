// Shift-Or and Wu-Manber as scans: the operators are associative, and the scan gives the columns of plain dynamic
// programming.
#include "base/error.hpp"
#include "lab/matchers/cushiftor_cascade.hpp"
#include "lab/matchers/cushiftor_on_host.hpp"
#include "lab/matchers/paper_settings.hpp"
#include "lab/matchers/sequential.hpp"
#include "lab/tests/hostile_text.hpp"
#include "tests/catch.hpp"

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
    // Composing two operators and applying them one after the other give the same.
    const Word column = static_cast<Word>(random.number(0, ~std::size_t{0}));
    const auto ua = static_cast<unsigned>(random.number(0, 80));
    REQUIRE(b.apply(a.apply(column, ua), ub) == a.then(b, ub).apply(column, ua + ub));
  }
}

// All variants of this build with words of this many bits.
void check_cascade(unsigned bits, std::uint64_t seed) {
  tests::RandomCases random(seed);
  unsigned variants = 0;
  for (const unsigned alpha : {1u, 2u, 4u, 8u, 16u}) {
    for (unsigned k = 0; k <= 8; ++k) {
      for (const bool wildcards : {false, true}) {
        for (const auto segments : {Segments::disjoint, Segments::overlapping, Segments::streamed}) {
          if (!matchers::cushiftor_is_built(bits, alpha, k, wildcards, segments)) {
            continue;
          }
          ++variants;
          const std::size_t longest = wildcards ? bits - alpha + 1 : bits;
          for (int n = 0; n < 20; ++n) {
            const std::size_t m = random.chance(0.2) ? longest : random.chance(0.1) ? 1 : random.number(1, longest);
            const auto [text, pattern] = tests::hostile_case(random, m, 3000);
            const auto warps = static_cast<unsigned>(random.number(alpha < 4 ? 4 : 1, 8)) + 1;
            CAPTURE(bits, alpha, k, wildcards, static_cast<int>(segments), m, text.size(), warps);
            const auto s = matchers::resolve(
                matchers::CuShiftOrSettings{std::string(pattern), k, bits, alpha, segments, wildcards});
            REQUIRE(s.wildcards == wildcards);
            REQUIRE((matchers::cushiftor_on_host(text, s, warps) == matchers::sequential_ends(text, pattern, k)));
          }
        }
      }
    }
  }
  // The paper's variants: alpha 16 with every number of edits, the others with up to 2.
  REQUIRE(variants >= (bits == 32 ? 50 : 20));
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
      const auto [text, pattern] = tests::hostile_case(random, m, 6000, sigma);
      const std::size_t stretch = random.number(1, 6);
      CAPTURE(m, sigma, text.size(), stretch);
      REQUIRE((matchers::exact_on_host(text, pattern, stretch) == matchers::sequential_ends(text, pattern, 0)));
    }
  }
}

TEST_CASE("the cascade gives the sequential program's ends, words of 32 bits") { check_cascade(32, 43); }

TEST_CASE("the cascade gives the sequential program's ends, words of 64 bits") { check_cascade(64, 44); }

TEST_CASE("what this build has not is refused with the option that builds it, and what was left to choose is chosen") {
  using matchers::CuShiftOrSettings;
  // With alpha = 16, no wildcards are used if only the form without them is built.
  const auto chosen = matchers::resolve(CuShiftOrSettings{.pattern = "GATTACA", .max_edits = 5});
  REQUIRE(matchers::cushiftor_is_built(chosen.word_bits, 16, 5, chosen.wildcards, chosen.segments));
  const CuShiftOrSettings rare{.pattern = std::string(40, 'A'), .max_edits = 5, .alpha = 8};
  if (matchers::cushiftor_is_built(64, 8, 5, true, Segments::streamed)) {
    REQUIRE_NOTHROW(matchers::resolve(rare));
    return;
  }
  std::string message;
  try {
    matchers::resolve(rare);
  } catch (const UsageError& error) {
    message = error.what();
  }
  CAPTURE(message);
  REQUIRE(message.find("-DTRAWL_ALL_VARIANTS=ON") != std::string::npos);
}
