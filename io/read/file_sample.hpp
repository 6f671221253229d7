// Whether two computers see the same large file, without reading all of it.
//
//   file_sample("genome.fa") == "92 bytes, 4249334493"
#pragma once

#include <string>

namespace trawl::io {

/// The size of a file and a checksum of pieces of it: of all of it up to 4 MiB, otherwise of 64 pieces that are evenly
/// spread. Empty for what is not a regular file. Throws IoError if there is no such file, or if it cannot be read.
std::string file_sample(const std::string& path);

}  // namespace trawl::io
