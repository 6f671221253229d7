// SIGINT, SIGTERM and SIGHUP remove what is half written, say so, and end the program as they would have.
#pragma once

namespace trawl::cli {

void remove_output_on_signals();

}  // namespace trawl::cli
