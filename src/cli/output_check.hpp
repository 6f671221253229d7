// Finds errors in the names of output files before the work begins.
#pragma once

#include <string>
#include <vector>

namespace trawl::cli {

/// `output`: the value of -o. `stats`: the value of --stats, empty if it is not given. Throws UsageError if one of them
/// is equal to the other or to an input, IoError if one cannot be written. A pipe or a device is not opened for this
/// check.
void check_outputs(const std::vector<std::string>& inputs, const std::string& output, const std::string& stats);

/// Whether two paths are the same input: one file, under whatever names, or the same pipe.
bool is_same_input(const std::string& a, const std::string& b);

}  // namespace trawl::cli
