// The options of `trawl scan`, as given by the user, and their meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/shared_options.hpp"
#include "io/read/pattern_reader.hpp"
#include "io/read/read_chunks.hpp"
#include "io/write/labeled_reads.hpp"
#include "io/write/scan_lines.hpp"
#include "scan/options.hpp"

namespace trawl::cli {

/// The section of the help with the options for patterns in reads.
inline constexpr const char* kReadsGroup = "Reads";

/// What every search of patterns needs.
struct SearchArguments : WorkArguments {
  std::string reference;
  std::optional<std::uint32_t> max_edits;             // if not given: 0, or of guides the sum of their limits
  scan::ScanOptions rules;                            // the metric, the search, the strands, the report
  std::optional<sequence::AmbiguousLimit> ambiguous;  // nothing: mismatch
  std::vector<std::string> circular;
  bool renames_contigs = false;
  std::uint64_t chunk_size = 0;
};

/// The value of --max-bulges: bases in bulges of both kinds together, and of each kind.
struct BulgeLimits {
  std::uint32_t both = 0;
  std::uint32_t dna = ~std::uint32_t{0};
  std::uint32_t rna = ~std::uint32_t{0};
};

struct ScanArguments : SearchArguments {
  std::string pattern_file;
  std::vector<std::string> patterns;  // -p
  std::string pam;
  std::uint32_t pam_mismatches = 0;
  std::optional<std::uint32_t> max_mismatches;
  std::optional<BulgeLimits> max_bulges;
  std::uint32_t seed_length = 12;
  std::string summary;
  std::string annotation;  // --annotate
  std::string variants;    // --vcf
  bool best_per_read = false;
  bool by_output_only = false;  // that is so because of the name of -o alone: then REF is no FASTA
  std::uint32_t margin = 1;
  scan::Ties ties = scan::Ties::ambiguous;
  std::uint32_t partial = 0;
  std::optional<io::ReadEnds> within;  // nothing: the whole read
  std::string read_structure;          // --read-structure; empty: patterns are anywhere
  std::string mates;                   // --mates; see paired()
  bool interleaved = false;
  std::string extract;  // --extract; see writes_reads()
  io::LabelRule labels;
  std::string counts;                   // --counts; empty: no table of counts
  std::optional<std::uint64_t> memory;  // nothing: no limit
  std::string server;                   // --server; empty: the work is done here

  bool paired() const { return interleaved || !mates.empty(); }
  /// Whether -o gets reads in place of a table. A file named .sam has places, unless --per-read best is given.
  bool outputs_reads() const { return best_per_read && io::is_file_of_reads(output); }
  bool writes_reads() const { return outputs_reads() || !extract.empty(); }
};

/// The files of pairs: of the reads, and of their mates. Throws UsageError.
io::ReadInput::Files read_files(const ScanArguments& arguments, const std::vector<std::string>& reads);
/// The files of the mates, if -o is FASTQ or FASTA with % in its name. Throws UsageError.
std::vector<std::string> output_files(const ScanArguments& arguments);

std::vector<Option> scan_table(ScanArguments& arguments);
/// Those of patterns in reads.
std::vector<Option> reads_options(ScanArguments& arguments);

/// The options that `trawl scan` and `trawl primers` share: those of matching; and --tune, where one has `more` keys.
std::vector<Option> matching_table(SearchArguments& arguments);
Option tune_option(SearchArguments& arguments, std::vector<Option> more = {});

/// The PAMs of `option`: motifs with commas between them; their side once, or after each. Throws UsageError.
scan::Pam parse_pam(const std::string& option, const std::string& text, std::uint32_t max_mismatches);

/// Their meaning. Throws UsageError.
scan::ScanOptions search_options(const SearchArguments& arguments);

/// Throws UsageError.
scan::ScanOptions scan_options(const ScanArguments& arguments);

/// "2" or "2,1"; "" if they are not given.
std::string bulges_text(const std::optional<BulgeLimits>& limits);

/// Letters of a pattern or a PAM, in upper case. Throws UsageError.
std::string letters_of(const std::string& text, const std::string& option);

/// With --per-read best: what decides which pattern a read has.
std::optional<scan::CallRule> call_rule(const ScanArguments& arguments);

/// What a table knows of a site of a guide; with a PAM.
scan::GuideRules guide_rules(const ScanArguments& arguments, const scan::ScanOptions& options);

/// The columns of a table that follow from the options alone.
io::MoreColumns more_columns(const ScanArguments& arguments, const scan::ScanOptions& options);

/// The command line for @PG, in a fixed form, with only the options that can change the records, as for `trawl map`.
std::string canonical_command_line(const ScanArguments& arguments, const std::string& fasta);

}  // namespace trawl::cli
