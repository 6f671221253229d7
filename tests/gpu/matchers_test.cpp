// The papers' kernels find what plain dynamic programming finds.
#include <string>

#include "gpu/asm_hmm.hpp"
#include "gpu/cushiftor.hpp"
#include "gpu/gbpr.hpp"
#include "gpu/wspasm.hpp"
#include "match/made_text.hpp"
#include "match/sequential.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

bool has_device() {
  std::string why;
  if (gpu::devices(why).empty()) {
    WARN("skipped: no CUDA device can be used here: " << why);
    return false;
  }
  return true;
}

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

}  // namespace

TEST_CASE("cuShiftOr on the device") {
  if (!has_device()) {
    return;
  }
  tests::RandomCases random(51);
  for (const unsigned bits : {32u, 64u}) {
    for (const unsigned alpha : {1u, 2u, 4u, 8u, 16u}) {
      for (unsigned k = 0; k <= 8; ++k) {
        for (const auto segments : {match::Segments::disjoint, match::Segments::overlapping}) {
          for (const bool wildcards : {false, true}) {
            if (segments == match::Segments::overlapping && alpha < 4) {
              continue;
            }
            const std::size_t longest = wildcards ? bits - alpha + 1 : bits;
            const std::size_t m = random.chance(0.3) ? longest : random.chance(0.1) ? 1 : random.number(1, longest);
            const Case c = hostile_case(random, m, 20000);
            const auto output = kOutputs[random.number(0, 2)];
            CAPTURE(bits, alpha, k, static_cast<int>(segments), wildcards, m, c.text.size(), static_cast<int>(output));
            const gpu::DeviceText text(c.text);
            gpu::DeviceEnds ends(c.text.size(), output, c.text.size());
            run_cushiftor(text, {c.pattern, k, bits, alpha, segments, wildcards}, ends, 1);
            REQUIRE(ends.fetch(0, c.text.size()) == match::sequential_ends(c.text, c.pattern, k));
          }
        }
      }
    }
  }
}

TEST_CASE("GBPR on the device") {
  if (!has_device()) {
    return;
  }
  tests::RandomCases random(52);
  for (const unsigned alpha : {1u, 4u, 8u}) {
    for (unsigned k = 0; k <= 8; ++k) {
      for (int n = 0; n < 4; ++n) {
        const Case c = hostile_case(random, random.number(1, 64), 20000);
        const auto output = kOutputs[random.number(0, 2)];
        CAPTURE(alpha, k, c.pattern.size(), c.text.size(), static_cast<int>(output));
        const gpu::DeviceText text(c.text);
        gpu::DeviceEnds ends(c.text.size(), output, c.text.size());
        run_gbpr(text, {c.pattern, k, alpha}, ends, 1);
        REQUIRE(ends.fetch(0, c.text.size()) == match::sequential_ends(c.text, c.pattern, k));
      }
    }
  }
}

TEST_CASE("PASM and WsPASM on the device") {
  if (!has_device()) {
    return;
  }
  tests::RandomCases random(53);
  for (const auto variant : {gpu::PasmVariant::pasm, gpu::PasmVariant::wspasm, gpu::PasmVariant::wspasm_shared}) {
    for (int n = 0; n < 30; ++n) {
      const auto k = static_cast<unsigned>(random.number(0, 30));
      const Case c = hostile_case(random, random.number(1, random.chance(0.7) ? 100 : 730), 6000);
      CAPTURE(static_cast<int>(variant), k, c.pattern.size(), c.text.size());
      const gpu::DeviceText text(c.text);
      gpu::DeviceEnds ends(c.text.size(), gpu::Output::bytes);
      run_pasm(text, {c.pattern, k, variant}, ends, 1);
      REQUIRE(ends.fetch(0, c.text.size()) == match::sequential_ends(c.text, c.pattern, k));
    }
  }
}

TEST_CASE("ASM on the device") {
  if (!has_device()) {
    return;
  }
  tests::RandomCases random(54);
  for (const unsigned rows : {1u, 2u, 4u, 8u}) {
    for (int n = 0; n < 20; ++n) {
      const std::size_t longest = random.chance(0.7) ? 80 : 2048;
      const Case c = hostile_case(random, random.number(1, longest), 8000);
      const auto parts = static_cast<unsigned>(random.number(1, 30));
      CAPTURE(rows, parts, c.pattern.size(), c.text.size());
      const gpu::DeviceText text(c.text);
      const auto run = run_asm_hmm(text, {c.pattern, parts, rows}, 1);
      const auto expected = match::sequential_nearest(c.text, c.pattern);
      REQUIRE(run.match.distance == expected.distance);
      REQUIRE(run.match.end == expected.end);
      REQUIRE(run.match.begin == expected.begin);
    }
  }
}

TEST_CASE("a text beyond 4 GiB", "[large]") {
  if (!has_device()) {
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
