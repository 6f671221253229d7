// What the options of `trawl map` say about its files.
//
//   const io::ReadInput::Files files = read_files(arguments);
//   const io::SinkOptions output = sink_options(arguments, map_options(arguments), "genome.fa");
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/map_options.hpp"
#include "cli/options/output_check.hpp"
#include "io/read/read_input.hpp"
#include "io/write/alignment_sink.hpp"

namespace trawl::cli {

/// Whether a file with this name has records.
bool is_name_of_records(const std::string& path);
/// Whether this is a name of a SAM, BAM or CRAM, or of several.
bool may_have_alignments(const std::string& reads);

/// The files of READS and MATES, each a list separated by commas. Throws UsageError.
io::ReadInput::Files read_files(const MapArguments& arguments);

/// --unmapped and --mapped.
std::vector<Option> reads_files_options(MapArguments& arguments);

/// The files of --unmapped and --mapped, of pairs with the mate in place of %. Throws UsageError.
std::vector<NamedOutput> reads_outputs(const MapArguments& arguments);

/// The format of the output. Throws UsageError.
io::OutputFormat output_format(const MapArguments& arguments);
bool is_bed(io::OutputFormat format);
/// Whether it is compressed in blocks, so that --compression-level is for it.
bool is_bgzf(io::OutputFormat format);

/// The memory for --sort in bytes; nothing without --sort. Throws UsageError if the output cannot be sorted.
std::optional<std::uint64_t> sort_memory(const MapArguments& arguments);

/// The files that --sort may write beside the output; empty without --sort.
std::vector<NamedOutput> index_outputs(const MapArguments& arguments);

/// What the sinks need. `fasta`: the name of the reference in the header. Throws UsageError.
io::SinkOptions sink_options(const MapArguments& arguments, const map::MapOptions& options, const std::string& fasta);

}  // namespace trawl::cli
