#include "cli/options/map_files.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <initializer_list>
#include <system_error>

#include "align/sam_fields.hpp"
#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/version.hpp"
#include "cli/options/map_presets.hpp"
#include "io/format/file_format.hpp"
#include "io/read/reference_files.hpp"
#include "io/write/output_file.hpp"
#include "io/write/read_files.hpp"
#include "io/write/sam_header.hpp"

namespace trawl::cli {

namespace {

bool ends_with_one(const std::string& path, std::initializer_list<const char*> extensions) {
  return std::any_of(extensions.begin(), extensions.end(),
                     [&](const char* extension) { return io::has_extension(path, extension); });
}

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

// The value of --copy-tags.
std::string checked_tags(const MapArguments& a) {
  const auto is_alphanumeric = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (const std::string& tag :
       a.copied_tags.empty() || a.copied_tags == "all" ? std::vector<std::string>() : split(a.copied_tags, ',')) {
    if (tag.size() != 2 || !std::all_of(tag.begin(), tag.end(), is_alphanumeric)) {
      throw UsageError("--copy-tags " + a.copied_tags + ": '" + tag +
                       "' is no tag; give tags of two characters with commas between them, for example RX,BC, or all");
    }
    if (std::find(std::begin(align::kWrittenTags), std::end(align::kWrittenTags), tag) !=
        std::end(align::kWrittenTags)) {
      throw UsageError("--copy-tags " + a.copied_tags + ": Trawl writes " + tag + " itself; leave it out");
    }
  }
  return a.copied_tags;
}

// What the user has typed to get sorted records.
std::string sorting_option(const std::string& preset) {
  const auto settings = preset_settings(preset, true);
  const bool sorts =
      std::any_of(settings.begin(), settings.end(), [](const Setting& s) { return s.option == "--sort"; });
  return sorts ? "--for " + preset : "--sort";
}

// A file that gets reads, by its option.
std::string checked_reads_file(const std::string& option, const std::string& file) {
  if (!io::is_fastq_name(file)) {
    throw UsageError(option + ' ' + file +
                     ": a file that gets reads must end in .fq, .fastq, .fa or .fasta, or these " + "with .gz" +
                     (option == "--unmapped" ? "; otherwise type keep or drop" : ""));
  }
  return file;
}

// "keep", "drop", or a file with one of them before it.
void set_unmapped(const std::string& given, MapArguments& a) {
  const std::string what = given.substr(0, given.find(','));
  const bool is_word = what == "keep" || what == "drop";
  a.records.keep_unmapped = what != "drop";
  a.unmapped_file.clear();
  if (given != what || !is_word) {
    a.unmapped_file = checked_reads_file("--unmapped", is_word ? given.substr(what.size() + 1) : given);
  }
}

}  // namespace

std::vector<Option> reads_files_options(MapArguments& a) {
  std::vector<Option> table = {
      {.names = "--unmapped",
       .value = "keep|drop|[drop,]FILE",
       .to = OwnType{[&a](const std::string& given) { set_unmapped(given, a); },
                     [&a] {
                       const std::string what = a.records.keep_unmapped ? "keep" : "drop";
                       return a.unmapped_file.empty() ? what : what + ',' + a.unmapped_file;
                     }},
       .help = "Reads without a locus: one unmapped record (keep), or none (drop). FILE gets them as reads, FASTQ or "
               "FASTA by its name (.fq, .fa, .fq.gz, .fa.gz); of pairs % in it stands for the mate: rest_%.fq.gz",
       .in_header = InHeader::if_changed},
      {.names = "--mapped",
       .value = "FILE",
       .to = typed(
           &a.mapped_file, [](const std::string& file) { return checked_reads_file("--mapped", file); },
           [](const std::string& file) { return file; }),
       .help = "Gets the mapped reads in the same form; a pair is mapped if one of its mates is",
       .is_path = true}};
  return in_group(kRecordsGroup, std::move(table));
}

bool is_name_of_records(const std::string& path) {
  return may_have_alignments(path) || ends_with_one(path, {".bed", ".bed.gz"});
}

bool may_have_alignments(const std::string& reads) { return ends_with_one(reads, {".sam", ".bam", ".cram"}); }

io::ReadInput::Files read_files(const MapArguments& a) {
  if (is_name_of_records(a.mates)) {
    throw UsageError("MATES " + a.mates + ": mates are FASTQ or FASTA; if this is the output, type -o " + a.mates);
  }
  io::ReadInput::Files files{paths_of("READS", a.reads), paths_of("MATES", a.mates), a.interleaved};
  const std::string tags = a.comments ? "all" : checked_tags(a);
  files.comments = {.read_group = !io::read_group_of(a.header_lines).empty(),
                    .tags = tags,
                    .whole = tags.empty() && !(a.unmapped_file.empty() && a.mapped_file.empty())};
  files.singles = a.singles;
  files.phred64 = a.phred64;
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

std::vector<NamedOutput> reads_outputs(const MapArguments& a) {
  std::vector<NamedOutput> outputs;
  for (const auto& [option, file] :
       {std::pair("--unmapped", &a.unmapped_file), std::pair("--mapped", &a.mapped_file)}) {
    for (const std::string& name : io::files_of_mates(*file)) {
      outputs.push_back({option, name});
    }
  }
  return outputs;
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
  sink.header_lines = a.header_lines;
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
