// What the user of `trawl scan` should know about the patterns before they are searched.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scan/options.hpp"

namespace trawl::cli {

/// How many patterns are not searched because they would match everywhere; names them on stderr. Throws UsageError
/// where no other is left.
std::uint64_t warn_of_unsearched(const std::vector<scan::Pattern>& patterns, const scan::Options& options);

/// Warnings about patterns that are searched, but perhaps not as meant, a line each: names that occur more than once;
/// guides that seem to include their PAM.
std::vector<std::string> pattern_warnings(const std::vector<scan::Pattern>& patterns, const scan::Options& options);

}  // namespace trawl::cli
