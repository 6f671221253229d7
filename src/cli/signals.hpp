// SIGINT, SIGTERM, SIGHUP and SIGPIPE remove what is half written, say so (but for SIGPIPE: who reads the output has
// enough), and end the program as they would have. SIGXFSZ is ignored: a file that may not grow is an error of write().
#pragma once

namespace trawl::cli {

void remove_output_on_signals();

/// From here on the output file is complete, and a signal can only lose what follows it.
void output_is_kept();

}  // namespace trawl::cli
