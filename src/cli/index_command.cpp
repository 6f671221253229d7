#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/stopwatch.hpp"
#include "cli/commands.hpp"
#include "cli/options/shared_options.hpp"
#include "io/index/saved_index.hpp"
#include "io/read/reference_files.hpp"
#include "io/stats/command_stats.hpp"
#include "io/stats/progress.hpp"
#include "io/write/output_file.hpp"
#include "seed/seed_index.hpp"
#include "session/command_run.hpp"
#include "session/load_reference.hpp"

namespace trawl::cli {

namespace {

struct IndexArguments : WorkArguments {
  std::string reference;
  std::string fasta;
  bool check = false;
  std::vector<std::string> circular;
  bool renames_contigs = false;
};

constexpr const char* kIndexExamples = R"(
Examples:
  trawl index genome.fa.gz
      writes genome.fa.gz.trawl
  trawl index genome.fa -o /scratch/genome.trawl
  trawl map /scratch/genome.trawl reads.fq.gz -o best.bam
      starts at once, and several such processes share the memory of the index
  trawl index --check /scratch/genome.trawl
      reads all of it, and compares it with genome.fa if that is still there
)";

std::vector<Option> index_table(IndexArguments& a) {
  std::vector<Option> table = {
      {.names = "REF",
       .to = &a.reference,
       .help = "Reference: FASTA, plain, gzip or BGZF; - is stdin; with --check, an index",
       .required = true,
       .is_path = true},
      {.names = "FASTA",
       .to = &a.fasta,
       .help = "With --check: the FASTA to compare with, if it is not where it was",
       .is_path = true},
      {.names = "-o,--output",
       .value = "FILE",
       .to = &a.output,
       .help = "Output; by default REF with .trawl after it",
       .is_path = true},
      {.names = "--check", .to = &a.check, .help = "Check all bytes of an index, and that it was made from its FASTA"},
      circular_option(a.circular),
      rename_option(a.renames_contigs),
      threads_option(a)};
  append(table, message_options(a));
  return table;
}

std::string size_text(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text;
}

// The name and the checksum of each contig. Those of a FASTA and of its index are equal.
std::vector<std::pair<std::string, std::string>> names_and_md5s(const sequence::Reference& reference,
                                                                const std::vector<std::string>& md5s) {
  std::vector<std::pair<std::string, std::string>> all;
  for (std::size_t i = 0; i < md5s.size(); ++i) {
    all.emplace_back(reference.contigs()[i].name, md5s[i]);
  }
  return all;
}

void check_index(const IndexArguments& a, const session::CommandRun& run, unsigned threads) {
  const std::string& path = a.reference;
  io::check_saved_index(path);
  const io::SavedIndex index = io::open_saved_index(path);
  const std::string fasta = !a.fasta.empty() ? a.fasta : io::find_fasta(path, index.fasta).value_or("");
  if (fasta.empty() && index.fasta.path == "-") {
    run.say(path +
            " is complete and not damaged; it was made from standard input, so there is no file to compare with; " +
            "give one: trawl index --check " + path + " FASTA");
    return;
  }
  if (fasta.empty()) {
    run.say(path + " is complete and not damaged; its FASTA, " + index.fasta.path +
            ", was not found, so it was not compared");
    return;
  }
  const sequence::Reference reference =
      io::read_reference(fasta, nullptr, {.threads = threads, .renames_contigs = true});
  if (names_and_md5s(reference, io::contig_md5s(reference)) != names_and_md5s(index.reference, index.md5s)) {
    throw InputError(path, 0,
                     "the index is not damaged, but " + fasta +
                         " has other sequences; make the index again: trawl index " + fasta + " -o " + path);
  }
  run.say(path + " is complete, not damaged, and has the sequences of " + fasta);
}

void make_index(const IndexArguments& a, session::CommandRun& run, unsigned threads, io::CommandStats& stats) {
  if (io::is_saved_index(a.reference)) {
    throw InputError(a.reference, 0, "is a saved index already; to check it, use trawl index --check");
  }
  io::OutputFile file(a.output);
  io::SavedIndex index;
  index.fasta = io::fasta_identity(a.reference);
  std::vector<std::string> warnings;
  index.reference = io::read_circular(a.reference, a.circular, session::repeated_for_reads, &warnings,
                                      {.threads = threads, .renames_contigs = a.renames_contigs});
  for (const std::string& warning : warnings) {
    run.say(warning);
  }
  const unsigned q = seed::SeedIndex::suggest_q(index.reference.bases());
  {
    const io::ElapsedTime waiting(run.shows_progress(), "building the index");
    index.md5s = io::contig_md5s(index.reference);
    index.seeds = std::make_shared<seed::SeedIndex>(index.reference.searched(), q, threads);
  }
  if (io::fasta_identity(a.reference) != index.fasta) {
    throw InputError(a.reference, 0, "changed while it was read; run trawl index again");
  }
  io::Progress progress(run.shows_progress(), {}, "bytes");
  const std::uint64_t bytes =
      io::save_index(index, file, [&](std::uint64_t done, std::uint64_t) { progress.update(done, 0); });
  run.end([&] { file.commit(); }, progress);
  run.report("", file.name() + ": " + counted(index.reference.contigs().size(), "contig") + ", " +
                     counted(index.reference.bases(), "base") + ", seeds of " + std::to_string(q) + ", " +
                     size_text(bytes) + ", " + seconds_text(stats.wall_seconds));
}

void run_index(const IndexArguments& given, session::CommandRun& run) {
  IndexArguments a = given;
  if (!a.check) {
    if (!a.fasta.empty()) {
      throw UsageError("only one reference can be in an index, and " + a.fasta +
                       " is a second one; -o names the output, --check compares an index with a FASTA");
    }
    if (a.output.empty() && a.reference == "-") {
      throw UsageError("the reference is the standard input, so -o must name the index");
    }
    if (a.output.empty()) {
      a.output = a.reference + ".trawl";
    }
  } else if (!a.output.empty()) {
    throw UsageError("--check writes nothing; leave -o out");
  }
  io::CommandStats stats;
  const unsigned threads = work_options(a).threads;
  run.begin(a, stats, {a.reference}, threads);
  if (a.check) {
    check_index(a, run, threads);
  } else {
    make_index(a, run, threads, stats);
  }
}

}  // namespace

Command index_command() {
  const auto arguments = std::make_shared<IndexArguments>();
  arguments->output.clear();
  return {.name = "index",
          .description = "Save a reference and its seed index in a file, for trawl map",
          .options = index_table(*arguments),
          .footer = kIndexExamples,
          .work = [arguments](const Command&, session::CommandRun& run) { run_index(*arguments, run); }};
}

}  // namespace trawl::cli
