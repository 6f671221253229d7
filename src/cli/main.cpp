#include <cstdio>
#include <new>
#include <string>

#include "cli/commands.hpp"
#include "cli/program.hpp"

// The work's errors are caught in run_program(). No memory: for the options, or for a message about that.
int main(int argc, char** argv) try {
  using namespace trawl::cli;
  std::string typed;
  for (int i = 0; i < argc; ++i) {
    typed += (i > 0 ? " " : "") + std::string(argv[i]);
  }
  Program program{
      .name = "trawl",
      .description = "find every place where a short sequence occurs in a reference within a given edit distance"};
  program.commands = {map_command(typed),   scan_command(typed),  primers_command(typed), mappability_command(typed),
                      index_command(typed), serve_command(typed), info_command()};
  return run_program(program, argc, argv);
} catch (const std::bad_alloc&) {
  std::fputs("trawl: not enough memory\n", stderr);
  return 1;
}
