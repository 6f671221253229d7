// `trawl map` and `trawl scan` with --server: the work is done by a `trawl serve`, the output is the same.
#pragma once

#include <string>
#include <vector>

#include "cli/options/work_options.hpp"
#include "io/read/read_input.hpp"

namespace trawl::cli {

/// What the client sends: files of the user, each with its kind: "reads", "mates" or "patterns".
struct SentFile {
  std::string kind;
  std::string path;
};

/// A command that a server does.
struct ServerCall {
  std::string command = {};  // "map"
  std::string server = {};   // the path of its socket
  std::string reference = {};
  std::vector<SentFile> files = {};
  std::vector<std::pair<std::string, std::string>> parameters = {};  // of the query
  std::string end_point = {};                                        // "/map"
};

/// Sends the files, and writes the answer to arguments.output. `level`: of BGZF; nothing: plain text. Throws
/// UsageError, Error.
void ask_server(const ServerCall& call, const WorkArguments& arguments, std::optional<int> level);

}  // namespace trawl::cli
