// An index whose parts take turns in memory: how often they are built, and when a scan is cheaper.
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/registry.hpp"
#include "gpu/device/host_space.hpp"
#include "gpu/map/batch_engine.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

class WatchedSpace : public gpu::HostSpace {
 public:
  static inline int builds = 0;
  static inline int scans = 0;

  template <class Step>
  void for_each(std::uint64_t items, const Step& step) {
    builds += std::is_same_v<Step, gpu::CountKeys>;
    scans += requires { step.chunk_length; };
    HostSpace::for_each(items, step);
  }
};

gpu::MemoryPlan plan_by_turns(const sequence::Reference& reference) {
  gpu::MemoryPlan plan;
  plan.index =
      gpu::IndexPlan::make(reference.size(), reference.bases(), 3 * gpu::IndexPlan::table_bytes(seed::SeedIndex::kMinQ),
                           2 * gpu::IndexPlan::kOverlap);
  plan.slot_bytes = std::uint64_t{16} << 20;
  return plan;
}

gpu::BatchEngine<WatchedSpace>::Device device(const gpu::MemoryPlan& plan) {
  return {"a device", [] { return std::make_unique<WatchedSpace>(); }, plan};
}

}  // namespace

TEST_CASE("a batch begins with the part of the index that is there") {
  RandomCases random(116);
  const std::vector<std::string> contigs{random.bases(5000)};
  const auto reference = make_reference(contigs);
  map::Options options;
  options.search = map::Search::seeds;
  const gpu::MemoryPlan plan = plan_by_turns(reference);
  REQUIRE_FALSE(plan.index.resident);
  REQUIRE(plan.index.parts == 5);
  gpu::BatchEngine<WatchedSpace> engine(reference, options, {device(plan)});
  const auto worker = engine.make_worker();
  for (const int builds : {5, 4, 4}) {
    WatchedSpace::builds = 0;
    const auto records = map_with(*worker, {{"read", contigs[0].substr(2500, 80), ""}});
    CHECK(records.alignments.size() == 1);
    CHECK(WatchedSpace::builds == builds);
  }
}

TEST_CASE("hits in a part are held against the scan of a part") {
  RandomCases random(117);
  const std::string repeat = random.bases(8);
  std::string contig;
  for (int copy = 0; copy < 70; ++copy) {  // about 30 in a part; a scan costs as much as 17 hits in each part
    contig += repeat + random.bases(60);
  }
  const auto reference = make_reference({contig});
  map::Options options;
  options.max_edits = {false, 0, 0};
  options.report = map::Report::all;
  const auto expected =
      map_with(*engine::make_engine("cpu", reference, options)->make_worker(), {{"read", repeat, ""}});
  const gpu::MemoryPlan plan = plan_by_turns(reference);
  REQUIRE(reference.size() / 128 > 35);
  for (const auto search : {map::Search::automatic, map::Search::seeds}) {
    options.search = search;
    gpu::BatchEngine<WatchedSpace> engine(reference, options, {device(plan)});
    WatchedSpace::scans = 0;
    const auto found = map_with(*engine.make_worker(), {{"read", repeat, ""}});
    CHECK(text_of(found, 0) == text_of(expected, 0));
    CHECK(WatchedSpace::scans == (search == map::Search::automatic ? 1 : 0));
  }
}

TEST_CASE("batches are large where every batch builds the index anew") {
  RandomCases random(118);
  const auto reference = make_reference({random.bases(5000)});
  map::Options options;
  gpu::MemoryPlan plan = plan_by_turns(reference);
  plan.slot_bytes = gpu::MemoryPlan::kMaxSlotBytes;
  const gpu::BatchEngine<WatchedSpace> by_turns(reference, options, {device(plan)});
  plan.index.resident = true;
  plan.index.parts = 1;
  const gpu::BatchEngine<WatchedSpace> resident(reference, options, {device(plan)});
  const auto cpu = engine::make_engine("cpu", reference, options);
  CHECK(resident.reads_per_batch() == 16384);
  CHECK(resident.bases_per_batch() == cpu->bases_per_batch());
  CHECK(by_turns.reads_per_batch() == 262144);
  CHECK(by_turns.bases_per_batch() >= 100 * by_turns.reads_per_batch());
  CHECK(by_turns.batches_under_way(16) < resident.batches_under_way(16));
}

TEST_CASE("an index that fits with a smaller table needs no turns") {
  // The table of q = 10 does not fit. With a smaller table there is room for all positions.
  const auto plan = gpu::IndexPlan::make(100'032, 100'000, gpu::IndexPlan::table_bytes(9) * 2);
  CHECK(plan.q == 9);
  CHECK(plan.parts == 1);
  CHECK(plan.resident);
}
