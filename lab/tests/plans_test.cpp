// How the GPU's kernels for exact matchers and for sets share out texts and shared memory, on devices of several sizes.
#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "lab/kernels/exact_plan.hpp"
#include "lab/kernels/sets/gpu_set_matchers.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using gpu::ExactDevice;
using gpu::ExactPlan;
using gpu::GpuSetWork;
using gpu::GpuWork;
using gpu::SetPlan;
using gpu::SetStage;
using gpu::TableMemory;
using matchers::SetOutput;

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

// As a multiprocessor of 2,048 threads has room.
unsigned resident(unsigned threads, std::size_t shared) {
  const std::size_t fit = kLarge.shared_per_multiprocessor / (shared + kLarge.shared_reserved);
  return static_cast<unsigned>(std::min<std::size_t>(2048 / threads, fit));
}

SetPlan planned(const gpu::SetTask& task, const GpuSetWork& work) {
  return gpu::plan_set(kLarge, task, work, resident);
}

// All that the kernel relies on.
void check_set(const gpu::SetTask& task, const GpuSetWork& work) {
  const SetPlan plan = planned(task, work);
  const unsigned teams = plan.threads / plan.team;
  CAPTURE(gpu::name_of(work.stage), task.size, task.longest, task.tables, task.patterns, plan.threads, plan.blocks,
          plan.team, plan.stretch, plan.part, plan.shared);
  REQUIRE((work.threads == 0 || plan.threads == work.threads));
  REQUIRE((work.stretch == 0 || plan.stretch == work.stretch));
  REQUIRE((work.blocks == 0 || work.stage < SetStage::cr || plan.blocks <= work.blocks));
  REQUIRE(plan.stretch > 0);
  REQUIRE(plan.threads % plan.team == 0);
  REQUIRE(plan.part % plan.tile() == 0);
  REQUIRE(plan.part * teams * plan.blocks >= task.size);
  REQUIRE(plan.part * teams * (plan.blocks - 1) < task.size);
  // Each end has one thread, and threads have neighbouring ends.
  for (const std::uint64_t end : {std::uint64_t{0}, task.size / 3, task.size - 1}) {
    const std::uint64_t thread = plan.thread_of(end);
    REQUIRE(thread < plan.all_threads());
    const std::uint64_t in_tile = end % plan.part % plan.tile();
    REQUIRE(in_tile / plan.stretch == thread % plan.team);
  }
  if (work.stage < SetStage::cr) {
    REQUIRE(plan.part == plan.tile());
    REQUIRE(plan.shared == 0);
    return;
  }
  REQUIRE(plan.shared <= kLarge.shared_per_block);
  REQUIRE(plan.team == (work.stage == SetStage::st ? 32 : plan.threads));
  REQUIRE((plan.tile() % 32 == 0 && plan.tile_room % 16 == 0));
  REQUIRE(plan.tile_room >= plan.tile() + task.longest - 1 + 15);
  REQUIRE((plan.tables % 16 == 0 && plan.tables < task.tables + 16));
  REQUIRE((plan.tables == 0 || work.stage == SetStage::st));
  REQUIRE(plan.text_at >= plan.tables);
  REQUIRE(plan.results_at >= plan.text_at + std::size_t{plan.tile_room} * teams);
  REQUIRE((plan.result_room == 0 || (work.stage >= SetStage::cw && work.output == SetOutput::patterns)));
  REQUIRE((plan.result_room == 0 || plan.result_room == task.patterns));
  REQUIRE(plan.shared >= plan.results_at + std::size_t{plan.result_room} * 4);
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

TEST_CASE("the kernel for sets shares out every text") {
  tests::RandomCases random(41);
  constexpr SetOutput kOutputs[] = {SetOutput::count, SetOutput::stretches, SetOutput::patterns};
  for (int i = 0; i < 3000; ++i) {
    const gpu::SetTask task{random.number(1, std::uint64_t{1} << random.number(1, 34)),
                            random.number(1, std::uint64_t{1} << random.number(1, 10)),
                            random.number(1, std::uint64_t{1} << random.number(1, 24)),
                            static_cast<std::uint32_t>(random.number(1, 1u << random.number(1, 20)))};
    GpuSetWork work{.stage = gpu::kSetStages[random.number(0, 5)], .output = kOutputs[random.number(0, 2)]};
    if (random.chance(0.3)) {
      work.threads = static_cast<unsigned>(32 * random.number(1, 4));
    }
    if (random.chance(0.3)) {
      work.blocks = static_cast<unsigned>(random.number(1, 1000));
    }
    if (random.chance(0.3)) {
      work.stretch = static_cast<unsigned>(random.number(1, work.stage < SetStage::cr ? 20'000 : 100));
    }
    check_set(task, work);
  }
}

TEST_CASE("the paper's set has its tables in shared memory, as far as they fit") {
  const GpuSetWork work{.stage = SetStage::st};
  REQUIRE(planned({1u << 30, 8, 60'000, 1000}, work).tables == 60'000);
  const SetPlan large = planned({1u << 30, 8, 900'000, 16'000}, work);
  REQUIRE(large.threads == 1024);
  REQUIRE(large.tables > 180'000);
}

TEST_CASE("what the device cannot do for a set is refused") {
  const gpu::SetTask task{1'000'000, 8, 1000, 10};
  REQUIRE_THROWS_AS(planned(task, {.threads = 33}), UsageError);
  REQUIRE_THROWS_AS(planned(task, {.threads = 2048}), UsageError);
  REQUIRE_THROWS_AS(planned(task, {.threads = 1024, .stretch = 1000}), UsageError);
  REQUIRE_THROWS_AS(planned({1'000'000, 300'000, 1000, 10}, {}), UsageError);
  for (const SetStage stage : {SetStage::u, SetStage::tc}) {
    check_set({1'000'000, 300'000, 1000, 10}, {.stage = stage});
  }
  REQUIRE(gpu::set_stage("r16") == SetStage::r16);
  REQUIRE_THROWS_AS(gpu::set_stage("R16"), UsageError);
}
