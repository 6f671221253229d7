#include "gpu/engine_entry.hpp"

#include "base/error.hpp"
#include "gpu/device/devices.hpp"
#include "gpu/map/cuda_engine.hpp"
#include "gpu/scan/cuda_finder.hpp"
#include "gpu/words/cuda_site_join.hpp"
#include "scan/find/search_plan.hpp"

namespace trawl::gpu {

namespace {

// How long a GPU takes to start, in nanoseconds.
constexpr double kStart = 3e8;

std::string description() {
  std::string names;
  try {
    for (const Device& device : devices()) {
      names += (names.empty() ? "" : ", ") + device.name;
    }
  } catch (const Error&) {
    return "needs an NVIDIA GPU";
  }
  return names;
}

// Creates the contexts, which takes a while.
void warm_up(const WorkOptions& options) {
  for (const Device& device : devices_to_use(options)) {
    start(device);
  }
}

std::string unsuited_to_scan(const std::vector<scan::Query>& queries, const scan::ScanOptions& options,
                             std::optional<std::uint64_t> reference_bytes) {
  const double on_cpu = static_cast<double>(reference_bytes.value_or(0)) * scan::estimated_cost(queries, options);
  if (!options.names_devices() && on_cpu <= kStart * options.threads) {
    return reference_bytes ? "the search is too small to be faster on a GPU"
                           : "the size of the reference is not known, so a GPU may not be faster";
  }
  return why_not_searched_on_device(queries, options);
}

}  // namespace

pipeline::EngineEntry cuda_engine_entry() {
  pipeline::EngineEntry entry{"cuda", description};
  entry.make = [](const sequence::Reference& reference, const map::MapOptions& options) {
    return make_cuda_engine(reference, options, 0);
  };
  entry.make_finder = [](const std::vector<scan::Query>& queries, const scan::ScanOptions& options) {
    return make_cuda_finder(queries, options);
  };
  entry.make_site_join = make_cuda_site_join;
  entry.unsuited_to_scan = unsuited_to_scan;
  entry.look = [](const WorkOptions& options) { named_devices(options); };
  entry.warm_up = warm_up;
  return entry;
}

}  // namespace trawl::gpu
