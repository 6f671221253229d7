// The options of `trawl map`, as given by the user, and their meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/output_check.hpp"
#include "cli/options/work_options.hpp"
#include "io/read/read_input.hpp"
#include "io/write/alignment_sink.hpp"
#include "map/options.hpp"
#include "run/insert_estimate.hpp"

namespace trawl::cli {

struct MapArguments : WorkArguments {
  std::string reference;
  std::string reads;
  std::string mates;
  bool interleaved = false;
  std::string insert;
  std::string orientation = "fr";
  std::string discordant = "if-none";
  std::string one_end = "report";
  std::string mate_fields = "paired";
  std::string max_edits = "5%";
  std::uint32_t min_length = 0;
  std::string metric = "levenshtein";
  bool end_to_end = false;
  std::string clip = "auto";
  std::string clip_when = "auto";
  bool split = false;
  std::uint32_t join = 0;
  bool hard_clip = false;
  std::string report = "best";
  std::uint32_t strata = 0;
  std::uint64_t max_hits = 0;
  bool placements = false;
  std::string ambiguous = "mismatch";
  std::vector<std::string> circular;
  bool eqx = false;
  bool secondary_seq = false;
  std::string read_group;
  std::string unmapped = "keep";
  bool comments = false;      // -C
  std::string output_format;  // --output-format; empty: by the extension of -o
  std::string search = "auto";
  bool sort = false;
  std::string sort_memory;
  bool mark_duplicates = false;
  std::size_t batch_size = 0;
  std::string preset;  // --for; what it sets is in the members above
  std::string server;  // --server; empty: the work is done here
};

std::vector<Option> map_table(MapArguments& arguments);

/// `trawl map` with its options and their rules, but without its work.
Command map_rules(const std::shared_ptr<MapArguments>& arguments);

/// Throws UsageError if an option that is about pairs is given without pairs, or one about clips without clipping.
void check_map_options(const Command& command, const MapArguments& arguments);

/// Throws UsageError.
map::Options map_options(const MapArguments& arguments);

/// The value of -e: "5", or "4%" of a read's length. Throws UsageError.
map::NumberOrShare parse_max_edits(const std::string& text);

/// The value MIN-MAX of an option: sizes in bases. `what`: what has such a size. Throws UsageError.
run::InsertRange parse_size_range(const std::string& option, const std::string& text, const std::string& what);

/// The value of --insert; nothing if it is not given. Throws UsageError.
std::optional<run::InsertRange> insert_range(const MapArguments& arguments);

/// The files of READS and MATES, each a list separated by commas. Throws UsageError.
io::ReadInput::Files read_files(const MapArguments& arguments);

/// The memory for --sort in bytes; nothing without --sort. Throws UsageError, also if the output cannot be sorted.
std::optional<std::uint64_t> sort_memory(const MapArguments& arguments);

/// The format of the main output. Throws UsageError.
io::OutputFormat output_format(const MapArguments& arguments);

/// The files that --sort may write beside the output; empty without --sort.
std::vector<NamedOutput> index_outputs(const MapArguments& arguments);

/// What the user can do if the memory is not enough while reads are mapped.
///   "not enough memory: limit the records of each pair with -k, or narrow --insert; ..."
std::string out_of_memory_text(const MapArguments& arguments);

/// The command line for @PG, in a fixed form. It has only the options that can change the records. Others (threads,
/// engine, batch size, names of input and output files) are left out, so that equal records give equal files.
/// `fasta`: the name of the reference; for a saved index, of the FASTA that it was made from.
std::string canonical_command_line(const MapArguments& arguments, const std::string& fasta);

}  // namespace trawl::cli
