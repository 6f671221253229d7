#include "cli/scan_engine.hpp"

#include "base/error.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/device/devices.hpp"
#include "gpu/scan/wu_manber_scan.hpp"
#endif

namespace trawl::cli {

namespace {

// Queries times bases a CPU thread that take about as long as a GPU takes to start.
[[maybe_unused]] constexpr double kWorthAGpu = 1e10;

}  // namespace

std::unique_ptr<scan::Finder> make_finder(const std::string& name, const std::vector<scan::Query>& queries,
                                          const scan::Options& options,
                                          [[maybe_unused]] std::optional<std::uint64_t> reference_bytes,
                                          std::string& why) {
  if (name != "auto" && name != "cpu" && name != "cuda") {
    throw UsageError("--engine " + name + ": trawl scan has: auto cpu cuda");
  }
#ifdef TRAWL_WITH_CUDA
  const double work = static_cast<double>(queries.size()) * static_cast<double>(reference_bytes.value_or(0));
  if (name == "cuda" || (name == "auto" && work > kWorthAGpu * options.threads)) {
    why = gpu::row_wise_limits(queries, options);
    if (why.empty()) {
      try {
        return gpu::make_row_wise_finder(queries, options);
      } catch (const Error& error) {
        why = error.what();
      }
    }
  }
#else
  why = name == "cuda" ? "this build has no CUDA code" : "";
#endif
  if (name == "cuda") {
    throw Error("--engine cuda cannot be used here: " + why + "; use --engine cpu");
  }
  return scan::make_cpu_finder(queries, options);
}

}  // namespace trawl::cli
