// The libraries that gzip data and bigWig are read and written with.
//
//   used_libraries().empty() == false       // "zlib 1.2.13" and others
#pragma once

#include <string>
#include <vector>

namespace trawl::io {

/// Name and version of each library that this program was built with, for example "ISA-L 2.30.0". zlib is always there;
/// the others are optional.
std::vector<std::string> used_libraries();

}  // namespace trawl::io
