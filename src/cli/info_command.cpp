#include <htslib/hts.h>
#include <tbb/version.h>

#include <iostream>
#include <string>
#include <thread>

#include "base/version.hpp"
#include "cli/commands.hpp"
#include "cli/options/parse.hpp"
#include "io/format/used_libraries.hpp"
#include "pipeline/engine_choice.hpp"
#include "ranks/cluster.hpp"
#include "session/command_run.hpp"
#ifdef TRAWL_WITH_CUDA
#include "base/error.hpp"
#include "gpu/device/devices.hpp"
#endif

namespace trawl::cli {

namespace {

void print_devices() {
  std::cout << "\nCUDA devices\n";
#ifdef TRAWL_WITH_CUDA
  try {
    for (const auto& device : gpu::devices()) {
      std::cout << "  " << device.number << "  " << device.name << ", " << (device.memory >> 20)
                << " MiB, compute capability " << device.compute_capability;
      try {
        gpu::start(device);
      } catch (const Error& error) {
        std::cout << ", not usable: " << error.what();
      }
      std::cout << '\n';
    }
  } catch (const Error&) {
    std::cout << "  none\n";  // the lines about the engines say why
  }
#else
  std::cout << "  none\n";
#endif
}

// One line; empty for a build without MPI.
std::string mpi_text(const ranks::Cluster& cluster) {
  const std::string library = ranks::mpi_library();
  if (library.empty()) {
    return "none; build with -DTRAWL_MPI=ON to run on many nodes";
  }
  return library + ", " + std::to_string(cluster.size()) + (cluster.is_alone() ? " rank" : " ranks on ") +
         (cluster.is_alone() ? "" : std::to_string(cluster.nodes()) + (cluster.nodes() == 1 ? " node" : " nodes"));
}

void print_info(const ranks::Cluster& cluster, const std::vector<std::string>& libraries) {
  std::cout << "trawl " << version() << "\n\nengines\n";
  for (const auto& engine : pipeline::available_engines()) {
    std::cout << "  " << engine.name << "  " << (engine.usable ? "usable" : "not usable: " + engine.reason) << "; "
              << engine.description << '\n';
  }
  print_devices();
  std::cout << "\nmachine\n  " << std::thread::hardware_concurrency() << " hardware threads\n"
            << "\nMPI\n  " << mpi_text(cluster) << '\n'
            << "\nlibraries\n  htslib " << hts_version() << "\n  oneTBB " << TBB_VERSION_STRING << "\n  Highway "
            << TRAWL_HIGHWAY_VERSION << "\n  CLI11 " << parser_version() << '\n';
  for (const std::string& library : io::used_libraries()) {
    std::cout << "  " << library << '\n';
  }
  for (const std::string& library : libraries) {
    std::cout << "  " << library << '\n';
  }
}

}  // namespace

Command info_command(const std::vector<std::string>& libraries) {
  return {.name = "info",
          .description = "Version, engines, devices, libraries",
          .work = [libraries](const Command&, session::CommandRun& run) { print_info(run.cluster(), libraries); }};
}

}  // namespace trawl::cli
