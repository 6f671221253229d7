// Finds errors in the names of output files before the work begins.
#pragma once

#include <string>
#include <vector>

namespace trawl::cli {

/// A file that the user named with an option. The path is empty if the option is not given.
struct NamedOutput {
  std::string option;
  std::string path;
};

/// Throws UsageError if an output is equal to another one or to an input, IoError if one cannot be written. A pipe or a
/// device is not opened for this check.
void check_outputs(const std::vector<std::string>& inputs, const std::vector<NamedOutput>& outputs);

/// Whether two paths are the same input: one file, under whatever names, or the same pipe.
bool is_same_input(const std::string& a, const std::string& b);

}  // namespace trawl::cli
