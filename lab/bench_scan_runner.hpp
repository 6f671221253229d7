// Times the search of `trawl scan`, in this process.
//
//   const auto queries = scan::make_queries({{"pattern", "GATTACA"}}, options);
//   const ScanOutcome outcome = cpu_scan_runner(reference, 5)(queries, options);
//   outcome.ends                // all of them, in ascending order
//   median(outcome.seconds)     // of 5 runs, after one that is not timed
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"
#include "sequence/reference.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/scan/wu_manber_scan.hpp"
#endif

namespace trawl::lab {

struct ScanOutcome {
  std::vector<scan::Hit> ends;
  std::vector<double> seconds;
  std::string engine;
};

/// One way to run: the CPU with a reference in memory, or the device with a text in its memory. For one query.
using ScanRunner = std::function<ScanOutcome(const std::vector<scan::Query>&, const scan::Options&)>;

/// The reference must outlive the runner. As many threads as oneTBB has.
ScanRunner cpu_scan_runner(const sequence::Reference& reference, unsigned repeats);
#ifdef TRAWL_WITH_CUDA
/// The text must outlive the runner, and have room for the query (gpu::ScanText, `reach`).
ScanRunner cuda_scan_runner(const gpu::ScanText& text, unsigned repeats);
#endif

}  // namespace trawl::lab
