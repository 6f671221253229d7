#include <htslib/hts.h>
#include <tbb/version.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <thread>

#include "cli/commands.hpp"
#include "engine/engine.hpp"
#ifdef TRAWL_WITH_CUDA
#include "gpu/device_text.hpp"
#endif

namespace trawl::cli {

namespace {

void print_devices() {
#ifdef TRAWL_WITH_CUDA
  std::string why;
  const auto devices = gpu::devices(why);
  std::cout << "\nCUDA devices\n";
  for (std::size_t d = 0; d < devices.size(); ++d) {
    std::cout << "  " << d << "  " << devices[d].name << ", " << (devices[d].memory >> 20)
              << " MiB, compute capability " << devices[d].compute_capability << '\n';
  }
  if (devices.empty()) {
    std::cout << "  none: " << why << '\n';
  }
#else
  std::cout << "\nCUDA devices\n  none: this build has no CUDA code\n";
#endif
}

void print_info() {
  std::cout << "trawl " << TRAWL_VERSION << "\n\nengines\n";
  for (const auto& engine : engine::available_engines()) {
    std::cout << "  " << engine.name << "  " << (engine.usable ? "usable" : "not usable: " + engine.reason) << "; "
              << engine.description << '\n';
  }
  print_devices();
  std::cout << "\nmachine\n  " << std::thread::hardware_concurrency() << " hardware threads\n"
            << "\nlibraries\n  htslib " << hts_version() << "\n  oneTBB " << TBB_VERSION_STRING << "\n  Highway "
            << TRAWL_HIGHWAY_VERSION << "\n  CLI11 " << CLI11_VERSION << '\n';
}

}  // namespace

void add_info_command(CLI::App& app, Command& run) {
  auto* info = app.add_subcommand("info", "Version, engines, devices, libraries");
  info->callback([&run] { run = print_info; });
}

}  // namespace trawl::cli
