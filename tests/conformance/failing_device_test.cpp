// A device that fails during the work: the error is reported, and the engine can map the next batches.
#include <string>
#include <utility>

#include "base/error.hpp"
#include "gpu/device/host_space.hpp"
#include "gpu/map/batch_engine.hpp"
#include "run/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

// Counts every call that can fail on a device, and lets a chosen one fail.
class FailingSpace : public gpu::HostSpace {
 public:
  static inline int calls_left = -1;  // negative: no call fails

  void enter() { call(); }
  template <class Step>
  void for_each(std::uint64_t items, const Step& step) {
    call();
    HostSpace::for_each(items, step);
  }
  template <class T>
  void zero(T* data, std::uint64_t count) {
    call();
    HostSpace::zero(data, count);
  }
  template <class T>
  void copy(T* to, const T* from, std::uint64_t count) {
    call();
    HostSpace::copy(to, from, count);
  }
  void exclusive_sum(std::uint32_t* data, std::uint64_t count, gpu::Arena& arena) {
    call();
    HostSpace::exclusive_sum(data, count, arena);
  }
  void inclusive_sum(std::uint64_t* data, std::uint64_t count, gpu::Arena& arena) {
    call();
    HostSpace::inclusive_sum(data, count, arena);
  }
  void inclusive_max(std::uint64_t* data, std::uint64_t count, gpu::Arena& arena) {
    call();
    HostSpace::inclusive_max(data, count, arena);
  }
  std::uint64_t* sort(std::uint64_t* keys, std::uint64_t count, unsigned bits, gpu::Arena& arena) {
    call();
    return HostSpace::sort(keys, count, bits, arena);
  }
  std::pair<std::uint64_t*, std::uint32_t*> sort_pairs(std::uint64_t* keys, std::uint32_t* values, std::uint64_t count,
                                                       unsigned bits, gpu::Arena& arena) {
    call();
    return HostSpace::sort_pairs(keys, values, count, bits, arena);
  }
  template <class T>
  void upload(T* to, const T* from, std::uint64_t count) {
    call();
    HostSpace::upload(to, from, count);
  }
  template <class T>
  void download(T* to, const T* from, std::uint64_t count) {
    call();
    HostSpace::download(to, from, count);
  }
  template <class T>
  T fetch(const T* from) {
    call();
    return HostSpace::fetch(from);
  }
  void synchronize() {
    call();
    HostSpace::synchronize();
  }

 private:
  static void call() {
    if (calls_left-- == 0) {
      throw Error("the device is gone");
    }
  }
};

// Runs `work` again and again: the device fails at the first call, then at the second, and so on, until it does not
// fail. Calls `after` each time. Returns how often the device failed.
template <class Work, class After>
int fail_at_every_call(const Work& work, const After& after) {
  for (int calls = 0;; ++calls) {
    INFO("after " << calls << " calls");
    FailingSpace::calls_left = calls;
    bool failed = false;
    try {
      work();
    } catch (const Error& error) {
      failed = true;
      CHECK(std::string(error.what()) == "the device is gone");
    }
    FailingSpace::calls_left = -1;
    after();
    if (!failed) {
      return calls;
    }
  }
}

// Its prefix sums need more memory than was reserved.
class GreedySpace : public gpu::HostSpace {
 public:
  void exclusive_sum(std::uint32_t* data, std::uint64_t count, gpu::Arena& arena) {
    arena.take<char>(arena.room() + 1);
    HostSpace::exclusive_sum(data, count, arena);
  }
};

struct Case {
  std::vector<std::string> contigs;
  sequence::Reference reference;
  map::Options options;
  std::vector<Read> reads;

  explicit Case(map::Report report) {
    RandomCases random(109);
    contigs = {random.contig(4000, 0)};
    reference = make_reference(contigs);
    options.max_edits = {false, 0, 3};
    options.report = report;
    for (int r = 0; r < 20; ++r) {
      reads.push_back({"read", random.read(contigs, 60, 3, 0), ""});
    }
  }

  template <class Space>
  typename gpu::BatchEngine<Space>::Device device(bool by_turns) const {
    gpu::MemoryPlan plan;
    const std::uint64_t room =
        by_turns ? 3 * gpu::IndexPlan::table_bytes(seed::SeedIndex::kMinQ) : std::uint64_t{1} << 30;
    plan.index = gpu::IndexPlan::make(reference.size(), reference.bases(), room, 2 * gpu::IndexPlan::kOverlap);
    plan.slot_bytes = std::uint64_t{16} << 20;
    return {"a device", [] { return std::make_unique<Space>(); }, plan};
  }
};

}  // namespace

TEST_CASE("a device that fails in the middle") {
  for (const auto report : {map::Report::best, map::Report::all}) {
    for (const bool by_turns : {false, true}) {
      const Case some(report);
      const auto expected = map_with(*run::make_engine("cpu", some.reference, some.options)->make_worker(), some.reads);
      gpu::BatchEngine<FailingSpace> engine(some.reference, some.options, {some.device<FailingSpace>(by_turns)});
      auto worker = engine.make_worker();
      const int failures = fail_at_every_call([&] { map_with(*worker, some.reads); },
                                              [&] {
                                                const auto found = map_with(*worker, some.reads);
                                                for (std::size_t r = 0; r < some.reads.size(); ++r) {
                                                  REQUIRE(text_of(found, r) == text_of(expected, r));
                                                }
                                              });
      CHECK(failures > 60);
    }
  }
}

TEST_CASE("a device that fails while ranges are searched for") {
  for (const bool by_turns : {false, true}) {
    const Case some(map::Report::best);
    std::vector<engine::RangeQuery> queries;
    for (const Read& read : some.reads) {
      queries.push_back({read.bases, 4});
    }
    engine::EndRanges expected;
    run::make_engine("cpu", some.reference, some.options)->make_range_finder()->find(queries, expected);
    CHECK(expected.ranges.size() > 10);
    gpu::BatchEngine<FailingSpace> engine(some.reference, some.options, {some.device<FailingSpace>(by_turns)});
    const auto finder = engine.make_range_finder();
    engine::EndRanges found;
    const int failures = fail_at_every_call([&] { finder->find(queries, found); },
                                            [&] {
                                              finder->find(queries, found);
                                              REQUIRE(found.ranges == expected.ranges);
                                              REQUIRE(found.first == expected.first);
                                            });
    CHECK(failures > 25);
  }
}

TEST_CASE("a device that fails while the engine is made") {
  const Case some(map::Report::best);
  const int failures = fail_at_every_call(
      [&] { gpu::BatchEngine<FailingSpace>(some.reference, some.options, {some.device<FailingSpace>(false)}); }, [] {});
  CHECK(failures > 5);
}

TEST_CASE("an index that needs more working memory than it has is an error, not a batch that is too large") {
  const Case some(map::Report::best);
  gpu::BatchEngine<GreedySpace> engine(some.reference, some.options, {some.device<GreedySpace>(true)});
  const auto worker = engine.make_worker();
  for (int batch = 0; batch < 2; ++batch) {
    CHECK_THROWS_AS(map_with(*worker, some.reads), Error);
  }
}
