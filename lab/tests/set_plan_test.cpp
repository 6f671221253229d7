// How the kernel for matchers of sets shares out a text, for many texts, sets and choices.
#include "lab/kernels/sets/set_plan.hpp"

#include "base/error.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using gpu::GpuSetWork;
using gpu::SetPlan;
using gpu::SetStage;
using matchers::SetOutput;

namespace {

constexpr gpu::ExactDevice kDevice{132, 227 * 1024, 228 * 1024, 1024};

// As a multiprocessor of 2,048 threads has room.
unsigned resident(unsigned threads, std::size_t shared) {
  const std::size_t fit = kDevice.shared_per_multiprocessor / (shared + kDevice.shared_reserved);
  return static_cast<unsigned>(std::min<std::size_t>(2048 / threads, fit));
}

SetPlan planned(const gpu::SetTask& task, const GpuSetWork& work) {
  return gpu::plan_set(kDevice, task, work, resident);
}

// All that the kernel relies on.
void check(const gpu::SetTask& task, const GpuSetWork& work) {
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
  REQUIRE(plan.shared <= kDevice.shared_per_block);
  REQUIRE(plan.team == (work.stage == SetStage::st ? 32 : plan.threads));
  REQUIRE(plan.tile() % 32 == 0);
  REQUIRE(plan.tile_room % 16 == 0);
  REQUIRE(plan.tile_room >= plan.tile() + task.longest - 1 + 15);
  REQUIRE(plan.tables % 16 == 0);
  REQUIRE(plan.tables < task.tables + 16);
  REQUIRE((plan.tables == 0 || work.stage == SetStage::st));
  REQUIRE(plan.text_at >= plan.tables);
  REQUIRE(plan.results_at >= plan.text_at + std::size_t{plan.tile_room} * teams);
  std::size_t results = 0;
  if (work.stage >= SetStage::cw && work.output == SetOutput::positions) {
    REQUIRE(plan.result_room > 0);
    results = gpu::position_bytes(plan.result_room) * teams;
    REQUIRE(results % 16 == 0);
    REQUIRE(results >= (16 + std::size_t{8} * plan.result_room) * teams);
    REQUIRE(plan.results_at % 16 == 0);
  } else if (plan.result_room > 0) {
    REQUIRE(work.stage >= SetStage::cw);
    REQUIRE(work.output == SetOutput::patterns);
    REQUIRE(plan.result_room == task.patterns);
    results = std::size_t{task.patterns} * 4;
  }
  REQUIRE(plan.shared >= plan.results_at + results);
}

}  // namespace

TEST_CASE("the kernel for sets shares out every text") {
  tests::RandomCases random(41);
  constexpr SetOutput kOutputs[] = {SetOutput::count, SetOutput::stretches, SetOutput::patterns, SetOutput::positions};
  for (int i = 0; i < 3000; ++i) {
    const gpu::SetTask task{random.number(1, std::uint64_t{1} << random.number(1, 34)),
                            random.number(1, std::uint64_t{1} << random.number(1, 10)),
                            random.number(1, std::uint64_t{1} << random.number(1, 24)),
                            static_cast<std::uint32_t>(random.number(1, 1u << random.number(1, 20)))};
    GpuSetWork work{.stage = gpu::kSetStages[random.number(0, 5)], .output = kOutputs[random.number(0, 3)]};
    if (random.chance(0.3)) {
      work.threads = static_cast<unsigned>(32 * random.number(1, 4));
    }
    if (random.chance(0.3)) {
      work.blocks = static_cast<unsigned>(random.number(1, 1000));
    }
    if (random.chance(0.3)) {
      work.stretch = static_cast<unsigned>(random.number(1, work.stage < SetStage::cr ? 20'000 : 100));
    }
    check(task, work);
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
    check({1'000'000, 300'000, 1000, 10}, {.stage = stage});
  }
  REQUIRE(gpu::set_stage("r16") == SetStage::r16);
  REQUIRE_THROWS_AS(gpu::set_stage("R16"), UsageError);
}
