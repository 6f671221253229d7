// Reads the sequences of a 2bit file, as UCSC has them for each genome.
//
//   with: const std::string& path                            // hg38.2bit
//   is_two_bit(path) == true
//   const auto contigs = open_two_bit(path);
//   while (const auto piece = contigs->next()) { ... }
#pragma once

#include <memory>
#include <string>

#include "io/read/fasta_stream.hpp"

namespace trawl::io {

/// Whether a regular file begins as 2bit does. False for files that cannot be read, and for "-".
bool is_two_bit(const std::string& path);

/// Versions 0 and 1, in either byte order. The letters are A, C, G, T and N; the mask (lower case) is left out, as for
/// FASTA. Throws InputError for damaged files, IoError.
std::unique_ptr<ContigSource> open_two_bit(const std::string& path);

}  // namespace trawl::io
