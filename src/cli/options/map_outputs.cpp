#include "cli/options/map_outputs.hpp"

#include <filesystem>
#include <system_error>

#include "base/version.hpp"
#include "io/read/gzip/input_file.hpp"

namespace trawl::cli {

namespace {

bool is_bgzf(io::OutputFormat format) { return format == io::OutputFormat::bam || format == io::OutputFormat::bed_gz; }

}  // namespace

std::string reference_for_htslib(const std::string& fasta) {
  std::error_code error;
  if (fasta == "-" || !std::filesystem::is_regular_file(fasta, error) || io::InputFile(fasta).is_ordinary_gzip()) {
    return "";
  }
  return std::filesystem::absolute(fasta, error).lexically_normal().string();
}

io::SinkOptions sink_options(const MapArguments& arguments, const map::Options& options, const std::string& fasta) {
  io::SinkOptions sink;
  sink.path = arguments.output;
  sink.format = output_format(arguments);
  sink.read_group = arguments.read_group;
  sink.command_line = canonical_command_line(arguments, fasta);
  sink.version = version();
  if (sink.format == io::OutputFormat::cram) {
    sink.reference_url = reference_for_htslib(fasta);
  }
  sink.keep_unmapped = arguments.unmapped == "keep";
  sink.hard_clips = options.clip.hard;
  sink.secondary_bases = arguments.secondary_seq;
  sink.mate_fields = arguments.mate_fields == "primary" ? io::MateFields::primary : io::MateFields::paired;
  sink.divet_path = arguments.divet;
  sink.oea_path = arguments.oea;
  sink.orientation = options.pairs.orientation;
  sink.threads = options.threads;
  sink.compression_level = compression_level(arguments, is_bgzf(output_format(arguments)));
  return sink;
}

}  // namespace trawl::cli
