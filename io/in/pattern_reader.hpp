// Patterns: FASTA, or a name, a tab and a sequence in each line.
//
//   read_patterns("guides.tsv", 16384)     // {{"EMX1", "GAGTCCGAGCAGAAGAAGAA"}, ...}
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sequence/pattern.hpp"

namespace trawl::io {

/// Plain, gzip or BGZF, or the standard input ("-"). Names may occur twice. Throws InputError (with the line) for a
/// file without patterns, an empty or too long one (`longest` letters are allowed), letters that are no IUPAC codes,
/// names that SAM does not allow; or IoError.
std::vector<sequence::Pattern> read_patterns(const std::string& path, std::size_t longest);

}  // namespace trawl::io
