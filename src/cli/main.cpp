#include <cstdio>
#include <new>

#include "cli/commands.hpp"
#include "cli/program.hpp"
#ifdef TRAWL_WITH_PRIMERS
#include "primers/primers_command.hpp"
#endif
#ifdef TRAWL_WITH_SERVE
#include "serve/commands.hpp"
#endif

// The work's errors are caught in run_program(). No memory: for the options, or for a message about that.
int main(int argc, char** argv) try {
  using namespace trawl;
  cli::Program program{
      .name = "trawl",
      .description = "find every place where a short sequence occurs in a reference within a given edit distance"};
  std::vector<cli::Command>& commands = program.commands;
#ifdef TRAWL_WITH_SERVE
  commands = {cli::map_command(serve::map_on_server), cli::scan_command(serve::scan_on_server)};
#else
  commands = {cli::map_command(), cli::scan_command()};
#endif
#ifdef TRAWL_WITH_PRIMERS
  commands.push_back(primers::primers_command());
#endif
  commands.push_back(cli::mappability_command());
  commands.push_back(cli::index_command());
#ifdef TRAWL_WITH_SERVE
  commands.push_back(serve::serve_command());
#endif
  commands.push_back(cli::info_command());
  return cli::run_program(program, argc, argv);
} catch (const std::bad_alloc&) {
  std::fputs("trawl: not enough memory\n", stderr);
  return 1;
}
