// What the options of `trawl map` say about its outputs.
//
//   auto sink = run::make_sink(sink_options(arguments, options, "genome.fa"), reference, md5s);
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "align/records.hpp"
#include "cli/options/map_options.hpp"
#include "io/write/alignment_sink.hpp"
#include "map/options.hpp"

namespace trawl::cli {

/// Whether it is compressed in blocks, so that --compression-level is for it.
bool is_bgzf(io::OutputFormat format);

/// Which records the outputs have.
align::RecordRule record_rule(const MapArguments& arguments, const map::Options& options);

/// What the sinks need. `fasta`: the name of the reference in the header. Throws UsageError.
io::SinkOptions sink_options(const MapArguments& arguments, const map::Options& options, const std::string& fasta);

/// The full path of the FASTA, for htslib to find it again; empty if it cannot read it: no file, or ordinary gzip.
std::string reference_for_htslib(const std::string& fasta);

}  // namespace trawl::cli
