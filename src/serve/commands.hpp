// `trawl serve`, and what `trawl map --server` and `trawl scan --server` do: the work is done by a `trawl serve`, the
// output is the same.
#pragma once

#include <string>
#include <vector>

#include "cli/options/map_options.hpp"
#include "cli/options/option.hpp"
#include "cli/options/scan_options.hpp"
#include "session/command_run.hpp"

namespace trawl::serve {

cli::Command serve_command();

/// What it uses, for `trawl info`: "libmicrohttpd 0.9.75, for trawl serve"; none if it is left out.
std::vector<std::string> libraries();

/// Throw UsageError, InputError, Error.
void map_on_server(const cli::MapArguments& arguments, const cli::Command& given, session::CommandRun& run);
void scan_on_server(const cli::ScanArguments& arguments, const cli::Command& given, session::CommandRun& run);

}  // namespace trawl::serve
