// How the text of a file begins, before anything is read: '@' for FASTQ, '>' for FASTA.
//
//   InputFile file("reads.fq.gz");
//   first_letter(file) == '@'
#pragma once

#include "io/read/gzip/input_file.hpp"

namespace trawl::io {

/// The first character of the text, plain, gzip or BGZF, without what may come before it: a byte order mark, blanks and
/// blank lines. '\0' if there is none in the first megabyte, or if the data are damaged. Not after InputFile::read().
/// Of a pipe, this waits for as much as it needs. Throws IoError.
char first_letter(InputFile& file);

}  // namespace trawl::io
