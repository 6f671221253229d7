// What is wrong with the names of output files, known before the work begins.
#pragma once

#include <string>
#include <vector>

namespace trawl::cli {

/// `output`: as -o has it. `stats`: as --stats has it; nothing where it is not given. Throws UsageError where one of
/// them is the other or an input, IoError where one cannot be written. A pipe or a device is not opened for that.
void check_outputs(const std::vector<std::string>& inputs, const std::string& output, const std::string& stats);

}  // namespace trawl::cli
