#include "cli/options/shared_options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <thread>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "io/write/bgzf_compressor.hpp"

namespace trawl::cli {

namespace {

constexpr unsigned kMaxThreads = 1024;
unsigned cores() { return std::max(1u, std::thread::hardware_concurrency()); }
unsigned most_threads() { return number_of_environment("TRAWL_MAX_THREADS", kMaxThreads).value_or(cores()); }

unsigned thread_count(unsigned wanted) {
  if (wanted > kMaxThreads) {
    throw UsageError("--threads " + std::to_string(wanted) + ": at most " + std::to_string(kMaxThreads) +
                     " are possible");
  }
  return std::min(wanted > 0 ? wanted : cores(), most_threads());
}

// A list such as "0,2".
std::vector<unsigned> parse_device_list(const std::string& text) {
  std::vector<unsigned> devices;
  for (const std::string& number : text.empty() ? std::vector<std::string>() : split(text, ',')) {
    unsigned device = 0;
    if (!set({.to = &device}, number).empty() || std::count(devices.begin(), devices.end(), device) > 0) {
      throw UsageError("--devices " + text +
                       ": give the numbers of devices, each once, with commas between them, for example 0,1, or all");
    }
    devices.push_back(device);
  }
  return devices;
}

std::uint64_t parse_bytes(const std::string& option, const std::string& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  unsigned shift = 0;
  const char* unit = read.ptr;
  if (read.ec == std::errc() && unit != end) {
    const char letter = static_cast<char>(*unit & ~0x20);  // k as K
    shift = letter == 'K' ? 10 : letter == 'M' ? 20 : letter == 'G' ? 30 : 64;
    ++unit;
  }
  if (read.ec != std::errc() || unit != end || shift == 64 || number == 0 || number > (~std::uint64_t{0} >> shift)) {
    throw UsageError(option + " " + text + ": give bytes, for example 8G, 500M or 100000K");
  }
  return number << shift;
}

WorkOptions parse_devices(const std::string& text) {
  WorkOptions options;
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string devices = text.substr(0, colon);
  options.all_devices = devices == "all";
  if (!options.all_devices) {
    options.devices = parse_device_list(devices);
  }
  if (colon < text.size()) {
    options.device_memory = parse_bytes("--devices " + devices + ":", text.substr(colon + 1));
  }
  return options;
}

std::string devices_text(const WorkOptions& options) {
  std::string text = options.all_devices ? "all" : "";
  for (const unsigned device : options.devices) {
    text += (text.empty() ? "" : ",") + std::to_string(device);
  }
  return text + (options.device_memory > 0 ? ":" + std::to_string(options.device_memory) : "");
}

std::optional<sequence::AmbiguousLimit> parse_ambiguous(const std::string& text) {
  if (text == "mismatch") {
    return std::nullopt;
  }
  const bool has_limit = text.starts_with("match:");
  if (!has_limit && text != "match") {
    throw UsageError("--ambiguous " + text + ": give mismatch or match, or match with a limit, for example match:25%");
  }
  sequence::AmbiguousLimit limit;
  if (has_limit) {
    const map::NumberOrShare most = parse_number_or_share("--ambiguous match:", text.substr(6),
                                                          "give a number of letters, for example match:10, or a share "
                                                          "of the read's or pattern's length, for example match:25%",
                                                          100);
    limit.is_share = most.is_share;
    limit.most = most.is_share ? static_cast<std::uint32_t>(std::lround(100 * most.percent)) : most.number;
  }
  return limit;
}

std::string ambiguous_text(const std::optional<sequence::AmbiguousLimit>& limit) {
  const sequence::AmbiguousLimit usual;
  if (!limit || (limit->is_share == usual.is_share && limit->most == usual.most)) {
    return limit ? "match" : "mismatch";
  }
  return "match:" + text_of(map::NumberOrShare{limit->is_share, limit->most / 100.0, limit->most});
}

align::InsertRange parse_sizes(const std::string& option, const std::string& text, const std::string& what) {
  constexpr std::uint32_t kLargestSize = 100'000'000;
  align::InsertRange range;
  const char* const end = text.data() + text.size();
  const auto min = std::from_chars(text.data(), end, range.min);
  const bool has_both = min.ec == std::errc() && min.ptr != end && *min.ptr == '-';
  const auto max = std::from_chars(has_both ? min.ptr + 1 : end, end, range.max);
  const std::string given = option + ' ' + text + ": ";
  if (!has_both || max.ec != std::errc() || max.ptr != end || range.max > kLargestSize) {
    throw UsageError(given + "give the smallest and the largest size, at most " + std::to_string(kLargestSize) +
                     ", for example 100-600");
  }
  if (range.min == 0 || range.min > range.max) {
    throw UsageError(given + (range.min == 0 ? what + " covers at least 1 base" : "the smallest size comes first") +
                     "; for example 100-600");
  }
  return range;
}

}  // namespace

std::optional<std::uint32_t> number_of_environment(const char* name, std::uint32_t most) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') {
    return {};
  }
  std::uint32_t number = 0;
  if (const std::string wrong = set({.names = name, .to = &number, .least = 1, .most = most}, text); !wrong.empty()) {
    throw UsageError(std::string(name) + " in the environment: " + wrong);
  }
  return number;
}

Option reference_argument(std::string& reference) {
  return {.names = "REF",
          .to = &reference,
          .help =
              "Reference: FASTA, plain, gzip or BGZF, 2bit, or an index of trawl index; several: a.fa,b.fa or "
              "@list.txt; - is stdin",
          .required = true,
          .may_be_empty = true,
          .is_path = true};
}

Option metric_option(match::Metric& metric, InHeader in_header, const std::string& more) {
  return {.names = "--metric",
          .to = choice(&metric, {{"levenshtein", match::Metric::levenshtein}, {"hamming", match::Metric::hamming}}),
          .help = "levenshtein: substitutions, insertions and deletions; hamming: substitutions only" + more,
          .group = kMatchingGroup,
          .in_header = in_header};
}

Option ambiguous_option(std::optional<sequence::AmbiguousLimit>& ambiguous, const std::string& whose) {
  return {.names = "--ambiguous",
          .value = "mismatch|match[:N|N%]",
          .to = typed(&ambiguous, parse_ambiguous, ambiguous_text),
          .help = "N and other IUPAC codes" + whose +
                  " match nothing (mismatch), or the bases that they stand for (match). A place may overlap at most N "
                  "of them in the reference, or a share of the length of the read or pattern (25% by default)",
          .group = kMatchingGroup,
          .in_header = InHeader::if_changed};
}

Option strand_option(match::Strands& strands, InHeader in_header, const std::string& more) {
  using enum match::Strands;
  return {.names = "--strand",
          .to = choice(&strands, {{"both", both}, {"+", forward}, {"-", reverse}}),
          .help = "Strands to search" + more,
          .group = kMatchingGroup,
          .in_header = in_header};
}

Option former_max_ambiguous() {
  return {.names = "--max-ambiguous",
          .instead = "it follows --ambiguous: --ambiguous match:10 or --ambiguous match:30%"};
}

Option output_option(WorkArguments& a, const std::string& formats) {
  return {.names = "-o,--output",
          .value = "FILE",
          .to = &a.output,
          .help = "Output: " + formats,
          .group = kRecordsGroup,
          .may_be_empty = true,
          .is_path = true};
}

std::vector<Option> output_options(WorkArguments& a, const std::string& formats, const std::string& compressed) {
  return {output_option(a, formats),
          {.names = "--compression-level",
           .to = &a.compression_level,
           .help = "Of " + compressed,
           .group = kRecordsGroup,
           .default_text = std::to_string(io::default_compression_level()),
           .most = io::kMostCompression}};
}

Option tune_option(std::vector<Option> keys) {
  return {.names = "--tune",
          .value = "KEY=VALUE",
          .help = "For tests and measurements",
          .keys = std::move(keys),
          .may_repeat = true,
          .is_hidden = true};
}

Option circular_option(std::vector<std::string>& names, const std::string& group) {
  return {.names = "--circular",
          .value = "NAME",
          .to = &names,
          .help =
              "A circular sequence of the reference: what lies over its origin is found, too. May be given more than "
              "once. Not needed if its header has the word TP:circular",
          .group = group,
          .in_header = InHeader::if_changed,
          .may_repeat = true};
}

Option rename_option(bool& renames_contigs, const std::string& group) {
  return {.names = "--rename-contigs",
          .to = &renames_contigs,
          .help = "Letters that SAM does not allow in the names of a FASTA become _: A/duck(H5N8) is A/duck_H5N8_",
          .group = group,
          .in_header = InHeader::if_changed};
}

Option threads_option(WorkArguments& a) {
  return {.names = "-t,--threads",
          .to = &a.threads,
          .help = "Threads, at most one for each core; 0: all cores (under mpirun, the share of the rank)",
          .group = kWorkGroup};
}

std::vector<Option> message_options(WorkArguments& a) {
  std::vector<Option> table = {{.names = "--progress",
                                .to = choice(&a.shows_progress, {{"auto", true}, {"off", false}}),
                                .help = "Show progress on a terminal",
                                .is_hidden = true},  // only a terminal shows it; scripts have it off
                               {.names = "--quiet",
                                .to = &a.quiet,
                                .help = "Write nothing but errors to stderr: no progress, warnings or summary"},
                               {.names = "--verbose",
                                .to = &a.verbose,
                                .help = "Also report the files, threads, times and memory of the run",
                                .conflicts = {{[&a](auto&) { return a.quiet; }, " and --quiet exclude each other"}}}};
  return in_group(kWorkGroup, std::move(table));
}

Option server_option(std::string& server) {
  return {.names = "--server",
          .value = "SOCKET",
          .to = &server,
          .help = "Let the trawl serve at this socket do the work. It must hold this reference; the output is the same",
          .group = kWorkGroup,
          .is_path = true};
}

std::vector<Option> work_options_table(WorkArguments& a) {
  std::vector<Option> table = {
      threads_option(a),
      {.names = "--engine",
       .value = "auto|cuda|cpu",
       .to = &a.engine,
       .help = "What computes; auto takes an NVIDIA GPU where that saves time; the records are the same; trawl info "
               "lists the engines",
       .may_be_empty = true},
      {.names = "--devices",
       .value = "0,1|all[:LIMIT]",
       .to = typed(&a.devices, parse_devices, devices_text),
       .help = "CUDA devices to use, with commas between them, or all; by default the first. A limit is the most "
               "memory of each: 0,1:8G or all:500M",
       .conflicts = {{[&a](auto&) { return a.engine == "cpu"; },
                      " are CUDA devices, which --engine cpu does not use"}}},
      {.names = "--device-memory", .instead = "it follows the devices: --devices 0:8G or --devices all:8G"},
      {.names = "--stats",
       .value = "FILE.json",
       .to = &a.stats,
       .help = "Statistics of the run, as JSON",
       .is_path = true}};
  append(table, message_options(a));
  return in_group(kWorkGroup, std::move(table));
}

std::vector<Option> report_options(WorkArguments& a, const std::string& shows) {
  std::vector<Option> table = {
      {.names = "--multiqc",
       .value = "NAME_mqc.json",
       .to = &a.multiqc,
       .help = "Sections for a MultiQC report: NAME_mqc.json, NAME_distance_mqc.json and so on",
       .is_path = true},
      {.names = "--report-html",
       .value = "FILE.html",
       .to = &a.report_html,
       .help = "A page about the run, one file that needs no network: " + shows + ", and a small genome browser",
       .is_path = true},
      {.names = "--igv-session",
       .value = "FILE.xml",
       .to = &a.igv_session,
       .help = "A session file that opens the reference and the output in IGV, at the places that the page shows",
       .is_path = true}};
  return in_group(kWorkGroup, std::move(table));
}

Target bytes_target(const std::string& option, std::optional<std::uint64_t>& bytes, std::uint64_t least) {
  return typed(
      &bytes,
      [option, least](const std::string& text) {
        const std::uint64_t given = least > 1 && text == "0" ? 0 : parse_bytes(option, text);
        if (given < least) {
          throw UsageError(option + " " + text + ": at least " + std::to_string(least >> 20) +
                           "M is needed; without a letter, these are bytes");
        }
        return given;
      },
      [](const std::optional<std::uint64_t>& given) { return given ? std::to_string(*given) : ""; });
}

Target sizes_target(const std::string& option, std::optional<align::InsertRange>& sizes, const std::string& what) {
  return typed(
      &sizes, [option, what](const std::string& text) { return parse_sizes(option, text, what); },
      [](const std::optional<align::InsertRange>& given) { return given ? text_of(*given) : ""; });
}

int compression_level(const WorkArguments& a, bool output_is_bgzf) {
  if (a.compression_level && !output_is_bgzf) {
    throw UsageError("--compression-level is for .bam and .bed.gz; the output is " +
                     (a.output == "-" ? "not compressed" : a.output));
  }
  return a.compression_level.value_or(io::default_compression_level());
}

std::string fewer_threads_text(const WorkArguments& a) {
  const unsigned threads = thread_count(a.threads);
  return a.threads <= threads ? ""
                              : "-t " + std::to_string(a.threads) + ": only " + counted(threads, "thread") +
                                    (threads == 1 ? " works" : " work") +
                                    (threads == cores() ? ", one for each core" : ", by TRAWL_MAX_THREADS");
}

WorkOptions work_options(const WorkArguments& a) {
  WorkOptions options = a.devices;
  options.threads = thread_count(a.threads);
  return options;
}

}  // namespace trawl::cli
