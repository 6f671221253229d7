// How the GPU's kernel for exact matchers shares out texts and shared memory, on devices of several sizes.
#include "lab/kernels/exact_plan.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "lab/kernels/end_tiles.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using gpu::ExactDevice;
using gpu::ExactPlan;
using gpu::GpuWork;
using gpu::TableMemory;

namespace {

constexpr ExactDevice kLarge{132, 227 * 1024, 228 * 1024, 1024};
constexpr ExactDevice kSmall{20, 99 * 1024, 100 * 1024, 1024};
constexpr std::uint64_t kText = 100'000'000;

// `registers` of each thread; a multiprocessor has 65,536.
ExactPlan plan(const ExactDevice& device, std::size_t table, std::size_t m, const GpuWork& work = {},
               std::uint64_t size = kText, std::uint64_t first = 0, unsigned registers = 40) {
  return plan_exact(device, {table, m, first, size}, work, [&](TableMemory, unsigned threads, std::size_t shared) {
    const std::size_t by_memory =
        shared > device.shared_per_block ? 0 : device.shared_per_multiprocessor / (shared + device.shared_reserved);
    return static_cast<unsigned>(std::min<std::size_t>({by_memory, 65536 / registers / threads, 2048 / threads}));
  });
}

// What every plan must fulfil.
void check(const ExactPlan& p, const ExactDevice& device, std::size_t table, std::size_t m, std::uint64_t ends) {
  CAPTURE(p.threads, p.stretch, p.blocks, p.tiles, p.shared, table, m, ends);
  REQUIRE((p.threads % 32 == 0 && p.threads >= 32 && p.threads <= gpu::kMostExactThreads));
  REQUIRE(p.stretch > 0);
  REQUIRE(p.shared <= device.shared_per_block);
  REQUIRE(p.tiles * p.tile_ends() >= ends);
  REQUIRE((p.tiles == 0 || (p.tiles - 1) * p.tile_ends() < ends));
  REQUIRE(std::uint64_t{p.groups_per_tile} * gpu::kGroupEnds >= p.tile_ends());
  REQUIRE((p.blocks >= 1 && p.blocks <= std::max<std::uint64_t>(1, p.tiles)));
  // Table, tile and bits do not overlap. A tile begins up to 15 characters before its first window, and load() may
  // read 64 characters after its end.
  REQUIRE((p.text_at % 16 == 0 && p.ends_at % 16 == 0));
  REQUIRE(p.text_at >= (p.memory == TableMemory::shared ? table : 0));
  REQUIRE(p.ends_at >= p.text_at + 15 + (m - 1) + p.tile_ends() + 64);
  REQUIRE(p.shared >= p.ends_at + p.groups_per_tile * gpu::kGroupWords * 4);
}

}  // namespace

TEST_CASE("every plan for an exact search fits the device and covers the text") {
  for (const auto& device : {kLarge, kSmall}) {
    for (const std::size_t table : {1u, 300u, 2052u, 6000u, 17'000u, 33'000u, 64'000u, 131'072u, 2'100'000u}) {
      for (const std::size_t m : {1u, 3u, 33u, 64u, 200u, 257u, 1025u, 4096u}) {
        for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5000}, kText, 50 * kText}) {
          for (const unsigned registers : {24u, 40u, 64u}) {
            const std::uint64_t first = size / 3 / 32 * 32;
            check(plan(device, table, m, {}, size, first, registers), device, table, m, size - first);
          }
        }
      }
    }
  }
}

TEST_CASE("a plan for an exact search uses the device") {
  for (const std::size_t m : {3u, 10u, 50u, 200u}) {
    const ExactPlan p = plan(kLarge, 2052, m);
    CAPTURE(m, p.threads, p.stretch, p.blocks);
    REQUIRE(p.memory == TableMemory::shared);
    REQUIRE(p.blocks % kLarge.multiprocessors == 0);
    REQUIRE(p.blocks / kLarge.multiprocessors * p.threads >= 1024);
    REQUIRE(p.blocks / kLarge.multiprocessors * p.shared > 180'000);
    // In bytes 4 times an odd number: no two threads of a warp meet in a bank.
    REQUIRE(p.stretch % 8 == 4);
    // The last round is nearly full.
    const std::uint64_t rounds = (p.tiles + p.blocks - 1) / p.blocks;
    REQUIRE(10 * p.tiles >= 9 * rounds * p.blocks);
  }
  REQUIRE(plan(kLarge, 2052, 4096).stretch > 500);
  REQUIRE(plan(kLarge, 2'000'000, 4096).memory == TableMemory::global);
  REQUIRE(plan(kSmall, 60'000, 20).memory == TableMemory::global);
}

TEST_CASE("a plan for an exact search does what is asked for, or refuses") {
  const GpuWork asked{TableMemory::shared, 333, 96, 7};
  const ExactPlan p = plan(kLarge, 2052, 20, asked);
  check(p, kLarge, 2052, 20, kText);
  REQUIRE((GpuWork{p.memory, p.stretch, p.threads, p.blocks} == asked));
  REQUIRE(plan(kLarge, 2052, 20, {.stretch = 5000}).threads == 32);  // 32 * 5,000 characters fit, 64 * 5,000 do not
  REQUIRE(plan(kLarge, 2052, 20, {.memory = TableMemory::constant}).text_at == 0);
  const auto message = [](const GpuWork& work, std::size_t table) -> std::string {
    try {
      plan(kLarge, table, 20, work);
      return "";
    } catch (const UsageError& e) {
      return e.what();
    }
  };
  REQUIRE(message({.threads = 40}, 2052).find("multiples of 32") != std::string::npos);
  REQUIRE(message({.threads = 2048}, 2052).find("multiples of 32") != std::string::npos);
  REQUIRE(message({.memory = TableMemory::constant}, 70'000).find("constant memory holds") != std::string::npos);
  REQUIRE(message({.memory = TableMemory::shared}, 300'000).find("the table, 300000 bytes") != std::string::npos);
  REQUIRE(message({.stretch = 20'000}, 2052).find("stretches of 20000") != std::string::npos);
  REQUIRE(message({.stretch = 400, .threads = 1024}, 2052).find("1024 threads") != std::string::npos);
}
