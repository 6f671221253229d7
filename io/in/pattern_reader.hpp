// Reads patterns from FASTA, or from lines with a name, a tab and a sequence.
//
//   read_patterns("guides.tsv", 16384)     // {{"EMX1", "GAGTCCGAGCAGAAGAAGAA"}, ...}
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sequence/pattern.hpp"

namespace trawl::io {

/// Reads a plain, gzip or BGZF file, or the standard input ("-"). Two patterns may have the same name. Throws IoError.
/// Throws InputError (with the line) for: a file without patterns; an empty pattern, or one of more than `longest`
/// letters; letters that are not IUPAC codes; names that SAM does not allow.
std::vector<sequence::Pattern> read_patterns(const std::string& path, std::size_t longest);

}  // namespace trawl::io
