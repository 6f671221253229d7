// Reads the command line of a program. The only code of the product that knows CLI11.
//
//   const ParsedLine request = parse(program, argc, argv);
//   if (request.what == ParsedLine::work) {
//     request.command->work(cluster);
//   }
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/options/option.hpp"

namespace trawl::cli {

/// What the user wants.
struct ParsedLine {
  enum What { work, short_help, full_help, show_version, cite };
  What what = work;
  const Command* command = nullptr;  // null for what is about the program
};

/// A command line that cannot be understood. The message names the option, or what the user may have meant.
class WrongCommandLine : public UsageError {
 public:
  WrongCommandLine(const std::string& what, const Command* chosen, bool asks = true)
      : UsageError(what), command(chosen), help_helps(asks) {}
  const Command* command;  // null: none was chosen
  bool help_helps;         // whether the help says more
};

/// Puts the values into their targets, then those of Command::settings that the user has not given. Throws
/// WrongCommandLine. Whether the options go together is for check_options().
ParsedLine parse(Program& program, int argc, char** argv);

/// The version of CLI11.
std::string parser_version();

}  // namespace trawl::cli
