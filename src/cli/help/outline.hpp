// What the help of a command says, taken from its table of options. The help text, the man page and the completions of
// shells are all written from it, so they agree.
//
//   const CommandOutline map = outline_of(map_command, program);
//   map.full_name                  // "trawl map"
//   map.sections[0].options[0]     // -e, --max-edits N|N%
#pragma once

#include <string>
#include <vector>

#include "cli/options/option.hpp"

namespace trawl::cli {

/// The group of the options that the help shows first, and that -h shows alone.
inline constexpr const char* kMostUsedGroup = "Most used options";
/// The group of the options that show help, which is last.
inline constexpr const char* kHelpGroup = "Help";

/// The group of options that name none.
inline constexpr const char* kOtherGroup = "Options";

struct OptionOutline {
  std::string name;                // of an argument: "REF"; empty for an option
  std::string short_name;          // "-e", or empty
  std::string long_name;           // "--max-edits", or empty
  std::string value;               // "N|N%"; empty for a flag
  std::string description;         // without a full stop
  std::string default_value;       // "5%"; empty if there is none
  bool required = false;           // of an argument
  std::vector<std::string> words;  // the values it can have, if they are few
  bool takes_file = false;

  /// "-e, --max-edits", or the name of an argument.
  std::string names() const;
};

struct SectionOutline {
  std::string title;
  std::vector<OptionOutline> options;
};

struct CommandOutline {
  std::string name;       // "map"
  std::string full_name;  // "trawl map"
  std::string description;
  std::vector<OptionOutline> arguments;
  std::vector<SectionOutline> sections;  // kMostUsedGroup first, kHelpGroup last
  std::vector<CommandOutline> commands;  // those that are not hidden
  std::string footer;  // "Examples:" and other paragraphs; lines that begin with a blank stay as they are

  /// "trawl map [OPTIONS] REF READS [MATES]"
  std::string usage() const;
  bool has_most_used() const;
};

/// The outline of a command, and of a program with all its commands. Hidden options and commands are left out.
CommandOutline outline_of(const Command& command, const Program& program);
CommandOutline outline_of(const Program& program);

/// Breaks a text into lines of at most `width` characters, at blanks.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

}  // namespace trawl::cli
