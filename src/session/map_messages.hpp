// What a run of `trawl map` says at its end: its summary, about the files beside its own, and about options that did
// not fit the reads. Each text is one line, or "".
#pragma once

#include <string>
#include <vector>

#include "cli/options/map_options.hpp"
#include "io/stats/map_stats.hpp"
#include "io/write/alignment_sink.hpp"
#include "map/options.hpp"

namespace trawl::session {

/// If an index lies beside an output that was written without one: it is of an older file.
std::string old_index_warning(const std::string& output, io::OutputFormat format);

/// If samtools cannot read the CRAM file with this FASTA, because it is ordinary gzip or no file.
std::string cram_reference_warning(const std::string& output, const std::string& fasta);

/// If CRAM is written without the reference, for which io::fault_for_htslib() has found this; with a remedy.
std::string without_reference_warning(const std::string& output, const std::string& fault);

/// If `reference` is a FASTA with its saved index beside it, which would make the start faster.
std::string saved_index_hint(const std::string& reference);

/// If fewer than 90% of many reads are mapped: why not, and what to try. Empty otherwise.
///   "hint: 12.00% of the reads are not mapped: 12.00% fit nowhere with -e 5%. Try a larger -e, ..."
std::string few_mapped_hint(const io::RunStats& stats, const cli::MapArguments& arguments,
                            const map::MapOptions& options);

/// If -R has no PL, which programs after this one ask for. Empty otherwise.
std::string read_group_hint(const std::vector<std::string>& header_lines);

/// For reads over the origin of a circular contig that are longer than it.
std::string longer_than_circle_warning(const io::RunStats& stats, const map::MapOptions& options);

/// What else a run may warn of at its end: few concordant pairs, no reads, more edits than a quarter of the reads'
/// lengths or than are possible, a number of --clip that is half of the reads. Some of them may be "".
std::vector<std::string> run_warnings(const io::RunStats& stats, const cli::MapArguments& arguments);

/// The last line: "600 pairs, 590 concordant (98.33%), ..., 2.0 s".
std::string summary(const io::RunStats& stats, const map::MapOptions& options);

/// A warning if two of these files begin with reads of the same name (without /1 and /2), or if one file does so with
/// its first two reads; it says how to give pairs. Also if one file is given twice. Empty if all is well. Looks only
/// into regular files. A file that cannot be read is skipped, because the run reports that.
std::string read_files_warning(const std::vector<std::string>& paths);

}  // namespace trawl::session
