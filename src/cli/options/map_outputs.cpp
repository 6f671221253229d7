#include "cli/options/map_outputs.hpp"

#include <filesystem>
#include <system_error>

#include "base/version.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/two_bit_contigs.hpp"

namespace trawl::cli {

bool is_bgzf(io::OutputFormat format) { return format == io::OutputFormat::bam || format == io::OutputFormat::bed_gz; }

std::string reference_for_htslib(const std::string& fasta) {
  std::error_code error;
  if (fasta == "-" || !std::filesystem::is_regular_file(fasta, error) || io::is_two_bit(fasta) ||
      io::InputFile(fasta).is_ordinary_gzip()) {
    return "";
  }
  return std::filesystem::absolute(fasta, error).lexically_normal().string();
}

align::RecordRule record_rule(const MapArguments& arguments, const map::Options& options) {
  return {arguments.unmapped == "keep",
          arguments.mate_fields == "primary" ? align::MateFields::primary : align::MateFields::paired,
          options.clip.hard, arguments.secondary_seq};
}

io::SinkOptions sink_options(const MapArguments& arguments, const map::Options& options, const std::string& fasta) {
  io::SinkOptions sink;
  static_cast<align::RecordRule&>(sink) = record_rule(arguments, options);
  sink.path = arguments.output;
  sink.format = output_format(arguments);
  sink.read_group = arguments.read_group;
  sink.command_line = canonical_command_line(arguments, fasta);
  sink.version = version();
  if (sink.format == io::OutputFormat::cram) {
    sink.reference_urls = {reference_for_htslib(fasta)};
  }
  sink.threads = options.threads;
  sink.compression_level = compression_level(arguments, is_bgzf(output_format(arguments)));
  return sink;
}

}  // namespace trawl::cli
