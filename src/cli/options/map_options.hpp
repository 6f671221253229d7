// The options of `trawl map`, as given by the user, and their meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "align/records.hpp"
#include "cli/options/shared_options.hpp"
#include "io/write/alignment_sink.hpp"
#include "map/options.hpp"

namespace trawl::cli {

/// The values that the tables set.
struct MapArguments : WorkArguments {
  std::string reference;
  std::string reads;
  std::string mates;
  bool interleaved = false;
  bool singles = false;
  bool phred64 = false;
  map::MapOptions rules;  // except those below, and those of the work
  align::RecordRule records;
  std::optional<align::InsertRange> insert;
  std::optional<map::NumberOrShare> clip;  // nothing: auto
  std::optional<align::ClipWhen> clip_when;
  bool end_to_end = false;
  bool split = false;
  std::uint32_t join = 0;
  std::optional<sequence::AmbiguousLimit> ambiguous;  // nothing: mismatch
  std::vector<std::string> circular;
  bool renames_contigs = false;
  std::string unmapped_file;  // --unmapped FILE; see io::with_read_files()
  std::string mapped_file;
  std::vector<std::string> header_lines;  // -R, see io::add_header_lines()
  bool comments = false;
  std::string copied_tags;                        // --copy-tags
  std::optional<io::OutputFormat> output_format;  // nothing: by the extension of -o
  bool sort = false;
  std::optional<std::uint64_t> sort_memory;
  bool mark_duplicates = false;
  bool collapsed = false;
  std::size_t batch_size = 0;
  std::string preset;  // --for; what it sets is in the members above
  std::string server;  // --server; empty: the work is done here

  /// Whether the options say that there are pairs.
  bool has_mates() const { return interleaved || !mates.empty(); }
  /// Whether there may be pairs: also in a SAM, BAM or CRAM, as its name says.
  bool paired() const;
};

/// Options of how much of a read may differ or be left out.
Option damage_option(MapArguments& arguments);
std::vector<Option> clip_table(MapArguments& arguments);
map::ClipOptions clip_options(const MapArguments& arguments);

std::vector<Option> map_table(MapArguments& arguments);

/// `trawl map` with its options and their rules, but without its work. The arguments must outlive it.
Command map_rules(MapArguments& arguments);

/// What they mean. Throws UsageError.
map::MapOptions map_options(const MapArguments& arguments);

/// "off", "auto" or "ss:0.3,0.3,0.01"; "30%" or "auto".
std::string damage_text(const align::DamageRates& damage);
std::string clip_text(const std::optional<map::NumberOrShare>& clip);

/// The command line for @PG, in a fixed form. It has only the options that can change the records. Others (threads,
/// engine, batch size, names of input and output files) are left out, so that equal records give equal files.
/// `fasta`: the name of the reference; for a saved index, of the FASTA that it was made from.
std::string canonical_command_line(const MapArguments& arguments, const std::string& fasta);

}  // namespace trawl::cli
