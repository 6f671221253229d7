// What `trawl scan` knows before the search: what its options mean, and what it has read.
//
//   with: const cli::ScanArguments& arguments, CommandRun& run
//   io::ScanStats stats;
//   ScanPlan plan = make_plan(arguments, run, stats);
//   ScanInputs inputs;
//   read_inputs(plan, inputs, run, stats);      // on the first rank
//   share_inputs(plan, inputs, run);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/scan_options.hpp"
#include "io/read/annotation.hpp"
#include "io/read/barcode_lists.hpp"
#include "io/read/pattern_reader.hpp"
#include "io/read/read_samples.hpp"
#include "io/stats/scan_stats.hpp"
#include "pipeline/engine_choice.hpp"
#include "scan/options.hpp"
#include "session/command_run.hpp"
#include "session/load_reference.hpp"
#include "session/scan_session.hpp"

namespace trawl::session {

/// What the options mean.
struct ScanPlan {
  cli::ScanArguments arguments;  // with what an input of Cas-OFFinder adds
  io::ReadSamples input;         // the files of the reference, or of reads
  scan::ScanOptions options;
  std::optional<scan::CallRule> rule;            // with --per-read best
  std::optional<io::StructureSearch> structure;  // with --read-structure; the options are those of its barcodes
  io::ScanFormat format;
  int level;
  std::string against_circular;  // what is given that cannot have places over an origin; "" if nothing is
  std::string genome;            // with --igv-session, on the first rank: the FASTA
  pipeline::ScanChoice choice;

  /// Whether records are counted for each pattern.
  bool counts_by_pattern() const;
};

/// What is read before the search. Under mpirun the first rank reads it, and all ranks have it.
struct ScanInputs {
  scan::PatternList patterns;                            // without the PAM
  io::BarcodeLists barcodes;                             // with --read-structure; `patterns` has all of them
  io::PatternColumns columns;                            // the others of their table, with --counts
  std::optional<io::CasOffinderInput> cas;               // what an input of Cas-OFFinder says besides the guides
  std::shared_ptr<const io::Annotation> genes;           // --annotate
  ReferenceStream reference;                             // its contigs on the first rank only
  std::shared_ptr<const sequence::Reference> in_memory;  // the same reference, with --vcf
};

/// Also checks whether the outputs can be written. From then on `run` can say something. Throws UsageError, IoError.
ScanPlan make_plan(const cli::ScanArguments& arguments, CommandRun& run, io::ScanStats& stats);

/// On the first rank. Throws UsageError, InputError, IoError.
void read_inputs(ScanPlan& plan, ScanInputs& inputs, CommandRun& run, io::ScanStats& stats);

/// For each pattern, the number of reads that have it exactly, where they are searched; reads all of them. Throws as
/// read_inputs().
std::vector<std::uint32_t> exact_reads(const ScanPlan& plan, const ScanInputs& inputs);

/// From the first rank to the others.
void share_inputs(ScanPlan& plan, ScanInputs& inputs, CommandRun& run);

}  // namespace trawl::session
