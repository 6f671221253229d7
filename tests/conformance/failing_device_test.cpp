// A device that fails in the middle: the error comes out, and the engine serves the batches after it.
#include "engine/engine.hpp"
#include "error.hpp"
#include "gpu/host_space.hpp"
#include "gpu/map/batch_engine.hpp"
#include "tests/catch.hpp"
#include "tests/random_cases.hpp"

using namespace trawl;

namespace {

class FailingSpace : public gpu::HostSpace {
 public:
  template <class Step>
  void for_each(std::uint64_t items, const Step& step) {
    if (steps_left-- == 0) {
      throw Error("the device is gone");
    }
    gpu::HostSpace::for_each(items, step);
  }

  static inline int steps_left = -1;  // negative: it never fails
};

}  // namespace

TEST_CASE("a device that fails in the middle") {
  tests::RandomCases random(109);
  const auto contigs = random.contigs(0);
  const auto reference = tests::make_reference(contigs);
  map::Options options;
  options.max_edits = {false, 0, 3};
  options.report = map::Report::all;
  gpu::MemoryPlan plan;
  plan.index = gpu::IndexPlan::make(reference.size(), reference.bases(), std::uint64_t{1} << 30);
  plan.slot_bytes = std::uint64_t{16} << 20;
  FailingSpace::steps_left = -1;
  gpu::BatchEngine<FailingSpace> engine(reference, options,
                                        {{"a device", [] { return std::make_unique<FailingSpace>(); }, plan}});
  sequence::ReadBatch batch;
  for (int r = 0; r < 20; ++r) {
    batch.add("read", random.read(contigs, 60, 3, 0), "");
  }
  map::AlignmentBatch expected;
  engine.make_worker()->map(batch, expected);
  bool failed = true;
  for (int steps = 0; failed; ++steps) {
    INFO("after " << steps << " steps");
    REQUIRE(steps < 100);
    const auto worker = engine.make_worker();
    map::AlignmentBatch alignments;
    FailingSpace::steps_left = steps;
    failed = false;
    try {
      worker->map(batch, alignments);
    } catch (const Error& error) {
      failed = true;
      CHECK(std::string(error.what()) == "the device is gone");
    }
    FailingSpace::steps_left = -1;
    worker->map(batch, alignments);
    REQUIRE(alignments.alignments.size() == expected.alignments.size());
    CHECK(alignments.md == expected.md);
    CHECK(alignments.cigar == expected.cigar);
  }
}
