// Reads the command line, runs the chosen command, and reports errors.
#pragma once

#include "cli/options/parse.hpp"

namespace trawl::cli {

/// Adds the engines to the registry and the command `help` to the program, reads the command line and does the work of
/// the chosen command. Returns the exit status: 0 success; 1 the input or the machine failed; 2 wrong usage. Without
/// arguments it shows the help, which lists the commands. A message begins with the names of the program and the
/// command: "trawl map: what is wrong". Under mpirun an error on one rank ends all of them, and the message names it:
/// "trawl map: rank 2 on node07: what is wrong".
int run_program(Program& program, int argc, char** argv);

}  // namespace trawl::cli
