// Man pages, in the macros of man(7), from the same outline as the help text.
#pragma once

#include <string>
#include <vector>

#include "cli/help/outline.hpp"

namespace trawl::cli {

/// The name of a command's page, without its section: "trawl-map".
std::string man_page_name(const CommandOutline& command);

/// The page of a command. `see_also`: names of other pages.
std::string man_page(const CommandOutline& command, const std::vector<std::string>& see_also);

}  // namespace trawl::cli
