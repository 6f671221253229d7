// The papers' kernels find what plain dynamic programming finds.
#include <string>

#include "gpu/asm_hmm.hpp"
#include "gpu/cushiftor.hpp"
#include "gpu/gbpr.hpp"
#include "gpu/wspasm.hpp"
#include "match/exact_cascade.hpp"
#include "match/made_text.hpp"
#include "match/sequential.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/has_device.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

struct Case {
  std::string text, pattern;
};

// Texts full of the pattern, of its letters, and of near misses; also shorter than it, or as long.
Case hostile_case(tests::RandomCases& random, std::size_t m, std::size_t longest) {
  const unsigned sigma = random.chance(0.5) ? 4 : random.chance(0.5) ? 2 : 60;
  Case c;
  while (c.pattern.size() < m) {
    c.pattern += static_cast<char>('A' + random.number(0, sigma - 1));
  }
  const std::size_t length = random.chance(0.1) ? m : random.number(1, longest);
  while (c.text.size() < length) {
    switch (random.number(0, 3)) {
      case 0:
        c.text += std::string(random.number(1, 90), c.pattern[random.number(0, m - 1)]);
        break;
      case 1:
        c.text += random.mutate(c.pattern, random.number(0, 5));
        break;
      default:
        for (std::size_t k = random.number(1, 300); k > 0; --k) {
          c.text += static_cast<char>('A' + random.number(0, sigma - 1));
        }
    }
  }
  c.text.resize(length);
  return c;
}

constexpr gpu::Output kOutputs[] = {gpu::Output::bytes, gpu::Output::bits, gpu::Output::list};
constexpr gpu::PasmVariant kVariants[] = {gpu::PasmVariant::pasm, gpu::PasmVariant::wspasm,
                                          gpu::PasmVariant::wspasm_shared};
constexpr match::Segments kSegments[] = {match::Segments::disjoint, match::Segments::overlapping,
                                         match::Segments::streamed};

// `run` fills a DeviceEnds for the case's text; any output.
template <class Run>
void check_ends(tests::RandomCases& random, const Case& c, unsigned k, Run&& run) {
  const auto output = kOutputs[random.number(0, 2)];
  CAPTURE(c.pattern.size(), c.text.size(), k, static_cast<int>(output));
  const gpu::DeviceText text(c.text);
  gpu::DeviceEnds ends(c.text.size(), output, c.text.size());
  run(text, ends);
  REQUIRE((ends.fetch(0, c.text.size()) == match::sequential_ends(c.text, c.pattern, k)));
}

// All variants of cuShiftOr for words of 32 and 64 bits.
void check_cushiftor(tests::RandomCases& random, unsigned alpha, unsigned k, std::size_t longest_text) {
  for (const unsigned bits : {32u, 64u}) {
    for (const auto segments : kSegments) {
      for (const bool wildcards : {false, true}) {
        if (segments == match::Segments::overlapping && alpha < 4) {
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

void check_exact(tests::RandomCases& random, unsigned m, std::size_t longest_text) {
  const Case c = hostile_case(random, m, longest_text);
  check_ends(random, c, 0, [&](const auto& text, auto& ends) {
    run_cushiftor(text, {.pattern = c.pattern, .word_bits = match::kExactBits}, ends, 1);
  });
}

void check_gbpr(tests::RandomCases& random, unsigned alpha, unsigned k, std::size_t longest_text) {
  const Case c = hostile_case(random, random.number(1, 64), longest_text);
  CAPTURE(alpha);
  check_ends(random, c, k, [&](const auto& text, auto& ends) { run_gbpr(text, {c.pattern, k, alpha}, ends, 1); });
}

void check_pasm(tests::RandomCases& random, gpu::PasmVariant variant, std::size_t m, std::size_t longest_text) {
  const auto k = static_cast<unsigned>(random.number(0, 30));
  const Case c = hostile_case(random, m, longest_text);
  CAPTURE(static_cast<int>(variant));
  check_ends(random, c, k, [&](const auto& text, auto& ends) { run_pasm(text, {c.pattern, k, variant}, ends, 1); });
}

void check_asm(tests::RandomCases& random, unsigned rows, std::size_t m, std::size_t longest_text) {
  const Case c = hostile_case(random, m, longest_text);
  const auto parts = static_cast<unsigned>(random.number(1, 30));
  CAPTURE(rows, parts, c.pattern.size(), c.text.size());
  const gpu::DeviceText text(c.text);
  const auto run = run_asm_hmm(text, {c.pattern, parts, rows}, 1);
  const auto expected = match::sequential_nearest(c.text, c.pattern);
  REQUIRE(run.match.distance == expected.distance);
  REQUIRE(run.match.end == expected.end);
  REQUIRE(run.match.begin == expected.begin);
}

// A text of two letters, alike on device and host.
struct LongText {
  std::uint64_t size;
  gpu::DeviceText on_device;
  std::string letters;

  explicit LongText(std::uint64_t n) : size(n), on_device(n, "AC", 3), letters(n, '\0') {
    for (std::uint64_t j = 0; j < size; ++j) {
      letters[j] = static_cast<char>(match::made_letter("AC", 2, 3, j));
    }
  }
  // `run` fills a DeviceEnds for a pattern from the text.
  template <class Run>
  void check(unsigned m, unsigned k, Run&& run) const {
    CAPTURE(m, k);
    const std::string pattern = letters.substr(size - 700, m);
    gpu::DeviceEnds ends(size, gpu::Output::bytes);
    run(pattern, ends);
    REQUIRE((ends.fetch(0, size) == match::sequential_ends(letters, pattern, k)));
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
  }
}

// Long enough for several segments and chunks a warp on any device.
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
  for (const auto variant : kVariants) {
    text.check(20, 2, [&](const std::string& pattern, gpu::DeviceEnds& ends) {
      run_pasm(text.on_device, {pattern, 2, variant}, ends, 1);
    });
  }
}

TEST_CASE("GBPR on the device") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(52);
  for (const unsigned alpha : {1u, 4u, 8u}) {
    for (unsigned k = 0; k <= 8; ++k) {
      for (int n = 0; n < 4; ++n) {
        check_gbpr(random, alpha, k, 20000);
      }
    }
  }
}

TEST_CASE("PASM and WsPASM on the device") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(53);
  for (const auto variant : kVariants) {
    for (int n = 0; n < 30; ++n) {
      check_pasm(random, variant, random.number(1, random.chance(0.7) ? 100 : 730), 6000);
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

// For compute-sanitizer, whose tools slow kernels down a hundredfold and more.
TEST_CASE("every kernel on small cases", "[sanitize]") {
  if (!tests::has_device()) {
    return;
  }
  tests::RandomCases random(56);
  for (unsigned k = 0; k <= 2; ++k) {
    check_cushiftor(random, 8, k, 3000);
    check_cushiftor(random, 16, k, 6000);
    check_gbpr(random, 1, k, 2000);
    check_gbpr(random, 8, k, 2000);
  }
  for (const unsigned m : {1u, 17u, 25u, 33u, 49u, 57u, 64u}) {
    check_exact(random, m, 40000);
  }
  for (const auto variant : kVariants) {
    check_pasm(random, variant, 20, 2500);
  }
  for (const unsigned rows : {1u, 2u, 4u, 8u}) {
    check_asm(random, rows, random.number(1, 100), 600);
  }
}

TEST_CASE("a text beyond 4 GiB", "[large]") {
  if (!tests::has_device()) {
    return;
  }
  const std::uint64_t size = (std::uint64_t{4} << 30) + 12345;
  const std::string pattern = "GATTACAGATTACAGATTACAGATT";
  gpu::DeviceText text(size, "ACGT", 7);
  std::vector<std::uint64_t> planted = {0, 1000, (std::uint64_t{4} << 30) - 13, size - pattern.size()};
  for (const auto at : planted) {
    text.write(at, pattern);
  }
  gpu::DeviceEnds list(size, gpu::Output::list, 1000);
  run_cushiftor(text, {.pattern = pattern}, list, 1);
  REQUIRE(list.count() == planted.size());
  run_gbpr(text, {.pattern = pattern}, list, 1);
  REQUIRE(list.count() == planted.size());
  for (const auto at : planted) {
    const std::uint64_t end = at + pattern.size() - 1;
    REQUIRE(list.fetch(end, 1).front() == 1);
  }
}
