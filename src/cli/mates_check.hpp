// Finds files of reads that the user probably meant otherwise: mates mapped as reads without mates, a file given twice.
#pragma once

#include <string>
#include <vector>

namespace trawl::cli {

/// A warning if two of these files begin with reads of the same name (without /1 and /2), or if one file does so with
/// its first two reads; it says how to give pairs. Also if one file is given twice. Empty if all is well. Looks only
/// into regular files. A file that cannot be read is skipped, because the run reports that.
std::string read_files_warning(const std::vector<std::string>& paths);

}  // namespace trawl::cli
