// Several threads send batches to several devices at once: the results are the same, and every device gets some
// batches.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gpu/map/batch_engine.hpp"
#include "pipeline/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/host_space.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

// Counts the batches of its device, and notices if two threads use the device at once.
class CountingSpace : public gpu::HostSpace {
 public:
  explicit CountingSpace(std::atomic<int>& batches) : batches_(batches) {}

  void enter() { ++batches_; }
  template <class Step>
  void for_each(std::uint64_t items, const Step& step) {
    if (in_use_.exchange(true)) {
      throw Error("two batches in one slot");
    }
    gpu::HostSpace::for_each(items, step);
    in_use_ = false;
  }

 private:
  std::atomic<int>& batches_;
  std::atomic<bool> in_use_ = false;
};

struct Devices {
  std::atomic<int> batches[2] = {0, 0};
  std::unique_ptr<gpu::BatchEngine<CountingSpace>> engine;

  Devices(const sequence::Reference& reference, const map::MapOptions& options, bool by_turns) {
    gpu::MemoryPlan plan;
    plan.index = gpu::IndexPlan::make(
        reference.size(), reference.bases(),
        by_turns ? 3 * gpu::IndexPlan::table_bytes(seed::SeedIndex::kMinQ) : std::uint64_t{1} << 30,
        2 * gpu::IndexPlan::kOverlap);
    CHECK(plan.index.resident == !by_turns);
    plan.slots = by_turns ? 1 : 2;
    plan.slot_bytes = std::uint64_t{4} << 20;
    std::vector<gpu::BatchEngine<CountingSpace>::Device> devices;
    for (std::atomic<int>& count : batches) {
      devices.push_back({"a device", [&count] { return std::make_unique<CountingSpace>(count); }, plan});
    }
    engine = std::make_unique<gpu::BatchEngine<CountingSpace>>(reference, options, std::move(devices));
  }
};

}  // namespace

TEST_CASE("two devices and eight threads") {
  RandomCases random(114);
  const std::vector<std::string> contigs{random.contig(3000, 0.001), random.contig(2000, 0.001)};
  const auto reference = make_reference(contigs);
  map::MapOptions options;
  options.max_edits = {false, 0, 3};
  options.report = map::Report::all;
  constexpr std::size_t kThreads = 8;
  constexpr std::size_t kBatches = 25;  // per thread
  std::vector<std::vector<Read>> batches;
  std::vector<std::vector<std::string>> expected;
  const auto cpu_engine = pipeline::make_engine("cpu", reference, options);
  const auto cpu = cpu_engine->make_worker();
  for (std::size_t b = 0; b < 10; ++b) {
    batches.push_back(random_reads(random, contigs, options.max_edits, 0.001, 200));
    batches.back().push_back({"long", random.read(contigs, 1100, 3, 0), ""});  // this one is left to the CPU
    const auto records = map_with(*cpu, batches.back());
    expected.emplace_back();
    for (std::size_t r = 0; r < batches.back().size(); ++r) {
      expected.back().push_back(text_of(records, r));
    }
  }
  for (const bool by_turns : {false, true}) {
    Devices devices(reference, options, by_turns);
    std::atomic<int> wrong = 0;
    std::atomic<int> failed = 0;
    std::vector<std::thread> threads;
    // Calls with pairs set their insert sizes meanwhile; these are single reads.
    std::atomic<bool> done = false;
    std::thread pairs([&] {
      for (std::uint32_t most = 1000; !done; ++most) {
        devices.engine->set_inserts({.min = 1, .max = most});
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        try {
          const auto worker = devices.engine->make_worker();
          for (std::size_t b = t; b < t + kBatches; ++b) {
            const std::size_t which = b % batches.size();
            const auto found = map_with(*worker, batches[which]);
            for (std::size_t r = 0; r < batches[which].size(); ++r) {
              wrong += text_of(found, r) != expected[which][r];
            }
          }
        } catch (const std::exception&) {
          ++failed;
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    done = true;
    pairs.join();
    INFO(devices.batches[0] << " and " << devices.batches[1] << " batches");
    CHECK(wrong == 0);
    CHECK(failed == 0);
    CHECK(devices.batches[0] + devices.batches[1] == kThreads * kBatches);
    CHECK(devices.batches[0] > static_cast<int>(kThreads * kBatches / 8));
    CHECK(devices.batches[1] > static_cast<int>(kThreads * kBatches / 8));
  }
}

TEST_CASE("one thread's batches go to two devices by turns") {
  RandomCases random(115);
  const auto contigs = random.contigs(0);
  const auto reference = make_reference(contigs);
  const map::MapOptions options;
  Devices devices(reference, options, false);
  const auto worker = devices.engine->make_worker();
  for (int b = 0; b < 10; ++b) {
    map_with(*worker, {{"read", random.read(contigs, 60, 3, 0), ""}});
  }
  CHECK(devices.batches[0] == 5);
  CHECK(devices.batches[1] == 5);
}
