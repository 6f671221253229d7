// `trawl mappability`, from its options to its track.
//
//   with: CommandRun& run
//   MappabilityArguments arguments;
//   arguments.reference = "genome.fa";
//   arguments.length = 100;
//   run_mappability(arguments, run);
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/options/shared_options.hpp"
#include "io/write/position_track.hpp"
#include "map/options.hpp"
#include "session/command_run.hpp"

namespace trawl::session {

struct MappabilityArguments : cli::WorkArguments {
  std::string reference;
  std::uint32_t length = 0;  // of the reads
  map::NumberOrShare max_edits;
  match::Metric metric = match::Metric::levenshtein;
  io::TrackValue value = io::TrackValue::count;
  std::string regions;  // a BED file; empty: the whole reference
  std::size_t batch_size = 0;
};

/// Throws UsageError, InputError, IoError, Error.
void run_mappability(const MappabilityArguments& arguments, CommandRun& run);

}  // namespace trawl::session
