// Compares the papers' kernels with plain dynamic programming.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "gpu/matchers/asm_hmm.hpp"
#include "gpu/matchers/cushiftor.hpp"
#include "gpu/matchers/cushiftor_words.hpp"
#include "gpu/matchers/gpu_matchers.hpp"
#include "gpu/matchers/wspasm.hpp"
#include "matchers/cushiftor_exact.hpp"
#include "matchers/made_text.hpp"
#include "matchers/sequential.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/has_device.hpp"
#include "tests/hostile_text.hpp"
#include "tests/matcher_cases.hpp"

using namespace trawl;

namespace {

struct Case {
  std::string text, pattern;
};

// Texts with many copies of the pattern, its letters and near misses; also empty texts, and texts shorter than the
// pattern or as long.
Case hostile_case(tests::RandomCases& random, std::size_t m, std::size_t longest) {
  const unsigned sigma = random.chance(0.5) ? 4 : random.chance(0.5) ? 2 : 60;
  Case c;
  c.pattern = tests::random_letters(random, m, sigma);
  c.text = tests::hostile_text(random, c.pattern, tests::hostile_length(random, m, longest), sigma);
  return c;
}

constexpr gpu::Output kOutputs[] = {gpu::Output::bytes, gpu::Output::bits, gpu::Output::list};

struct Rows {
  gpu::PasmVariant variant;
  unsigned columns;
};
constexpr Rows kRows[] = {{gpu::PasmVariant::pasm, 1},
                          {gpu::PasmVariant::wspasm, 1},
                          {gpu::PasmVariant::wspasm, 16},
                          {gpu::PasmVariant::wspasm_shared, 1},
                          {gpu::PasmVariant::wspasm_shared, 16}};

constexpr matchers::Segments kSegments[] = {matchers::Segments::disjoint, matchers::Segments::overlapping,
                                            matchers::Segments::streamed};

// `run` fills a DeviceEnds for the case's text. The result may have any output form.
template <class Run>
void check_ends(tests::RandomCases& random, const Case& c, unsigned k, Run&& run) {
  const auto output = kOutputs[random.number(0, 2)];
  CAPTURE(c.pattern.size(), c.text.size(), k, static_cast<int>(output));
  const gpu::DeviceText text(c.text);
  gpu::DeviceEnds ends(c.text.size(), output, c.text.size());
  run(text, ends);
  REQUIRE((ends.fetch(0, c.text.size()) == matchers::sequential_ends(c.text, c.pattern, k)));
}

// All variants of cuShiftOr in this build, for words of 32 and 64 bits.
void check_cushiftor(tests::RandomCases& random, unsigned alpha, unsigned k, std::size_t longest_text) {
  for (const unsigned bits : {32u, 64u}) {
    for (const auto segments : kSegments) {
      for (const bool wildcards : {false, true}) {
        if (!matchers::cushiftor_is_built(bits, alpha, k, wildcards, segments)) {
          continue;
        }
        const std::size_t longest = wildcards ? bits - alpha + 1 : bits;
        const std::size_t m = random.chance(0.3) ? longest : random.chance(0.1) ? 1 : random.number(1, longest);
        const Case c = hostile_case(random, m, longest_text);
        CAPTURE(bits, alpha, static_cast<int>(segments), wildcards);
        check_ends(random, c, k, [&](const auto& text, auto& ends) {
          run_cushiftor(text, {c.pattern, k, bits, alpha, segments, wildcards}, ends, 1);
        });
      }
    }
  }
}

// With few blocks, each block takes several chunks of the text.
void check_exact(tests::RandomCases& random, unsigned m, std::size_t longest_text, unsigned most_blocks = ~0u) {
  const Case c = hostile_case(random, m, longest_text);
  const auto settings =
      matchers::resolve(matchers::CuShiftOrSettings{.pattern = c.pattern, .word_bits = matchers::kExactBits});
  check_ends(random, c, 0,
             [&](const auto& text, auto& ends) { gpu::run_cushiftor_exact(text, settings, ends, 1, most_blocks); });
}

void check_matcher(tests::RandomCases& random, const gpu::GpuMatcher& matcher, unsigned alpha, unsigned k,
                   std::size_t longest_text) {
  const auto c = tests::matcher_case(random, *matcher.facts, k, alpha, longest_text);
  CAPTURE(matcher.facts->name, alpha);
  check_ends(random, {c.text, c.settings.pattern}, k,
             [&](const auto& text, auto& ends) { matcher.run(text, c.settings, ends, 1); });
}

// Every matcher of the list, with each of its alphas and numbers of edits.
template <class F>
void for_each_matcher(F&& f) {
  for (const gpu::GpuMatcher& matcher : gpu::gpu_matchers()) {
    for (const unsigned alpha : tests::alphas_of(*matcher.facts)) {
      for (unsigned k = 0; k <= matcher.facts->most_edits; ++k) {
        f(matcher, alpha, k);
      }
    }
  }
}

void check_pasm(tests::RandomCases& random, Rows rows, std::size_t m, std::size_t longest_text) {
  const auto k = static_cast<unsigned>(random.number(0, 30));
  const Case c = hostile_case(random, m, longest_text);
  CAPTURE(static_cast<int>(rows.variant), rows.columns);
  check_ends(random, c, k, [&](const auto& text, auto& ends) {
    run_pasm(text, {c.pattern, k, rows.variant, rows.columns}, ends, 1);
  });
}

void check_asm(tests::RandomCases& random, unsigned rows, std::size_t m, std::size_t longest_text) {
  Case c = hostile_case(random, m, longest_text);
  if (c.text.empty()) {
    c.text = c.pattern.substr(0, 1);
  }
  const auto parts = static_cast<unsigned>(random.number(1, 30));
  CAPTURE(rows, parts, c.pattern.size(), c.text.size());
  const gpu::DeviceText text(c.text);
  const auto run = run_asm_hmm(text, {c.pattern, parts, rows}, 1);
  const auto expected = matchers::sequential_nearest(c.text, c.pattern);
  REQUIRE((run.match == expected));
}

// A text of two letters, the same on device and host.
struct LongText {
  std::uint64_t size;
  gpu::DeviceText on_device;
  std::string letters;

  explicit LongText(std::uint64_t n) : size(n), on_device(n, "AC", 3), letters(n, '\0') {
    for (std::uint64_t j = 0; j < size; ++j) {
      letters[j] = static_cast<char>(matchers::made_letter("AC", 2, 3, j));
    }
  }
  // `run` fills a DeviceEnds for a pattern from the text.
  template <class Run>
  void check(unsigned m, unsigned k, Run&& run) const {
    CAPTURE(m, k);
    const std::string pattern = letters.substr(size - 700, m);
    gpu::DeviceEnds ends(size, gpu::Output::bytes);
    run(pattern, ends);
    REQUIRE((ends.fetch(0, size) == matchers::sequential_ends(letters, pattern, k)));
  }
};

}  // namespace

TEST_CASE("cuShiftOr on the device") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(51);
  for (const unsigned alpha : {1u, 2u, 4u, 8u, 16u}) {
    for (unsigned k = 0; k <= 8; ++k) {
      check_cushiftor(random, alpha, k, 20000);
    }
  }
}

TEST_CASE("the exact cascade on the device") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(55);
  for (unsigned m = 1; m <= 64; ++m) {
    check_exact(random, m, 20000);
    check_exact(random, m, 200000, 2);
  }
}

// Long enough that on any device each warp has several segments and chunks.
TEST_CASE("long texts on the device") {
  if (!tests::has_device()) {
    return;
  }
  const LongText text(20'000'003);
  for (const unsigned m : {5u, 12u, 31u, 60u}) {
    for (unsigned k = 0; k <= 2; ++k) {
      text.check(m, k, [&](const std::string& pattern, gpu::DeviceEnds& ends) {
        run_cushiftor(text.on_device, {.pattern = pattern, .max_edits = k}, ends, 1);
      });
    }
  }
  for (const auto rows : kRows) {
    text.check(20, 2, [&](const std::string& pattern, gpu::DeviceEnds& ends) {
      run_pasm(text.on_device, {pattern, 2, rows.variant, rows.columns}, ends, 1);
    });
  }
}

TEST_CASE("every matcher of the list on the device", "[matchers]") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(52);
  for_each_matcher([&](const gpu::GpuMatcher& matcher, unsigned alpha, unsigned k) {
    // Some texts have several blocks: a block has up to 65,536 characters.
    for (int n = 0; n < (matcher.facts->most_edits == 0 ? 40 : 4); ++n) {
      check_matcher(random, matcher, alpha, k, n % 4 == 3 ? 200'000 : 20'000);
    }
  });
}

TEST_CASE("every matcher of the list meets the borders of stretches thousands of times on the device", "[matchers]") {
  if (!tests::has_device()) {
    return;
  }
  const LongText text(3'000'001);
  for_each_matcher([&](const gpu::GpuMatcher& matcher, unsigned alpha, unsigned k) {
    if (k > 2 || matcher.facts->letters[0] != '\0') {
      return;
    }
    CAPTURE(matcher.facts->name, alpha);
    text.check(std::clamp(9u, matcher.facts->shortest, matcher.facts->longest), k,
               [&](const std::string& pattern, gpu::DeviceEnds& ends) {
                 matcher.run(text.on_device, {pattern, k, alpha}, ends, 1);
               });
  });
}

TEST_CASE("a matcher that is not in the list is refused", "[matchers]") {
  if (!tests::has_device()) {
    return;
  }
  const gpu::DeviceText text("ACGT");
  gpu::DeviceEnds ends(4, gpu::Output::bytes);
  REQUIRE_THROWS_AS(gpu::run_matcher("no-such-matcher", text, {"A"}, ends, 1), UsageError);
}

TEST_CASE("PASM and WsPASM on the device") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(53);
  for (const auto rows : kRows) {
    for (int n = 0; n < 30; ++n) {
      check_pasm(random, rows, random.number(1, random.chance(0.7) ? 100 : 730), 6000);
    }
  }
}

TEST_CASE("ASM on the device") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(54);
  for (const unsigned rows : {1u, 2u, 4u, 8u}) {
    for (int n = 0; n < 20; ++n) {
      check_asm(random, rows, random.number(1, random.chance(0.7) ? 80 : 2048), 8000);
    }
  }
}

TEST_CASE("an empty text on the device") {
  if (!tests::has_device()) {
    return;
  }
  const gpu::DeviceText text("");
  for (const auto output : kOutputs) {
    gpu::DeviceEnds ends(0, output, 10);
    const auto check = [&](const std::vector<double>& seconds) {
      REQUIRE(seconds.size() == 2);
      REQUIRE(ends.count() == 0);
      REQUIRE(ends.fetch(0, 0).empty());
    };
    for (const auto segments : kSegments) {
      check(run_cushiftor(text, {.pattern = "ACGT", .max_edits = 1, .segments = segments}, ends, 2));
    }
    check(run_cushiftor(text, {.pattern = "ACGT"}, ends, 2));
    for (const gpu::GpuMatcher& matcher : gpu::gpu_matchers()) {
      const std::string pattern(std::clamp(4u, matcher.facts->shortest, matcher.facts->longest), 'A');
      check(matcher.run(text, {pattern}, ends, 2).seconds);
    }
    for (const auto rows : kRows) {
      check(run_pasm(text, {"ACGT", 1, rows.variant, rows.columns}, ends, 2));
    }
  }
  REQUIRE_THROWS_AS(run_asm_hmm(text, {"ACGT"}, 1), UsageError);
  gpu::DeviceEnds of_another(5, gpu::Output::bytes);
  REQUIRE_THROWS_AS(gpu::run_matcher("gbpr", text, {"ACGT"}, of_another, 1), std::invalid_argument);
}

TEST_CASE("results over one text have the same digest whatever their output, and others another") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(57);
  const std::string pattern = tests::random_letters(random, 12, 4);
  const std::string letters = tests::hostile_text(random, pattern, 100'003, 4);
  const gpu::DeviceText text(letters);
  std::vector<gpu::EndsDigest> of_edits;
  for (const unsigned k : {0u, 1u}) {
    gpu::EndsDigest expected;
    const auto expected_ends = matchers::sequential_ends(letters, pattern, k);
    for (std::uint64_t j = 0; j < expected_ends.size(); ++j) {
      expected.count += expected_ends[j];
      expected.hash += expected_ends[j] * matchers::mixed(j);
    }
    for (const auto output : kOutputs) {
      gpu::DeviceEnds ends(letters.size(), output, letters.size());
      gpu::run_matcher("gbpr", text, {pattern, k}, ends, 1);
      REQUIRE((ends.digest() == expected));
      REQUIRE(ends.count() == expected.count);
    }
    of_edits.push_back(expected);
  }
  REQUIRE(!(of_edits[0] == of_edits[1]));
  gpu::DeviceEnds too_short(letters.size(), gpu::Output::list, 3);
  gpu::run_matcher("gbpr", text, {pattern, 1}, too_short, 1);
  REQUIRE(too_short.count() == of_edits[1].count);
  REQUIRE_THROWS_AS(too_short.digest(), Error);
}

// For compute-sanitizer, whose tools make kernels a hundred times slower or more. Covers every loop that runs more than
// once, and every place where threads synchronise.
TEST_CASE("every kernel on small cases", "[sanitize]") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(56);
  for (const unsigned alpha : {1u, 2u, 4u, 8u, 16u}) {
    for (const unsigned k : {0u, 1u, 2u, 4u}) {
      check_cushiftor(random, alpha, k, alpha < 16 ? 1500 : 6000);
    }
  }
  for_each_matcher([&](const gpu::GpuMatcher& matcher, unsigned alpha, unsigned k) {
    if (k == 0 || k == 2) {
      check_matcher(random, matcher, alpha, k, 2500);
    }
  });
  for (const unsigned m : {1u, 17u, 25u, 33u, 49u, 57u, 64u}) {
    check_exact(random, m, 40000);
    // Chunks have 16,384 characters: each of two blocks takes three or more.
    check_exact(random, m, 120'000, 2);
  }
  for (const auto rows : kRows) {
    check_pasm(random, rows, 20, 2500);
  }
  for (const unsigned rows : {1u, 2u, 4u, 8u}) {
    check_asm(random, rows, random.number(1, 100), 600);
    check_asm(random, rows, 40 * rows + random.number(0, 3), 300);  // of two warps
  }
}

// Copies of a pattern around 2^32 and at both ends, each with a near miss next to it; all kernels and outputs.
TEST_CASE("a text beyond 4 GiB", "[large]") {
  if (!tests::has_device()) {
    return;
  }
  constexpr std::uint64_t k32 = std::uint64_t{1} << 32;
  const std::uint64_t size = k32 + 12345;
  const std::string pattern = "GATTACAGATTACAGATTACAGATT";
  const std::string near_miss = "GATTACAGATCACAGACTACATATT";  // three edits
  gpu::DeviceText text(size, "ACGT", 7);
  const std::vector<std::uint64_t> planted = {0, 1000, k32 - 500, k32 - 13, k32 + 300, size - pattern.size()};
  for (const auto at : planted) {
    text.write(at, pattern);
  }
  std::vector<std::uint64_t> missed;
  for (const std::uint64_t at : {k32 - 200, k32 + 100, size - 200}) {
    text.write(at, near_miss);
    missed.push_back(at);
  }
  const std::uint64_t m = pattern.size();
  std::optional<gpu::EndsDigest> first[3];
  const auto check = [&](unsigned k, const auto& run) {
    for (const auto output : kOutputs) {
      gpu::DeviceEnds ends(size, output, 100'000);
      run(ends);
      for (const auto at : planted) {
        REQUIRE(ends.fetch(at + m - 1, 1).front() == 1);
        REQUIRE(ends.fetch(at + m / 2, 1).front() == 0);
      }
      for (const auto at : missed) {
        REQUIRE(ends.fetch(at + m - 1, 1).front() == 0);
      }
      // All must find the same.
      const auto digest = ends.digest();
      REQUIRE(digest.count >= planted.size());
      REQUIRE((digest == first[k].value_or(digest)));
      first[k] = digest;
    }
  };
  for (const unsigned k : {0u, 1u, 2u}) {
    CAPTURE(k);
    for (const auto segments : kSegments) {
      CAPTURE(static_cast<int>(segments));
      check(k, [&](auto& ends) {
        run_cushiftor(text, {.pattern = pattern, .max_edits = k, .segments = segments}, ends, 1);
      });
    }
    for (const gpu::GpuMatcher& matcher : gpu::gpu_matchers()) {
      const matchers::MatcherFacts& facts = *matcher.facts;
      if (k > facts.most_edits || m < facts.shortest || m > facts.longest) {
        continue;
      }
      for (const unsigned alpha : tests::alphas_of(facts)) {
        CAPTURE(facts.name, alpha);
        check(k, [&](auto& ends) { matcher.run(text, {pattern, k, alpha}, ends, 1); });
      }
    }
  }
  // X of PASM takes 35 GB. X of WsPASM with one column per lane is larger than any device's memory.
  const bool large_device = gpu::devices().front().memory > 60'000'000'000;
  for (const auto rows : kRows) {
    const bool in_global = rows.variant != gpu::PasmVariant::wspasm_shared && rows.columns == 1;
    if (!in_global || (large_device && rows.variant == gpu::PasmVariant::pasm)) {
      CAPTURE(static_cast<int>(rows.variant), rows.columns);
      check(2, [&](auto& ends) { run_pasm(text, {pattern, 2, rows.variant, rows.columns}, ends, 1); });
    }
  }
}

TEST_CASE("the nearest substring beyond 4 GiB", "[large]") {
  if (!tests::has_device()) {
    return;
  }
  const std::uint64_t at = (std::uint64_t{1} << 32) + 5000;
  const std::string pattern = "GATTACAGATTACAGATTACAGATTGATTACAGATTACAGATTACAGATT";
  gpu::DeviceText text(at + 9000, "ACGT", 7);
  text.write(at, pattern);
  for (const unsigned rows : {1u, 8u}) {
    const auto run = run_asm_hmm(text, {pattern, 20000, rows}, 1);
    REQUIRE((run.match == matchers::NearestSubstring{0, at, at + pattern.size()}));
  }
}
