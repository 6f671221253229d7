// CUDA calls that fail, each in turn, while an engine or a finder is made and while it works: there is an Error, no
// memory of the device stays behind, and the next batch or region is right.
#include "tests/gpu/failing_calls.hpp"

#include <string>
#include <vector>

#include "gpu/device/devices.hpp"
#include "gpu/map/cuda_engine.hpp"
#include "gpu/scan/cuda_finder.hpp"
#include "tests/catch.hpp"
#include "tests/conformance/device_input.hpp"
#include "tests/finder_ends.hpp"
#include "tests/gpu/has_device.hpp"
#include "tests/scan_cases.hpp"

using namespace trawl;
using namespace trawl::tests;

namespace {

std::uint64_t free_memory() {
  gpu::use(gpu::usable_devices(1).front());
  return gpu::usable_memory({});
}

// Returns how many calls failed. `silent`: so many of them may be without an Error.
template <class Work, class After>
int fail_at_every_call(const Work& work, const After& after, int silent = 0) {
  const int failures = tests::fail_at_every_call([](int calls) { fail_calls({.after = calls}); },
                                                 [](int calls) { return counted_calls() > calls; },
                                                 [&](const std::string& message) {
                                                   silent -= message.empty();
                                                   CHECK((message.empty() || message.find(": ") != std::string::npos));
                                                 },
                                                 work, after);
  CHECK(silent >= 0);
  return failures;
}

// A device that does not tell its name may still work: so many calls may fail without an Error.
int unknown_names() { return static_cast<int>(gpu::devices().size()); }

// Memory that is lost with each failure would add up to much more.
struct NothingIsLost {
  std::uint64_t before = free_memory();
  ~NothingIsLost() { CHECK(free_memory() + (std::uint64_t{48} << 20) > before); }
};

void check_finder(const scan::PatternList& patterns, const scan::ScanOptions& options,
                  const std::vector<std::string>& contigs, const std::string& kind, int least) {
  const auto queries = scan::make_queries(patterns, options);
  const auto reference = make_reference(contigs);
  const auto expected = by_rows(queries, options, reference);
  REQUIRE(!expected.empty());
  const auto make = [&] {
    auto finder = gpu::make_cuda_finder(queries, options, std::size_t{1} << 16);
    finder->load(reference);
    return finder;
  };
  ends_of(*make(), reference);
  const NothingIsLost check;
  const int failures_at_first = fail_at_every_call(
      make, [] {}, unknown_names());
  CHECK(failures_at_first > 10);
  {
    const auto finder = make();
    CAPTURE(finder->description(), kind);
    CHECK(finder->description().find(kind) != std::string::npos);
    const int failures = fail_at_every_call([&] { ends_of(*finder, reference); },
                                            [&] { REQUIRE(ends_of(*finder, reference) == expected); });
    CHECK(failures >= least);
  }
}

}  // namespace

TEST_CASE("CUDA calls that fail while reads are mapped", "[faults]") {
  if (!has_device()) {
    return;
  }
  for (const auto report : {map::Report::best, map::Report::all}) {
    for (const std::uint64_t part_positions : {0, 2200}) {
      DeviceInput input(report);
      input.options.device_memory = std::uint64_t{64} << 20;
      const auto expected = input.expected();
      const auto make = [&] {
        auto engine = gpu::make_cuda_engine(input.reference, input.options, part_positions);
        engine->set_inserts(input.inserts);
        return engine;
      };
      REQUIRE(input.records(*make()->make_worker()) == expected);
      const NothingIsLost check;
      CHECK(fail_at_every_call(
                make, [] {}, unknown_names()) > 30);
      const auto engine = make();
      const auto worker = engine->make_worker();
      const int failures =
          fail_at_every_call([&] { input.records(*worker); }, [&] { REQUIRE(input.records(*worker) == expected); });
      CHECK(failures > 200);
    }
  }
}

TEST_CASE("CUDA calls that fail while patterns are searched", "[faults]") {
  if (!has_device()) {
    return;
  }
  RandomCases random(191);
  scan::ScanOptions options;
  options.device_memory = std::uint64_t{64} << 20;
  const std::vector<std::string> contigs{random.bases(30000), random.bases(500) + "NNNN" + random.bases(500)};
  scan::PatternList patterns;
  for (int n = 0; n < 60; ++n) {
    patterns.add("p", random.mutate(contigs[0].substr(random.number(0, 29000), 30), 1));
    patterns.add("p", contigs[0].substr(random.number(0, 29000), 30));
  }
  options.search = scan::ScanMethod::rows;
  options.max_edits = 2;
  check_finder(patterns, options, contigs, "rows", 8);
  options.search = scan::ScanMethod::pieces;
  check_finder(patterns, options, contigs, "pieces", 8);
  options.max_edits = 0;
  check_finder(patterns, options, contigs, "", 8);  // literals

  options.max_edits = options.max_mismatches = 3;
  options.pam = {"NGG", true};
  scan::PatternList guides;
  std::string text;
  for (int n = 0; n < 40; ++n) {
    const std::string guide = random.bases(20);
    guides.add("g", guide);
    text += random.bases(200) + random.mutate(guide, 1) + "AGG";
  }
  check_finder(guides, options, {text}, "sites of the PAM", 8);
}
