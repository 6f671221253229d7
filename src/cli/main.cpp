#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "cli/commands.hpp"

// The work's errors are caught in run_program(); none is expected while the options are set up.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "bench") {
    return trawl::cli::run_bench(argc, argv);
  }
  if (argc == 3 && command == "help" && std::string_view(argv[2]) == "bench") {
    char help[] = "--help";
    char* words[] = {argv[0], argv[2], help, nullptr};
    return trawl::cli::run_bench(3, words);
  }
  CLI::App app("find every place where a short sequence occurs in a reference within a given edit distance");
  trawl::cli::prepare_program(app, "trawl", "COMMAND");
  std::string typed;
  for (int i = 0; i < argc; ++i) {
    typed += (i > 0 ? " " : "") + std::string(argv[i]);
  }
  trawl::cli::Command run;
  trawl::cli::add_map_command(app, run, typed);
  trawl::cli::add_scan_command(app, run, typed);
  trawl::cli::add_mappability_command(app, run, typed);
  trawl::cli::add_index_command(app, run, typed);
  trawl::cli::add_bench_command(app);
  trawl::cli::add_info_command(app, run);
  return trawl::cli::run_program(app, run, argc, argv, "a smaller reference");
}
