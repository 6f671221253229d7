// More end runs of loci than a 32-bit number can count, as a scan for very short reads can find.
#include <string>
#include <vector>

#include "gpu/map/batch_engine.hpp"
#include "run/engine_choice.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/map_reads.hpp"
#include "tests/host_space.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

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
  const gpu::EndRunOutput out{keys.data(), values.data(), &count, keys.size(), 20, 0, {}};
  for (int end_run = 0; end_run < 5; ++end_run) {
    out.put(7, 100, 1, 0, 0, 0);
  }
  CHECK(count == (std::uint64_t{1} << 32) + 3);
  CHECK(keys == std::vector<std::uint64_t>(4));
}

TEST_CASE("reads that make more end_runs together than 32 bits count") {
  RandomCases random(113);
  const auto contigs = random.contigs(0);
  const auto reference = make_reference(contigs);
  map::Options options;
  options.max_edits = {false, 0, 2};
  options.report = map::Report::all;
  std::vector<Read> reads;
  for (int r = 0; r < 20; ++r) {
    reads.push_back({"read", random.read(contigs, 40, 2, 0), ""});
  }
  for (const map::Search search : {map::Search::seeds, map::Search::scan}) {
    options.search = search;
    gpu::MemoryPlan plan;
    if (search == map::Search::seeds) {
      plan.index = gpu::IndexPlan::make(reference.size(), reference.bases(), std::uint64_t{1} << 30);
    }
    plan.slot_bytes = std::uint64_t{16} << 20;
    gpu::BatchEngine<CrowdedSpace> engine(reference, options,
                                          {{"a device", [] { return std::make_unique<CrowdedSpace>(); }, plan}});
    const auto expected = map_with(*run::make_engine("cpu", reference, options)->make_worker(), reads);
    CHECK(expected.alignments.size() > 10);
    const auto found = map_with(*engine.make_worker(), reads);
    for (std::size_t r = 0; r < reads.size(); ++r) {
      INFO("read " << r << ": " << reads[r].bases);
      REQUIRE(text_of(found, r) == text_of(expected, r));
    }
  }
}
