// A device that fails: at every call, and at every piece of memory that it is asked for, at the start and in the midst
// of the work. The error is reported, nothing stays behind, and the engine can map the next batches.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "clip/clipping_engine.hpp"
#include "gpu/map/batch_engine.hpp"
#include "mappability/position_loci.hpp"
#include "pipeline/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/device_input.hpp"
#include "tests/conformance/position_counts.hpp"
#include "tests/host_space.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

// Counts every call that can fail on a device, and lets a chosen one fail.
struct Failing {
  static inline std::atomic<int> calls_left = -1;  // negative: no call fails

  static void call(const char* what = "the device is gone") {
    if (calls_left.fetch_sub(1) == 0) {
      throw Error(what);
    }
  }
};

class FailingSpace : public gpu::HookedSpace<Failing> {
  static inline const auto owner = std::make_shared<int>();

 public:
  // How many pieces of the device's memory there are.
  static long pieces() { return owner.use_count() - 1; }

  template <class T>
  class Buffer : public sequence::HugeArray<T> {
   public:
    Buffer() = default;
    explicit Buffer(std::size_t size)
        : sequence::HugeArray<T>((Failing::call("the device has no memory left"), size)), alive_(owner) {}

   private:
    std::shared_ptr<int> alive_;
  };
  template <class T>
  using HostBuffer = Buffer<T>;

  FailingSpace() { Failing::call(); }
};

// Runs `work` until no call fails. Returns how many failed.
template <class Work, class After>
int fail_at_every_call(const Work& work, const After& after) {
  return tests::fail_at_every_call(
      [](int calls) { Failing::calls_left = calls; }, [](int) { return Failing::calls_left < 0; },
      [](const std::string& message) {
        CHECK((message == "the device is gone" || message == "the device has no memory left"));
      },
      work, after);
}

// Its prefix sums need more memory than was reserved.
class GreedySpace : public gpu::HostSpace {
 public:
  void exclusive_sum(std::uint32_t* data, std::uint64_t count, gpu::Arena& arena) {
    arena.take<char>(arena.room() + 1);
    gpu::HostSpace::exclusive_sum(data, count, arena);
  }
};

struct Input : DeviceInput {
  using DeviceInput::DeviceInput;

  template <class Space>
  typename gpu::BatchEngine<Space>::Device device(bool by_turns, bool bases_on_host = false) const {
    gpu::MemoryPlan plan;
    const std::uint64_t room =
        by_turns ? 3 * gpu::IndexPlan::table_bytes(seed::SeedIndex::kMinQ) : std::uint64_t{1} << 30;
    if (options.search != map::SearchMethod::scan) {
      plan.index = gpu::IndexPlan::make(reference.size(), reference.bases(), room, 2 * gpu::IndexPlan::kOverlap);
    }
    plan.slot_bytes = std::uint64_t{16} << 20;
    plan.bases_on_host = bases_on_host;
    return {"a device", [] { return std::make_unique<Space>(); }, plan};
  }

  std::unique_ptr<engine::Engine> engine(bool by_turns = false, bool bases_on_host = false) const {
    auto made = std::make_unique<gpu::BatchEngine<FailingSpace>>(
        reference, options,
        std::vector<gpu::BatchEngine<FailingSpace>::Device>{device<FailingSpace>(by_turns, bases_on_host)});
    made->set_inserts(inserts);
    return made;
  }
};

// How often a device failed, in the work on some input. After each failure the records are right.
int fail_in_work(const Input& input, std::unique_ptr<engine::Engine> engine) {
  const auto expected = input.expected();
  int failures = 0;
  {
    const auto worker = engine->make_worker();
    const long pieces = FailingSpace::pieces();
    failures = fail_at_every_call([&] { input.records(*worker); },
                                  [&] {
                                    REQUIRE(FailingSpace::pieces() == pieces);
                                    REQUIRE(input.records(*worker) == expected);
                                  });
  }
  engine.reset();
  CHECK(FailingSpace::pieces() == 0);
  return failures;
}

}  // namespace

TEST_CASE("a device that fails in the middle") {
  for (const auto report : {map::Report::best, map::Report::strata, map::Report::all}) {
    for (const bool by_turns : {false, true}) {
      Input input(report);
      input.options.pairs.discordant = align::Discordant::always;
      CAPTURE(static_cast<int>(report), by_turns);
      CHECK(fail_in_work(input, input.engine(by_turns)) > 150);
    }
  }
}

TEST_CASE("a device that fails where ambiguous letters match") {
  for (const bool bases_on_host : {false, true}) {
    Input input(map::Report::all, 0.002);
    input.options.ambiguous = map::Ambiguous::match;
    CHECK(fail_in_work(input, input.engine(false, bases_on_host)) > 150);
  }
}

TEST_CASE("a device that fails while the reference is scanned, or only mismatches are looked for") {
  Input input(map::Report::all);
  input.options.search = map::SearchMethod::scan;
  CHECK(fail_in_work(input, input.engine()) > 100);
  input.options.search = map::SearchMethod::automatic;
  input.options.metric = map::Metric::hamming;
  CHECK(fail_in_work(input, input.engine()) > 150);
}

TEST_CASE("a device that fails while reads are clipped and split") {
  Input input(map::Report::best);
  input.options.clip.most = {false, 0, 40};
  input.options.clip.split = true;
  RandomCases random(110);
  for (std::size_t r = 0; r < input.reads.size(); r += 2) {
    input.reads[r].bases = random.bases(25) + input.reads[r].bases.substr(0, 60);
  }
  CHECK(fail_in_work(input, clip::make_clipping_engine(input.engine(), input.reference, input.options)) > 150);
}

TEST_CASE("a device that fails while ranges are searched for") {
  for (const bool by_turns : {false, true}) {
    const Input input(map::Report::best);
    std::vector<engine::RangeQuery> queries;
    for (const Read& read : input.reads) {
      queries.push_back({read.bases, 4});
    }
    engine::EndRanges expected;
    pipeline::make_engine("cpu", input.reference, input.options)->make_range_finder()->find(queries, expected);
    CHECK(expected.ranges.size() > 10);
    const auto engine = input.engine(by_turns);
    const auto finder = engine->make_range_finder();
    engine::EndRanges found;
    const int failures = fail_at_every_call(
        [&] {
          finder->find(queries, found);
          finder->count(queries, found);
        },
        [&] {
          finder->find(queries, found);
          REQUIRE(found.ranges == expected.ranges);
          REQUIRE(found.first == expected.first);
        });
    CHECK(failures > 50);
  }
}

TEST_CASE("a device that fails while the loci of every position are counted") {
  const Input input(map::Report::all);
  const mappability::ReferenceReads reads{50, 2};
  const auto expected =
      counts_of(*pipeline::make_engine("cpu", input.reference, input.options), input.reference, reads, 600);
  const auto engine = input.engine();
  mappability::KnownReads known(input.reference, reads.length, input.reference.bases());
  mappability::PositionLoci loci(input.reference, reads, engine->make_range_finder(), known);
  const sequence::Contig& contig = input.reference.contigs()[0];
  std::vector<std::uint64_t> counts(600);
  const std::vector<mappability::ReadStarts> starts{{contig.offset + 900, counts.size()}};
  const auto count = [&] { loci.count(starts, counts); };
  const int failures = fail_at_every_call(count, [&] {
    count();
    REQUIRE(std::equal(counts.begin(), counts.end(), expected.begin() + 900));
  });
  CHECK(failures > 20);
}

TEST_CASE("a device that fails, or has no memory, while the engine is made") {
  for (const bool bases_on_host : {false, true}) {
    const Input input(map::Report::best);
    const int failures =
        fail_at_every_call([&] { input.engine(false, bases_on_host); }, [] { REQUIRE(FailingSpace::pieces() == 0); });
    CHECK(failures > 15);
  }
}

TEST_CASE("one of two devices fails while threads map: the others' batches are right, and so is the next one") {
  const Input input(map::Report::all);
  const auto expected = input.records_of_reads(*pipeline::make_engine("cpu", input.reference, input.options)->make_worker());
  auto device = input.device<FailingSpace>(false);
  device.plan.slots = 2;
  gpu::BatchEngine<FailingSpace> engine(input.reference, input.options, {device, device});
  engine.set_inserts(input.inserts);
  constexpr std::size_t kThreads = 4;
  std::vector<std::unique_ptr<engine::Worker>> workers;
  for (std::size_t t = 0; t < kThreads; ++t) {
    workers.push_back(engine.make_worker());
  }
  int failures = 0;
  for (int calls = 0; calls < 350; calls += 7) {
    Failing::calls_left = calls;
    std::atomic<int> failed = 0, wrong = 0;
    std::vector<std::thread> threads;
    for (auto& worker : workers) {
      threads.emplace_back([&] {
        try {
          wrong += input.records_of_reads(*worker) != expected;
        } catch (const Error&) {
          ++failed;
        }
        try {
          wrong += input.records_of_reads(*worker) != expected;
        } catch (const Error&) {
          ++failed;
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    CAPTURE(calls);
    REQUIRE(wrong == 0);
    REQUIRE(failed == 1);
    failures += failed;
  }
  Failing::calls_left = -1;
  CHECK(failures > 40);
}

TEST_CASE("an index that needs more working memory than it has is an error, not a batch that is too large") {
  const Input input(map::Report::best);
  gpu::BatchEngine<GreedySpace> engine(input.reference, input.options, {input.device<GreedySpace>(true)});
  const auto worker = engine.make_worker();
  for (int batch = 0; batch < 2; ++batch) {
    CHECK_THROWS_AS(map_with(*worker, input.reads), Error);
  }
}
