#include "cli/scan_engine.hpp"

#include "error.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/device_text.hpp"
#include "gpu/row_wise.hpp"
#endif

namespace trawl::cli {

namespace {

// Queries times bases a CPU thread that take about as long as a GPU takes to start.
[[maybe_unused]] constexpr double kWorthAGpu = 1e10;

// Why the GPU cannot take these queries; nothing if it can.
std::string why_not_cuda([[maybe_unused]] const std::vector<scan::Query>& queries,
                         [[maybe_unused]] const scan::Options& options) {
#ifdef TRAWL_WITH_CUDA
  std::string why = gpu::row_wise_limits(queries, options);
  if (why.empty() && !gpu::devices(why).empty()) {
    return "";
  }
  return why;
#else
  return "this build has no CUDA code";
#endif
}

}  // namespace

std::unique_ptr<scan::Finder> make_finder(const std::string& name, const std::vector<scan::Query>& queries,
                                          const scan::Options& options,
                                          [[maybe_unused]] std::optional<std::uint64_t> reference_bytes) {
  if (name != "auto" && name != "cpu" && name != "cuda") {
    throw UsageError("--engine " + name + ": trawl scan has: auto cpu cuda");
  }
  if (name == "cuda") {
    if (const std::string why = why_not_cuda(queries, options); !why.empty()) {
      throw Error("--engine cuda cannot be used here: " + why + "; use --engine cpu");
    }
  }
#ifdef TRAWL_WITH_CUDA
  const double work = static_cast<double>(queries.size()) * static_cast<double>(reference_bytes.value_or(0));
  if (name == "cuda" ||
      (name == "auto" && work > kWorthAGpu * options.threads && why_not_cuda(queries, options).empty())) {
    return gpu::make_row_wise_finder(queries, options);
  }
#endif
  return scan::make_cpu_finder(queries, options);
}

}  // namespace trawl::cli
