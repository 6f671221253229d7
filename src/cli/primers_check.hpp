// Whether patterns look like primer pairs, for a warning.
#pragma once

#include <string>

namespace trawl::cli {

/// A warning if the file's lines have a second sequence, as those of a table of primer pairs have, which `trawl scan`
/// does not search without --amplicons. Empty otherwise, and for pipes, which cannot be read twice.
std::string primer_pairs_warning(const std::string& path);

}  // namespace trawl::cli
