// Compares the sequential programs with all substrings, and the twins of cuShiftOr, GBPR, PASM, WsPASM and ASM with the
// sequential programs. The operators of cuShiftOr's scan are associative.
#include "base/error.hpp"
#include "lab/matchers/asm_diagonal.hpp"
#include "lab/matchers/cushiftor_cascade.hpp"
#include "lab/matchers/cushiftor_on_host.hpp"
#include "lab/matchers/gbpr.hpp"
#include "lab/matchers/paper_settings.hpp"
#include "lab/matchers/sequential.hpp"
#include "lab/matchers/wspasm.hpp"
#include "lab/tests/hostile_text.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using matchers::Segments;

namespace {

// Directly from the definition, without a table.
unsigned edit_distance(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) {
    return static_cast<unsigned>(a.size() + b.size());
  }
  if (a.back() == b.back()) {
    return edit_distance(a.substr(0, a.size() - 1), b.substr(0, b.size() - 1));
  }
  return 1 + std::min({edit_distance(a.substr(0, a.size() - 1), b.substr(0, b.size() - 1)),
                       edit_distance(a.substr(0, a.size() - 1), b), edit_distance(a, b.substr(0, b.size() - 1))});
}

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

TEST_CASE("settings that are not built are refused, and what was left to choose is chosen") {
  using matchers::CuShiftOrSettings;
  // With alpha = 16, no wildcards are used if only the form without them is built.
  const auto chosen = matchers::resolve(CuShiftOrSettings{.pattern = "GATTACA", .max_edits = 5});
  REQUIRE(matchers::cushiftor_is_built(chosen.word_bits, 16, 5, chosen.wildcards, chosen.segments));
  REQUIRE_THROWS_AS(matchers::resolve(CuShiftOrSettings{.pattern = std::string(40, 'A'), .max_edits = 5, .alpha = 8}),
                    UsageError);
}

TEST_CASE("the twin of GBPR gives the sequential program's ends") {
  tests::RandomCases random(81);
  for (const unsigned alpha : {1u, 4u, 8u}) {
    for (unsigned k = 0; k <= matchers::GbprSettings::kMostEdits; ++k) {
      for (int n = 0; n < 30; ++n) {
        const unsigned sigmas[] = {1, 2, 4, 60, 256};
        const auto [text, pattern] = tests::hostile_case(random, random.chance(0.1) ? 64 : random.number(1, 64), 2500,
                                                         sigmas[random.number(0, 4)]);
        CAPTURE(alpha, k, pattern.size(), text.size());
        REQUIRE((matchers::gbpr_on_host(text, matchers::resolve(matchers::GbprSettings{pattern, k, alpha})) ==
                 matchers::sequential_ends(text, pattern, k)));
      }
    }
  }
  for (const matchers::GbprSettings& wrong :
       {matchers::GbprSettings{}, {std::string(65, 'A')}, {"A", 9}, {"A", 0, 2}}) {
    REQUIRE_THROWS_AS(matchers::resolve(wrong), UsageError);
  }
}

TEST_CASE("the sequential programs find what all substrings say") {
  tests::RandomCases random(61);
  for (int n = 0; n < 300; ++n) {
    const auto sigma = static_cast<unsigned>(random.number(1, 4));
    const std::string pattern = tests::random_letters(random, random.number(1, 5), sigma);
    const std::string text = tests::hostile_text(random, pattern, random.number(0, 9), sigma);
    CAPTURE(n, sigma, pattern.size(), text.size());
    matchers::NearestSubstring nearest{static_cast<unsigned>(pattern.size()), 0, 0};
    std::vector<unsigned> distances;
    for (std::size_t end = 1; end <= text.size(); ++end) {
      unsigned least = ~0u;
      for (std::size_t begin = 0; begin <= end; ++begin) {
        const unsigned distance = edit_distance(pattern, std::string_view(text).substr(begin, end - begin));
        if (distance < nearest.distance || (nearest.end == 0 && distance <= nearest.distance)) {
          nearest = {distance, begin, end};
        }
        least = std::min(least, distance);
      }
      distances.push_back(least);
    }
    REQUIRE((matchers::sequential_nearest(text, pattern) == nearest));
    for (unsigned k = 0; k <= pattern.size(); ++k) {
      std::vector<std::uint8_t> expected;
      for (const unsigned distance : distances) {
        expected.push_back(distance <= k);
      }
      REQUIRE((matchers::sequential_ends(text, pattern, k) == expected));
    }
  }
}

TEST_CASE("the twins of PASM and WsPASM give the sequential program's ends") {
  tests::RandomCases random(63);
  for (int n = 0; n < 200; ++n) {
    const auto [text, pattern] = tests::hostile_case(random, random.number(1, random.chance(0.8) ? 70 : 700), 4000);
    const auto k = static_cast<unsigned>(random.number(0, random.chance(0.8) ? 8 : pattern.size() + 2));
    const std::size_t stretch = random.number(1, 40);
    CAPTURE(k, pattern.size(), text.size(), stretch);
    const auto expected = matchers::sequential_ends(text, pattern, k);
    REQUIRE((matchers::pasm_on_host(text, pattern, k) == expected));
    REQUIRE((matchers::wspasm_on_host<1>(text, pattern, k, stretch) == expected));
    REQUIRE((matchers::wspasm_on_host<16>(text, pattern, k, stretch) == expected));
  }
}

TEST_CASE("the twin of ASM gives the sequential program's substring") {
  tests::RandomCases random(64);
  for (int n = 0; n < 150; ++n) {
    auto [text, pattern] = tests::hostile_case(random, random.number(1, random.chance(0.8) ? 60 : 400), 2000);
    text += text.empty() ? "A" : "";
    const auto expected = matchers::sequential_nearest(text, pattern);
    const auto parts = static_cast<unsigned>(random.number(0, 30));
    for (const unsigned rows : {0u, 1u, 2u, 4u, 8u}) {
      CAPTURE(n, pattern.size(), text.size(), parts, rows);
      REQUIRE((matchers::asm_on_host(text, matchers::resolve({pattern, parts, rows}, text.size(), 1)) == expected));
    }
  }
}
