// Asks a server over its Unix socket.
//
//   const Answer answer = ask("trawl.sock", {.method = "POST", .path = "/map", .body = "@r\nACGT\n+\nIIII\n"});
//   answer.status == 200
#pragma once

#include <string>

#include "serve/message.hpp"

namespace trawl::serve {

/// `request`: its headers and parameters are sent as they are, parameters encoded. Throws Error if nobody answers, or
/// if the answer is not complete.
Answer ask(const std::string& socket, const Request& request);

}  // namespace trawl::serve
