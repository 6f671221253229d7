#include "cli/options/map_files.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/version.hpp"
#include "cli/options/map_presets.hpp"
#include "io/format/file_format.hpp"
#include "io/read/reference_files.hpp"
#include "io/write/output_file.hpp"

namespace trawl::cli {

namespace {

constexpr const char* kRecordExtensions[] = {".sam", ".bam", ".cram", ".bed", ".bed.gz"};

// A list with commas, unless a file has this name; empty if the argument is not given.
std::vector<std::string> paths_of(const char* argument, const std::string& list) {
  if (list.empty()) {
    return {};
  }
  std::error_code error;
  std::vector<std::string> paths = std::filesystem::exists(list, error) ? std::vector{list} : split(list, ',');
  if (std::find(paths.begin(), paths.end(), "") != paths.end()) {
    throw UsageError(std::string(argument) + " '" + list + "': an empty file name between commas");
  }
  return paths;
}

// What the user has typed to get sorted records.
std::string sorting_option(const std::string& preset) {
  const auto settings = preset_settings(preset, true);
  const bool sorts =
      std::any_of(settings.begin(), settings.end(), [](const Setting& s) { return s.option == "--sort"; });
  return sorts ? "--for " + preset : "--sort";
}

}  // namespace

bool is_name_of_records(const std::string& path) {
  return std::any_of(std::begin(kRecordExtensions), std::end(kRecordExtensions),
                     [&](const char* extension) { return io::has_extension(path, extension); });
}

io::ReadInput::Files read_files(const MapArguments& a) {
  if (is_name_of_records(a.mates)) {
    throw UsageError("MATES " + a.mates + ": mates are FASTQ or FASTA; if this is the output, type -o " + a.mates);
  }
  io::ReadInput::Files files{paths_of("READS", a.reads), paths_of("MATES", a.mates), a.interleaved};
  if (a.comments) {
    files.comments.emplace(io::CommentRule{.read_group = !a.read_group.empty()});
  }
  int streams = a.reference == "-" ? 1 : 0;
  for (const auto* list : {&files.reads, &files.mates}) {
    const bool has_stream = std::find(list->begin(), list->end(), "-") != list->end();
    streams += has_stream ? static_cast<int>(list->size()) : 0;  // a list with - must have nothing else
  }
  if (streams > 1) {
    throw UsageError("only one of the files can be the standard input (-)");
  }
  for (const auto& first : files.reads) {
    for (const auto& second : files.mates) {
      if (is_same_input(first, second)) {
        throw UsageError(first + " and " + second +
                         " are the same file; the second mates need a file of their own, or --interleaved if one file "
                         "has both: trawl map REF R1 R2, trawl map --interleaved REF READS");
      }
    }
  }
  return files;
}

io::OutputFormat output_format(const MapArguments& a) {
  if (!a.output.empty() && a.output.find_first_not_of("0123456789") == std::string::npos && !a.output_format) {
    throw UsageError("-o " + a.output +
                     ": the output is -o FILE.bam; gaps (-o of bwa aln) are edits, and need no option");
  }
  return io::output_format(a.output, a.output_format);
}

bool is_bed(io::OutputFormat format) { return format == io::OutputFormat::bed || format == io::OutputFormat::bed_gz; }

bool is_bgzf(io::OutputFormat format) { return format == io::OutputFormat::bam || format == io::OutputFormat::bed_gz; }

std::optional<std::uint64_t> sort_memory(const MapArguments& a) {
  if (!a.sort) {
    return {};
  }
  const std::string sorts = sorting_option(a.preset);
  if (io::is_stream(a.output)) {
    throw UsageError(sorts + " writes BAM or CRAM with an index beside it, but " +
                     (a.output == "-" ? "the standard output has no name" : a.output + " is a pipe or a device") +
                     "; name a file with -o, or leave " + sorts + " out: trawl map ... | samtools sort");
  }
  const io::OutputFormat format = output_format(a);
  if (format != io::OutputFormat::bam && format != io::OutputFormat::cram) {
    throw UsageError(sorts + " writes BAM or CRAM; name the output with -o FILE.bam or FILE.cram");
  }
  return a.sort_memory.value_or(std::max(usable_memory() / 4, std::uint64_t{1} << 20));
}

std::vector<NamedOutput> index_outputs(const MapArguments& a) {
  if (!a.sort) {
    return {};
  }
  // Whether .bai or .csi is written is known when the reference is read.
  const bool is_cram = output_format(a) == io::OutputFormat::cram;
  std::vector<NamedOutput> outputs;
  for (const char* extension : is_cram ? std::vector{".crai"} : std::vector{".bai", ".csi"}) {
    outputs.push_back({"--sort's index", a.output + extension});
  }
  return outputs;
}

io::SinkOptions sink_options(const MapArguments& a, const map::MapOptions& options, const std::string& fasta) {
  io::SinkOptions sink;
  static_cast<align::RecordRule&>(sink) = a.records;
  sink.path = a.output;
  sink.format = output_format(a);
  sink.read_group = a.read_group;
  sink.command_line = canonical_command_line(a, fasta);
  sink.version = version();
  if (sink.format == io::OutputFormat::cram) {
    sink.reference_urls = {io::reference_for_htslib(fasta)};
  }
  sink.threads = options.threads;
  sink.compression_level = compression_level(a, is_bgzf(*sink.format));
  return sink;
}

}  // namespace trawl::cli
