// Finds errors in the names of output files before the work begins.
#pragma once

#include <string>
#include <vector>

namespace trawl::cli {

/// An output and the option that names it.
struct NamedOutput {
  const char* option;
  std::string path;  // empty: not given
};

/// Throws UsageError if two outputs are the same file or one is an input, IoError if one cannot be written. A pipe or a
/// device is not opened for this check.
///   check_outputs({"reads.fq"}, {{"-o", "out.bam"}, {"--stats", "run.json"}});
void check_outputs(const std::vector<std::string>& inputs, const std::vector<NamedOutput>& outputs);

/// Whether two paths are the same input: one file, under whatever names, or the same pipe.
bool is_same_input(const std::string& a, const std::string& b);

}  // namespace trawl::cli
