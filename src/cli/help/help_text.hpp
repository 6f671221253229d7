// The text of --help, -h and `trawl help`; man pages and completions.
#pragma once

#include <string>
#include <vector>

#include "cli/help/outline.hpp"

namespace trawl::cli {

/// No line is longer, if no line of a footer is.
inline constexpr std::size_t kHelpWidth = 100;

enum class HelpLength {
  most_used,  // only the most used options; everything if the command does not name any
  all
};

std::string help_text(const CommandOutline& command, HelpLength length);

// Man pages, in the macros of man(7), from the same outline as the help text.

/// The name of a command's page, without its section: "trawl-map".
std::string man_page_name(const CommandOutline& command);

/// The page of a command. `see_also`: names of other pages.
std::string man_page(const CommandOutline& command, const std::vector<std::string>& see_also);

// Completion of trawl's command line in shells: commands, options, the words that options take, and file names. Written
// from the same outline as the help text.

/// `source /usr/share/bash-completion/completions/trawl`
std::string bash_completion(const CommandOutline& program);
/// The file _trawl in a folder of $fpath.
std::string zsh_completion(const CommandOutline& program);
/// The file trawl.fish in a folder of $fish_complete_path.
std::string fish_completion(const CommandOutline& program);

}  // namespace trawl::cli
