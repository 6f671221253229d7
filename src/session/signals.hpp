// SIGINT, SIGTERM, SIGHUP and SIGPIPE remove incomplete output files, print a message (not for SIGPIPE: the reader of
// the output has enough), and end the program as they would without this handler. SIGXFSZ is ignored: if a file cannot
// grow, write() reports the error.
#pragma once

#include <string>

namespace trawl::session {

/// `command`: the name of the program and its command, for the message: "trawl map: interrupted; ..."
/// Empty: no message, for a rank that is not the first.
void remove_output_on_signals(const std::string& command);

/// From now on the output file is complete and is kept. A signal can only lose what comes after it.
void output_is_kept();

/// From now on a signal says nothing: the program is ending with another message.
void error_is_said();

}  // namespace trawl::session
