// What a run of `trawl map` tells at its end: its summary, about the files beside its own, and about options that did
// not fit the reads. Each text is one line, or "".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/stats/map_stats.hpp"
#include "io/write/alignment_sink.hpp"
#include "map/options.hpp"

namespace trawl::cli {

/// "12.34%"
std::string percent(std::uint64_t part, std::uint64_t all);

/// If an index lies beside an output that was written without one: it is of an older file.
std::string old_index_warning(const std::string& output, io::OutputFormat format);

/// If samtools cannot read the CRAM file with this FASTA, because it is ordinary gzip or no file.
std::string cram_reference_warning(const std::string& output, const std::string& fasta);

/// If `reference` is a FASTA with its saved index beside it, which would make the start faster.
std::string saved_index_hint(const std::string& reference);

/// If less than the number given with --clip (`clip`) may be left out, because it is half or more of these `limited`
/// ones of all `reads`.
///   "warning: --clip 40 is half or more of 12 of 1000 reads; ..."
std::string clip_limit_warning(const std::string& clip, std::uint64_t limited, std::uint64_t reads);

/// If fewer than 90% of many reads are mapped: why not, and what to try. Empty otherwise.
///   "hint: 12.00% of the reads are not mapped: 12.00% fit nowhere with -e 5%. Try a larger -e, ..."
std::string few_mapped_hint(const io::RunStats& stats, const std::string& max_edits, const map::Options& options);

/// If -R has no PL, which programs after this one ask for. Empty otherwise.
std::string read_group_hint(const std::string& read_group);

/// If -e allows more edits than a quarter of a read's length, for `many` of the reads.
std::string many_edits_warning(const std::string& max_edits, std::uint64_t many, std::uint64_t reads);

/// If -e allows more edits than are possible for `limited` of the reads.
///   "warning: -e 5% is more than 255 edits, the most that are possible, for 3 of 100 reads; the first is 'x' of ..."
std::string edits_limited_warning(const std::string& max_edits, const io::LimitCounts::FewerEdits& limited,
                                  std::uint64_t reads);

/// If so few of many pairs are concordant that the files or the options are probably wrong.
std::string few_concordant_warning(const io::PairCounts& pairs);

/// What else a run may warn of at its end; some of them may be "". `max_edits`, `clip`: the values of -e and --clip.
std::vector<std::string> run_warnings(const io::RunStats& stats, const std::string& max_edits, const std::string& clip);

/// The last line: "600 pairs, 590 concordant (98.33%), ..., 2.0 s".
std::string summary(const io::RunStats& stats, const map::Options& options);

/// A warning if two of these files begin with reads of the same name (without /1 and /2), or if one file does so with
/// its first two reads; it says how to give pairs. Also if one file is given twice. Empty if all is well. Looks only
/// into regular files. A file that cannot be read is skipped, because the run reports that.
std::string read_files_warning(const std::vector<std::string>& paths);

}  // namespace trawl::cli
