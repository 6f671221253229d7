// Completion of trawl's command line in shells: commands, options, the words that options take, and file names. Written
// from the same outline as the help text.
#pragma once

#include <string>

#include "cli/help/outline.hpp"

namespace trawl::cli {

/// `source /usr/share/bash-completion/completions/trawl`
std::string bash_completion(const CommandOutline& program);
/// The file _trawl in a folder of $fpath.
std::string zsh_completion(const CommandOutline& program);
/// The file trawl.fish in a folder of $fish_complete_path.
std::string fish_completion(const CommandOutline& program);

}  // namespace trawl::cli
