// The libraries that gzip data are read and written with.
#pragma once

#include <string>
#include <vector>

namespace trawl::io {

/// Name and version of each library that this program was built with, for example "ISA-L 2.30.0". zlib is always there;
/// the others are faster.
std::vector<std::string> compression_libraries();

}  // namespace trawl::io
