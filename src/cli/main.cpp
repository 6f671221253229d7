#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#ifdef TRAWL_WITH_CUDA
#include "engine/engine.hpp"
#include "gpu/map/cuda_engine.hpp"
#endif

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "bench") {
    return trawl::cli::run_bench(argc, argv);
  }
#ifdef TRAWL_WITH_CUDA
  trawl::engine::add_engine(trawl::gpu::cuda_engine_entry());
#endif
  CLI::App app("trawl finds every place where a short sequence occurs in a reference within a given edit distance.");
  app.name("trawl");
  app.set_version_flag("--version", std::string("trawl ") + TRAWL_VERSION);
  app.require_subcommand(1);
  app.footer("trawl COMMAND --help tells more, with examples.");
  std::string typed;
  for (int i = 0; i < argc; ++i) {
    typed += (i > 0 ? " " : "") + std::string(argv[i]);
  }
  trawl::cli::Command run;
  trawl::cli::add_map_command(app, run, typed);
  trawl::cli::add_scan_command(app, run, typed);
  trawl::cli::add_bench_command(app);
  trawl::cli::add_info_command(app, run);
  return trawl::cli::run_program(app, run, argc, argv);
}
