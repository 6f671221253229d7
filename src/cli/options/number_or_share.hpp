// Options whose value is a number or a share: -e 5, -e 4.5%, --ambiguous match:25%.
#pragma once

#include <optional>
#include <string>

#include "map/options.hpp"
#include "sequence/ambiguous_limit.hpp"

namespace trawl::cli {

/// "5" or "4.5%", the value of `option`. `advice`: what to give instead. Throws UsageError if it is neither, or a share
/// of more than `most_percent`.
map::NumberOrShare parse_number_or_share(const std::string& option, const std::string& text, const char* advice,
                                         double most_percent = 50);

/// The value of --ambiguous: nothing for mismatch; for match, what a place may lean on. Throws UsageError.
std::optional<sequence::AmbiguousLimit> parse_ambiguous(const std::string& text);

}  // namespace trawl::cli
