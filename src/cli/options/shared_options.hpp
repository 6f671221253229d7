// The options that say how a command works but do not change its records. `trawl map` and
// `trawl scan` have the same ones.
//
//   struct MapArguments : WorkArguments { ... };
//   append(command.options, work_options_table(arguments));    // -t, --engine, --devices, ...
//   WorkOptions work = work_options(arguments);                // throws UsageError
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "align/pair_rule.hpp"
#include "base/work_options.hpp"
#include "cli/options/option.hpp"
#include "map/options.hpp"
#include "sequence/ambiguous_limit.hpp"

namespace trawl::cli {

/// The values as given by the user.
struct WorkArguments {
  std::string output = "-";
  std::optional<int> compression_level;
  unsigned threads = 0;
  std::string engine = "auto";
  WorkOptions devices;  // these alone
  std::string stats;
  std::string multiqc;
  std::string report_html;
  std::string igv_session;
  bool shows_progress = true;  // on a terminal
  bool quiet = false;
  bool verbose = false;
};

/// The sections of the help.
inline constexpr const char* kMatchingGroup = "Matching";
inline constexpr const char* kRecordsGroup = "Records";
inline constexpr const char* kWorkGroup = "Work";

/// The argument REF.
Option reference_argument(std::string& reference);

/// -e of reads.
Option max_edits_option(map::NumberOrShare& max_edits);

/// --metric. `more` follows its help.
Option metric_option(match::Metric& metric, InHeader in_header, const std::string& more = {});

/// --strand. `more` follows its help.
Option strand_option(match::Strands& strands, InHeader in_header, const std::string& more = {});

/// --ambiguous: nothing for mismatch; for match, how many ambiguous letters a place may overlap. `whose`: ambiguous
/// letters of what.
Option ambiguous_option(std::optional<sequence::AmbiguousLimit>& ambiguous, const std::string& whose = {});
/// The message for --max-ambiguous, its former name.
Option former_max_ambiguous();

/// -o; and -o and --compression-level. `formats` says what -o can write, `compressed` what has this level, and how well
/// by default.
Option output_option(WorkArguments& arguments, const std::string& formats);
std::vector<Option> output_options(WorkArguments& arguments, const std::string& formats, const std::string& compressed);

/// -t; and --quiet and --verbose: for a command that needs no other of these options.
Option threads_option(WorkArguments& arguments);
std::vector<Option> message_options(WorkArguments& arguments);

/// --circular, which may be given more than once.
Option circular_option(std::vector<std::string>& names, const std::string& group = "");

/// --rename-contigs.
Option rename_option(bool& renames_contigs, const std::string& group = "");

/// --tune KEY=VALUE: what tests and measurements set, and no user needs. No help shows it.
Option tune_option(std::vector<Option> keys);

/// --server: trawl serve does the work.
Option server_option(std::string& server);

/// All but -o, --multiqc and those for a report; with those above.
std::vector<Option> work_options_table(WorkArguments& arguments);

/// --multiqc, for a command that writes it; --report-html and --igv-session. `shows`: what the page shows.
std::vector<Option> report_options(WorkArguments& arguments, const std::string& shows);

/// The level of --compression-level, or the default one. Throws UsageError if it is given and the output is not
/// compressed with it.
int compression_level(const WorkArguments& arguments, bool output_is_bgzf);

/// An option with a number of bytes: a number followed by K, M, G or nothing.
///   bytes_target("--sort-memory", bytes)      // of "4G": 4294967296
Target bytes_target(const std::string& option, std::optional<std::uint64_t>& bytes, std::uint64_t least = 1);

/// An option MIN-MAX with sizes in bases. `what`: what has such a size.
Target sizes_target(const std::string& option, std::optional<align::InsertRange>& sizes, const std::string& what);
inline std::string text_of(const align::InsertRange& sizes) {
  return std::to_string(sizes.min) + '-' + std::to_string(sizes.max);
}

/// A message if fewer threads work than -t asks for; otherwise empty.
std::string fewer_threads_text(const WorkArguments& arguments);

/// A number from 1 to `most` that the environment has under this name. Throws UsageError for anything else.
std::optional<std::uint32_t> number_of_environment(const char* name, std::uint32_t most);

/// The meaning of the values. At most as many threads as the machine has cores, or as TRAWL_MAX_THREADS in the
/// environment says. Throws UsageError.
WorkOptions work_options(const WorkArguments& arguments);

/// "5" or "4.5%", the value of `option`. `advice`: what to give instead. Throws UsageError if it is neither, or a share
/// of more than `most_percent`.
map::NumberOrShare parse_number_or_share(const std::string& option, const std::string& text, const char* advice,
                                         double most_percent = 50);
std::string text_of(const map::NumberOrShare& value);
/// The shortest text that is this number.
std::string text_of(double value);

}  // namespace trawl::cli
