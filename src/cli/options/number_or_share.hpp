// Options whose value is a number or a share: -e 5, -e 4.5%, --max-ambiguous 25%.
#pragma once

#include <string>

#include "map/options.hpp"
#include "sequence/ambiguous_limit.hpp"

namespace trawl::cli {

/// "5" or "4.5%", the value of `option`. `advice`: what to give instead. Throws UsageError if it is neither, or a share
/// of more than `most_percent`.
map::NumberOrShare parse_number_or_share(const std::string& option, const std::string& text, const char* advice,
                                         double most_percent = 50);

/// The value of --max-ambiguous, empty if it is not given. `ambiguous`: that of --ambiguous. Throws UsageError.
sequence::AmbiguousLimit parse_max_ambiguous(const std::string& text, const std::string& ambiguous);

}  // namespace trawl::cli
