#include <htslib/hts.h>
#include <tbb/version.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <thread>

#include "cli/commands.hpp"
#include "engine/engine.hpp"

namespace trawl::cli {

namespace {

void print_info() {
  std::cout << "trawl " << TRAWL_VERSION << "\n\nengines\n";
  for (const auto& engine : engine::available_engines()) {
    std::cout << "  " << engine.name << "  " << (engine.usable ? "usable" : "not usable: " + engine.reason) << "; "
              << engine.description << '\n';
  }
  std::cout << "\nmachine\n  " << std::thread::hardware_concurrency() << " hardware threads\n"
            << "\nlibraries\n  htslib " << hts_version() << "\n  oneTBB " << TBB_VERSION_STRING << "\n  Highway "
            << TRAWL_HIGHWAY_VERSION << "\n  CLI11 " << CLI11_VERSION << '\n';
}

}  // namespace

void add_info_command(CLI::App& app, Command& run) {
  auto* info = app.add_subcommand("info", "Version, engines, libraries");
  info->callback([&run] { run = print_info; });
}

}  // namespace trawl::cli
