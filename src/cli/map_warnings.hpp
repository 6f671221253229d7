// What a run of `trawl map` tells about the files beside its own. Each text is one line, or "".
#pragma once

#include <string>

#include "io/out/alignment_sink.hpp"

namespace trawl::cli {

/// If an index lies beside an output that was written without one: it is of an older file.
std::string old_index_warning(const std::string& output, io::OutputFormat format);

/// If samtools cannot read the CRAM file with this FASTA, because it is ordinary gzip or no file.
std::string cram_reference_warning(const std::string& output, const std::string& fasta);

/// If `reference` is a FASTA with its saved index beside it, which would make the start faster.
std::string saved_index_hint(const std::string& reference);

}  // namespace trawl::cli
