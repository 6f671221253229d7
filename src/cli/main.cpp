#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/program.hpp"
#ifdef TRAWL_WITH_GUIDES
#include "guides/guides_command.hpp"
#endif
#ifdef TRAWL_WITH_PRIMERS
#include "primers/primers_options.hpp"
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
  cli::OnServer<cli::MapArguments> map_on_server;
  cli::OnServer<cli::ScanArguments> scan_on_server;
  std::vector<cli::Command> extras;
  std::vector<std::string> libraries;
#ifdef TRAWL_WITH_GUIDES
  extras.push_back(guides::guides_command());
#endif
#ifdef TRAWL_WITH_PRIMERS
  extras.push_back(primers::primers_command());
#endif
#ifdef TRAWL_WITH_SERVE
  map_on_server = serve::map_on_server;
  scan_on_server = serve::scan_on_server;
  extras.push_back(serve::serve_command());
  libraries = serve::libraries();
#endif
  program.commands = {cli::map_command(map_on_server), cli::scan_command(scan_on_server), cli::mappability_command(),
                      cli::index_command()};
  program.commands.insert(program.commands.end(), extras.begin(), extras.end());
  program.commands.push_back(cli::info_command(libraries));
  return cli::run_program(program, argc, argv);
} catch (const std::bad_alloc&) {
  std::fputs("trawl: not enough memory\n", stderr);
  return 1;
}
