// The text of --help, -h and `trawl help`.
#pragma once

#include <string>

#include "cli/help/outline.hpp"

namespace trawl::cli {

/// No line is longer, if no line of a footer is.
inline constexpr std::size_t kHelpWidth = 100;

enum class HelpLength {
  most_used,  // only the most used options; everything if the command does not name any
  all
};

std::string help_text(const CommandOutline& command, HelpLength length);

}  // namespace trawl::cli
