// The reference: FASTA in, sequence::Reference out, and the checksums that SAM headers carry.
//
//   std::vector<std::string> warnings;
//   const sequence::Reference reference = read_reference("genome.fa.gz", &warnings);
//   const std::vector<std::string> md5s = contig_md5s(reference);   // @SQ M5, one a contig
#pragma once

#include <string>
#include <vector>

#include "sequence/reference.hpp"

namespace trawl::io {

/// Reads a plain, gzip or BGZF FASTA, or the standard input ("-"). Throws InputError (with the line) or IoError.
/// SAM has no contig of length 0, so those are left out; `warnings`, if given, gets one line that says so.
sequence::Reference read_reference(const std::string& path, std::vector<std::string>* warnings = nullptr);

/// The MD5 of each contig's letters in upper case (SAM: M5), in hexadecimal.
std::vector<std::string> contig_md5s(const sequence::Reference& reference);

/// Writes the letters of positions [begin, begin + length) of the coordinate space, which lie in one contig, to `to`.
void copy_letters(const sequence::Reference& reference, std::uint64_t begin, std::size_t length, char* to);

}  // namespace trawl::io
