// Compares the papers' kernels with plain dynamic programming, and the forms of a result. The cases [sanitize] are for
// compute-sanitizer, too: they cover every loop that runs more than once, and every place where threads synchronise.
#include <optional>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "lab/bench_check.hpp"
#include "lab/kernels/paper_kernels.hpp"
#include "lab/matchers/cushiftor_exact.hpp"
#include "lab/matchers/sequential.hpp"
#include "lab/tests/gpu/check_ends.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using tests::check_ends;
using tests::hostile_case;
using tests::kOutputs;
using tests::LongText;
using tests::TextCase;

namespace {

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

constexpr unsigned kAlphas[] = {1, 4, 8};  // of GBPR

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
        const TextCase c = hostile_case(random, m, longest_text);
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
  const TextCase c = hostile_case(random, m, longest_text);
  const auto settings =
      matchers::resolve(matchers::CuShiftOrSettings{.pattern = c.pattern, .word_bits = matchers::kExactBits});
  check_ends(random, c, 0,
             [&](const auto& text, auto& ends) { gpu::run_cushiftor_exact(text, settings, ends, 1, most_blocks); });
}

void check_pasm(tests::RandomCases& random, Rows rows, std::size_t m, std::size_t longest_text) {
  const auto k = static_cast<unsigned>(random.number(0, 30));
  const TextCase c = hostile_case(random, m, longest_text);
  CAPTURE(static_cast<int>(rows.variant), rows.columns);
  check_ends(random, c, k, [&](const auto& text, auto& ends) {
    run_pasm(text, {c.pattern, k, rows.variant, rows.columns}, ends, 1);
  });
}

void check_asm(tests::RandomCases& random, unsigned rows, std::size_t m, std::size_t longest_text) {
  TextCase c = hostile_case(random, m, longest_text);
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

}  // namespace

TEST_CASE("cuShiftOr on the device", "[sanitize]") {
  tests::RandomCases random(51);
  for (const unsigned alpha : {1u, 2u, 4u, 8u, 16u}) {
    for (unsigned k = 0; k <= 8; ++k) {
      check_cushiftor(random, alpha, k, 20000);
    }
  }
}

TEST_CASE("GBPR on the device", "[sanitize]") {
  tests::RandomCases random(52);
  for (const unsigned alpha : kAlphas) {
    for (unsigned k = 0; k <= 8; ++k) {
      for (const std::size_t m : {std::size_t{1}, random.number(2, 32), random.number(33, 63), std::size_t{64}}) {
        const TextCase c = hostile_case(random, m, 20000, m % 2 == 0 ? 0 : 256);
        CAPTURE(alpha);
        check_ends(random, c, k, [&](const auto& text, auto& ends) { run_gbpr(text, {c.pattern, k, alpha}, ends, 1); });
      }
    }
  }
}

TEST_CASE("the exact cascade on the device", "[sanitize]") {
  tests::RandomCases random(55);
  for (unsigned m = 1; m <= 64; ++m) {
    check_exact(random, m, 20000);
    check_exact(random, m, 200000, 2);
  }
}

// Long enough that on any device each warp has several segments and chunks.
TEST_CASE("long texts on the device") {
  const LongText text(20'000'003);
  for (const unsigned m : {5u, 12u, 31u, 60u}) {
    for (unsigned k = 0; k <= 2; ++k) {
      text.check(m, k, [&](const std::string& pattern, gpu::DeviceEnds& ends) {
        run_cushiftor(text.on_device, {.pattern = pattern, .max_edits = k}, ends, 1);
      });
    }
  }
  for (const unsigned alpha : kAlphas) {
    text.check(9, 2, [&](const std::string& pattern, gpu::DeviceEnds& ends) {
      run_gbpr(text.on_device, {pattern, 2, alpha}, ends, 1);
    });
  }
  for (const auto rows : kRows) {
    text.check(20, 2, [&](const std::string& pattern, gpu::DeviceEnds& ends) {
      run_pasm(text.on_device, {pattern, 2, rows.variant, rows.columns}, ends, 1);
    });
  }
}

TEST_CASE("PASM and WsPASM on the device", "[sanitize]") {
  tests::RandomCases random(53);
  for (const auto rows : kRows) {
    for (int n = 0; n < 30; ++n) {
      check_pasm(random, rows, random.number(1, random.chance(0.7) ? 100 : 730), 6000);
    }
  }
}

TEST_CASE("ASM on the device", "[sanitize]") {
  tests::RandomCases random(54);
  for (const unsigned rows : {1u, 2u, 4u, 8u}) {
    for (int n = 0; n < 20; ++n) {
      check_asm(random, rows, random.number(1, random.chance(0.7) ? 80 : 2048), 8000);
    }
    check_asm(random, rows, 40 * rows + random.number(0, 3), 300);  // of two warps
  }
}

TEST_CASE("the papers' kernels and an empty text on the device") {
  const gpu::DeviceText text("");
  for (const auto output : kOutputs) {
    gpu::DeviceEnds ends(0, output, 10);
    const auto check = [&](const std::vector<double>& seconds) {
      REQUIRE(seconds.size() == 2);
      REQUIRE(ends.count() == 0);
    };
    for (const auto segments : kSegments) {
      check(run_cushiftor(text, {.pattern = "ACGT", .max_edits = 1, .segments = segments}, ends, 2));
    }
    check(run_cushiftor(text, {.pattern = "ACGT"}, ends, 2));
    check(run_gbpr(text, {"ACGT", 1}, ends, 2));
    for (const auto rows : kRows) {
      check(run_pasm(text, {"ACGT", 1, rows.variant, rows.columns}, ends, 2));
    }
  }
  REQUIRE_THROWS_AS(run_asm_hmm(text, {"ACGT"}, 1), UsageError);
}

TEST_CASE("results over one text have the same digest whatever their output, and others another") {
  tests::RandomCases random(57);
  const std::string pattern = tests::random_letters(random, 12, 4);
  const std::string letters = tests::hostile_text(random, pattern, 100'003, 4);
  const gpu::DeviceText text(letters);
  std::vector<gpu::EndsDigest> of_edits;
  for (const unsigned k : {0u, 1u}) {
    const auto expected = lab::digest_of(lab::ends_of(letters, pattern, k));
    for (const auto output : kOutputs) {
      gpu::DeviceEnds ends(letters.size(), output, letters.size());
      run_gbpr(text, {pattern, k}, ends, 1);
      REQUIRE((ends.digest() == expected));
      REQUIRE(ends.count() == expected.count);
    }
    of_edits.push_back(expected);
  }
  REQUIRE(!(of_edits[0] == of_edits[1]));
  gpu::DeviceEnds too_short(letters.size(), gpu::Output::list, 3);
  run_gbpr(text, {pattern, 1}, too_short, 1);
  REQUIRE(too_short.count() == of_edits[1].count);
  REQUIRE_THROWS_AS(too_short.digest(), Error);
  REQUIRE_THROWS_AS(too_short.list(), Error);
}

// Copies of a pattern around 2^32 and at both ends, each with a near miss next to it; all kernels and outputs.
TEST_CASE("the papers' kernels and a text beyond 4 GiB", "[large]") {
  const tests::PlantedText planted;
  const std::vector<gpu::Output> kAll(std::begin(kOutputs), std::end(kOutputs));
  for (const unsigned k : {0u, 1u, 2u}) {
    CAPTURE(k);
    for (const unsigned alpha : kAlphas) {
      planted.check(kAll, k, [&](const auto& text, auto& ends) {
        run_gbpr(text, {planted.pattern, k, alpha}, ends, 1);
      });
    }
    for (const auto segments : kSegments) {
      CAPTURE(static_cast<int>(segments));
      planted.check(kAll, k, [&](const auto& text, auto& ends) {
        run_cushiftor(text, {.pattern = planted.pattern, .max_edits = k, .segments = segments}, ends, 1);
      });
    }
  }
  // X of PASM takes 35 GB. X of WsPASM with one column per lane is larger than any device's memory.
  const bool large_device = gpu::devices().front().memory > 60'000'000'000;
  for (const auto rows : kRows) {
    const bool in_global = rows.variant != gpu::PasmVariant::wspasm_shared && rows.columns == 1;
    if (!in_global || (large_device && rows.variant == gpu::PasmVariant::pasm)) {
      CAPTURE(static_cast<int>(rows.variant), rows.columns);
      planted.check(kAll, 2, [&](const auto& text, auto& ends) {
        run_pasm(text, {planted.pattern, 2, rows.variant, rows.columns}, ends, 1);
      });
    }
  }
}

TEST_CASE("the nearest substring beyond 4 GiB", "[large]") {
  const std::uint64_t at = (std::uint64_t{1} << 32) + 5000;
  const std::string pattern = "GATTACAGATTACAGATTACAGATTGATTACAGATTACAGATTACAGATT";
  gpu::DeviceText text(lab::BenchText(at + 9000, 4, 7).characters());
  text.write(at, pattern);
  for (const unsigned rows : {1u, 8u}) {
    const auto run = run_asm_hmm(text, {pattern, 20000, rows}, 1);
    REQUIRE((run.match == matchers::NearestSubstring{0, at, at + pattern.size()}));
  }
}
