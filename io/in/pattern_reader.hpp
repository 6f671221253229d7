// Reads patterns from FASTA, or from lines with a name, a tab and a sequence.
//
//   sequence::PatternList patterns;
//   read_patterns("guides.tsv", 16384, patterns);     // {{"EMX1", "GAGTCCGAGCAGAAGAAGAA"}, ...}
#pragma once

#include <cstddef>
#include <string>

#include "sequence/pattern.hpp"

namespace trawl::io {

/// Adds the patterns of a plain, gzip or BGZF file, or of the standard input ("-"), to `patterns`. Two patterns may
/// have the same name. Throws IoError. Throws InputError (with the line) for: a file without patterns; an empty
/// pattern, or one of more than `longest` letters; letters that are not IUPAC codes; names that SAM does not allow.
void read_patterns(const std::string& path, std::size_t longest, sequence::PatternList& patterns);

/// Adds the primers of a table, a pair in each line: its name, the forward and the reverse primer, each as it is
/// ordered (5' to 3'), with tabs between them. The primers of a pair follow each other, and both have its name. Throws
/// IoError, and InputError as read_patterns() does.
void read_primer_pairs(const std::string& path, std::size_t longest, sequence::PatternList& patterns);

}  // namespace trawl::io
