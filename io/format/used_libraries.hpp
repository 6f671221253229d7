// The libraries that gzip data and bigWig are read and written with.
#pragma once

#include <string>
#include <vector>

namespace trawl::io {

/// Name and version of each library that this program was built with, for example "ISA-L 2.30.0". zlib is always there;
/// the others are optional.
std::vector<std::string> used_libraries();

}  // namespace trawl::io
