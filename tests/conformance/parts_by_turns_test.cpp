// An index whose parts take turns in memory: how often they are built, and when a scan is cheaper.
#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu/map/batch_engine.hpp"
#include "pipeline/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/host_space.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

class WatchedSpace : public gpu::HostSpace {
 public:
  static inline int builds = 0;
  static inline int scans = 0;
  static inline std::uint32_t most_verified = 0;  // reads at a time
  static inline std::vector<std::string> searches;

  template <class Step>
  void for_each(std::uint64_t items, const Step& step) {
    builds += std::is_same_v<Step, gpu::CountKeys>;
    scans += requires { step.chunks; };
    if constexpr (requires {
                    step.candidates;
                    step.out;
                  }) {
      most_verified = std::max(most_verified, step.reads.count);
      searches.push_back(std::to_string(step.reads.count) + " for " + std::to_string(step.reads.reads[0].max_edits));
    }
    gpu::HostSpace::for_each(items, step);
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
  map::MapOptions options;
  options.search = map::SearchMethod::seeds;
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

TEST_CASE("only reads that need it are searched for more than few edits, and none if that builds parts again") {
  RandomCases random(120);
  const std::vector<std::string> contigs{random.bases(5000)};
  const auto reference = make_reference(contigs);
  map::MapOptions options;
  options.search = map::SearchMethod::seeds;
  std::vector<Mates> pairs;
  for (std::size_t p = 0; p < 30; ++p) {
    std::string first = contigs[0].substr(100 * p, 150);
    for (std::size_t edit = 0; edit < (p == 7 ? 6 : p % 2); ++edit) {
      first[20 * edit + 10] = sequence::complement_base(first[20 * edit + 10]);
    }
    const std::string second = sequence::reverse_complement(contigs[0].substr(100 * p + 300, 150));
    pairs.push_back({{"pair", first, ""}, {"pair", second, "", true}});
  }
  using Searches = std::vector<std::string>;
  for (const bool resident : {true, false}) {
    gpu::MemoryPlan plan = plan_by_turns(reference);
    plan.index =
        resident ? gpu::IndexPlan::make(reference.size(), reference.bases(), std::uint64_t{1} << 30) : plan.index;
    gpu::BatchEngine<WatchedSpace> engine(reference, options, {device(plan)});
    engine.set_inserts({.min = 100, .max = 600});
    WatchedSpace::searches.clear();
    const auto found = map_with(*engine.make_worker(), pairs);
    CHECK(found.reads[14].best_count == 1);
    CHECK(WatchedSpace::searches ==
          (resident ? Searches{"60 for 2", "1 for 4", "1 for 7"} : Searches(plan.index.parts, "60 for 7")));
  }
}

TEST_CASE("a search for ranges builds every part of the index once, also if its queries do not fit together") {
  RandomCases random(119);
  const std::vector<std::string> contigs{random.bases(5000)};
  const auto reference = make_reference(contigs);
  map::MapOptions options;
  options.search = map::SearchMethod::seeds;
  gpu::MemoryPlan plan = plan_by_turns(reference);
  plan.slot_bytes = std::uint64_t{4} << 20;
  std::vector<std::string> bases;
  for (int q = 0; q < 2000; ++q) {
    bases.push_back(random.read(contigs, 100, 5, 0));
  }
  const std::vector<engine::RangeQuery> few{{bases[0], 5}};
  std::vector<engine::RangeQuery> many;
  for (const std::string& query : bases) {
    many.push_back({query, 5});
  }
  engine::EndRanges expected;
  pipeline::make_engine("cpu", reference, options)->make_range_finder()->find(many, expected);
  gpu::BatchEngine<WatchedSpace> engine(reference, options, {device(plan)});
  const auto finder = engine.make_range_finder();
  engine::EndRanges found;
  for (const int builds : {5, 4, 4}) {
    WatchedSpace::builds = 0;
    finder->find(few, found);
    CHECK(WatchedSpace::builds == builds);
    WatchedSpace::builds = 0;
    WatchedSpace::most_verified = 0;
    finder->find(many, found);
    CHECK(WatchedSpace::builds == 4);
    CHECK(WatchedSpace::most_verified < many.size());
    CHECK(found.ranges == expected.ranges);
    CHECK(found.first == expected.first);
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
  map::MapOptions options;
  options.max_edits = {false, 0, 0};
  options.report = map::Report::all;
  const auto expected =
      map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), {{"read", repeat, ""}});
  const gpu::MemoryPlan plan = plan_by_turns(reference);
  REQUIRE(reference.size() / 128 > 35);
  for (const auto search : {map::SearchMethod::automatic, map::SearchMethod::seeds}) {
    options.search = search;
    gpu::BatchEngine<WatchedSpace> engine(reference, options, {device(plan)});
    WatchedSpace::scans = 0;
    const auto found = map_with(*engine.make_worker(), {{"read", repeat, ""}});
    CHECK(text_of(found, 0) == text_of(expected, 0));
    CHECK(WatchedSpace::scans == (search == map::SearchMethod::automatic ? 1 : 0));
  }
}

TEST_CASE("batches are large where every batch builds the index anew") {
  RandomCases random(118);
  const auto reference = make_reference({random.bases(5000)});
  map::MapOptions options;
  gpu::MemoryPlan plan = plan_by_turns(reference);
  plan.slot_bytes = gpu::MemoryPlan::kMaxSlotBytes;
  const gpu::BatchEngine<WatchedSpace> by_turns(reference, options, {device(plan)});
  plan.index.resident = true;
  plan.index.parts = 1;
  const gpu::BatchEngine<WatchedSpace> resident(reference, options, {device(plan)});
  const auto cpu = pipeline::make_engine("cpu", reference, options);
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

namespace {

// More end runs of loci than a 32-bit number can count, as a scan for very short reads can find.
constexpr std::uint64_t kNearlyAll = (std::uint64_t{1} << 32) - 2;

// If two or more reads are searched together, behaves as if nearly 2^32 end runs had already been found.
class CrowdedSpace : public gpu::HostSpace {
 public:
  template <class Step>
  void for_each(std::uint64_t items, const Step& step) {
    if constexpr (requires { step.out.count; }) {
      if (step.reads.count > 1) {
        *step.out.count += kNearlyAll;
      }
    }
    gpu::HostSpace::for_each(items, step);
  }
};

}  // namespace

TEST_CASE("end_runs are counted beyond 32 bits") {
  std::vector<std::uint64_t> keys(4);
  std::vector<std::uint32_t> values(4);
  std::uint64_t count = kNearlyAll;
  const gpu::EndRunOutput out{keys.data(), values.data(), &count, keys.size(), 20, {}};
  for (int end_run = 0; end_run < 5; ++end_run) {
    out.put({}, 1, 100, 1, 0, 0, 0);
  }
  CHECK(count == (std::uint64_t{1} << 32) + 3);
  CHECK(keys == std::vector<std::uint64_t>(4));
}

TEST_CASE("reads that make more end_runs together than 32 bits count") {
  RandomCases random(113);
  const auto contigs = random.contigs(0);
  const auto reference = make_reference(contigs);
  map::MapOptions options;
  options.max_edits = {false, 0, 2};
  options.report = map::Report::all;
  std::vector<Read> reads;
  for (int r = 0; r < 20; ++r) {
    reads.push_back({"read", random.read(contigs, 40, 2, 0), ""});
  }
  for (const map::SearchMethod search : {map::SearchMethod::seeds, map::SearchMethod::scan}) {
    options.search = search;
    gpu::MemoryPlan plan;
    if (search == map::SearchMethod::seeds) {
      plan.index = gpu::IndexPlan::make(reference.size(), reference.bases(), std::uint64_t{1} << 30);
    }
    plan.slot_bytes = std::uint64_t{16} << 20;
    gpu::BatchEngine<CrowdedSpace> engine(reference, options,
                                          {{"a device", [] { return std::make_unique<CrowdedSpace>(); }, plan}});
    const auto expected = map_with(*pipeline::make_engine("cpu", reference, options)->make_worker(), reads);
    CHECK(expected.alignments.size() > 10);
    const auto found = map_with(*engine.make_worker(), reads);
    for (std::size_t r = 0; r < reads.size(); ++r) {
      INFO("read " << r << ": " << reads[r].bases);
      REQUIRE(text_of(found, r) == text_of(expected, r));
    }
  }
}
