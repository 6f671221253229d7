#include "cli/work_options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "cli/validators.hpp"
#include "io/write/bgzf_compressor.hpp"

namespace trawl::cli {

namespace {

constexpr unsigned kMaxThreads = 1024;

unsigned cores() { return std::max(1u, std::thread::hardware_concurrency()); }

// Of the environment's TRAWL_MAX_THREADS; without it, the cores.
unsigned most_threads() {
  const char* const text = std::getenv("TRAWL_MAX_THREADS");
  if (text == nullptr || *text == '\0') {
    return cores();
  }
  std::string given = text;
  if (const std::string wrong = whole_number(kMaxThreads, 1)(given); !wrong.empty()) {
    throw UsageError("TRAWL_MAX_THREADS in the environment: " + wrong);
  }
  return static_cast<unsigned>(std::stoul(given));
}

unsigned thread_count(unsigned wanted) {
  if (wanted > kMaxThreads) {
    throw UsageError("--threads " + std::to_string(wanted) + ": at most " + std::to_string(kMaxThreads) +
                     " are possible");
  }
  return std::min(wanted > 0 ? wanted : cores(), most_threads());
}

// Parses a list such as "0,2", but not "all".
std::vector<unsigned> parse_devices(const std::string& text) {
  std::vector<unsigned> devices;
  for (const char *at = text.data(), *end = at + text.size(); at < end; ++at) {
    unsigned device = 0;
    const auto read = std::from_chars(at, end, device);
    const bool again = std::find(devices.begin(), devices.end(), device) != devices.end();
    if (read.ec != std::errc() || again || (read.ptr != end && (*read.ptr != ',' || read.ptr + 1 == end))) {
      throw UsageError("--devices " + text +
                       ": give the numbers of devices, each once, with commas between them, for example 0,1, or all");
    }
    devices.push_back(device);
    at = read.ptr;
  }
  return devices;
}

}  // namespace

void declare_reference(CLI::App& command, std::string& reference) {
  command.add_option("REF", reference, "Reference: FASTA, plain, gzip or BGZF, or an index of trawl index; - is stdin")
      ->required();
}

void declare_max_edits(CLI::App& command, std::string& max_edits) {
  command
      .add_option("-e,--max-edits", max_edits,
                  "Largest edit distance: a number (5), or a share of the read length, rounded down (4%)")
      ->type_name("N|N%")
      ->capture_default_str()
      ->group(kMatchingGroup);
}

void declare_output(CLI::App& command, WorkArguments& a, const char* description, const char* compressed,
                    const char* default_size) {
  command.add_option("-o,--output", a.output, description)
      ->type_name("FILE")
      ->capture_default_str()
      ->group(kRecordsGroup);
  command
      .add_option(
          "--compression-level", a.compression_level,
          std::string("Of ") + compressed + ": 0 not compressed, 1 fastest, 9 smallest; by default " + default_size)
      ->check(whole_number(io::kMostCompression))
      ->type_name("N")
      ->default_str(std::to_string(io::default_compression_level()))
      ->group(kRecordsGroup);
}

void declare_threads(CLI::App& command, WorkArguments& a) {
  add_number(command, "-t,--threads", a.threads,
             "Threads, at most one for each core; 0: all cores, under mpirun the rank's share", kWorkGroup);
}

void declare_messages(CLI::App& command, WorkArguments& a) {
  add_choice(command, "--progress", a.progress, "Show progress on a terminal", {"auto", "off"}, kWorkGroup);
  auto* const quiet =
      command.add_flag("--quiet", a.quiet, "Write nothing but errors to stderr: no progress, warnings or summary")
          ->group(kWorkGroup);
  command.add_flag("--verbose", a.verbose, "Also say which files, threads, times and memory the run takes")
      ->excludes(quiet)
      ->group(kWorkGroup);
}

void declare_work(CLI::App& command, WorkArguments& a) {
  declare_threads(command, a);
  command
      .add_option(
          "--engine", a.engine,
          "What computes; auto takes an NVIDIA GPU where that saves time; the records are the same; trawl info lists "
          "the engines")
      ->type_name("auto|cuda|cpu")
      ->capture_default_str()
      ->group(kWorkGroup);
  command.add_option("--devices", a.devices, "CUDA devices to use, with commas between them; by default the first")
      ->check(not_empty())
      ->type_name("0,1|all")
      ->group(kWorkGroup);
  command
      .add_option("--device-memory", a.device_memory,
                  "Memory to use of each CUDA device, at most, for example 8G or 500M")
      ->check(not_empty())
      ->type_name("LIMIT")
      ->group(kWorkGroup);
  command.add_option("--stats", a.stats, "Statistics of the run, as JSON")
      ->check(not_empty())
      ->type_name("FILE.json")
      ->group(kWorkGroup);
  declare_messages(command, a);
}

void share_node(const ranks::Cluster& cluster, const WorkArguments& a, WorkOptions& options) {
  if (a.threads == 0) {
    options.threads = std::min(options.threads, cluster.cores());
  }
  options.process = cluster.local_rank();
  options.processes = cluster.local_size();
}

void declare_multiqc(CLI::App& command, WorkArguments& a) {
  command
      .add_option("--multiqc", a.multiqc, "Sections for a MultiQC report: NAME_mqc.json, NAME_distance_mqc.json, ...")
      ->check(not_empty())
      ->type_name("NAME_mqc.json")
      ->group(kWorkGroup);
}

void declare_report(CLI::App& command, WorkArguments& a, const std::string& shows) {
  command
      .add_option("--report-html", a.report_html,
                  "A page about the run, one file that needs no network: " + shows + ", and a small genome browser")
      ->check(not_empty())
      ->type_name("FILE.html")
      ->group(kWorkGroup);
  command
      .add_option("--igv-session", a.igv_session,
                  "A session file that opens the reference and the output in IGV, at the places that the page shows")
      ->check(not_empty())
      ->type_name("FILE.xml")
      ->group(kWorkGroup);
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
  if (a.engine == "cpu" && !(a.devices.empty() && a.device_memory.empty())) {
    throw UsageError("--devices and --device-memory are for CUDA devices, which --engine cpu does not use");
  }
  WorkOptions options;
  options.threads = thread_count(a.threads);
  options.all_devices = a.devices == "all";
  if (!options.all_devices) {
    options.devices = parse_devices(a.devices);
  }
  if (!a.device_memory.empty()) {
    options.device_memory = parse_bytes("--device-memory", a.device_memory);
  }
  return options;
}

}  // namespace trawl::cli
