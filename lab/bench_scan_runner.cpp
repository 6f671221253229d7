#include "lab/bench_scan_runner.hpp"

#include <algorithm>

#include "lab/bench_clock.hpp"
#include "scan/find/search_plan.hpp"

namespace trawl::lab {

ScanRunner cpu_scan_runner(const sequence::Reference& reference, unsigned repeats) {
  return [&reference, repeats](const std::vector<scan::Query>& queries, const scan::Options& options) {
    ScanOutcome outcome;
    const auto finder = scan::make_cpu_finder(queries, options);
    finder->find(reference, outcome.ends);
    for (unsigned r = 0; r < repeats; ++r) {
      outcome.seconds.push_back(seconds_of([&] { finder->find(reference, outcome.ends); }));
    }
    outcome.engine = finder->description();
    return outcome;
  };
}

#ifdef TRAWL_WITH_CUDA
ScanRunner cuda_scan_runner(const gpu::ScanText& text, unsigned repeats) {
  return [&text, repeats](const std::vector<scan::Query>& queries, const scan::Options& options) {
    ScanOutcome outcome;
    const auto plan = scan::make_whole_plan(queries, options);
    gpu::WuManberSearch search(plan.programs.front(), options.ambiguous_limit());
    search.run(text, outcome.ends);
    std::sort(outcome.ends.begin(), outcome.ends.end(), [](const auto& a, const auto& b) { return a.end < b.end; });
    outcome.seconds = search.time(text, repeats);
    outcome.engine = "cuda";
    return outcome;
  };
}
#endif

}  // namespace trawl::lab
