// Reads the reference from FASTA into sequence::Reference.
//
//   std::vector<std::string> warnings;
//   const sequence::Reference reference = read_reference("genome.fa", &warnings, {.threads = 8});
//   reference.contigs().size() == 2
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/read/letter_md5.hpp"
#include "io/read/reference_files.hpp"
#include "io/read/text_blocks.hpp"
#include "sequence/copy_letters.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// Reads a plain, gzip or BGZF FASTA, the standard input ("-"), a 2bit file, or several files (reference_files()).
/// Throws InputError (with the line) or IoError. SAM cannot have contigs of length 0, so they are left out; then
/// `warnings`, if given, gets one line about it.
sequence::Reference read_reference(const std::string& path, std::vector<std::string>* warnings = nullptr,
                                   const TextBlocks::Options& options = {});

/// The same with what is repeated of circular contigs (CircularContigs): that is in searched() of the result. `files`:
/// as for open_contigs().
sequence::Reference read_circular(const std::string& path, const std::vector<std::string>& names,
                                  const std::function<std::uint64_t(std::uint64_t)>& repeated,
                                  std::vector<std::string>* warnings, const TextBlocks::Options& options = {},
                                  std::shared_ptr<ContigFiles> files = nullptr);

using sequence::copy_letters;

}  // namespace trawl::io
