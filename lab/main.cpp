#include <memory>
#include <utility>

#include "cli/program.hpp"
#include "lab/bench_exact_algorithms.hpp"
#include "lab/bench_exact_options.hpp"
#include "lab/bench_experiments.hpp"
#include "lab/bench_multi_options.hpp"
#include "lab/bench_text_options.hpp"

namespace trawl::lab {

namespace {

// The end of an algorithm's help: what its result is compared with, and the columns of its table.
std::string footer(const BenchEntry& entry) {
  std::string text =
      "An option can have several values, separated by commas: -n 1000,5000 -m 8,16 gives four rows, one for\n"
      "each combination. Every result is checked before its time is printed. It is compared with ";
  if (entry.options & kParts) {
    text +=
        "the\n"
        "result of the sequential program. If the table has more than 8 * 10^9 cells and --sequential is\n"
        "not given, that program searches only some windows of the text.\n";
  } else {
    text +=
        "plain\n"
        "dynamic programming in four windows of 262,144 positions: at the start, after one third, in the\n"
        "middle and at the end of the text. A short text is compared as a whole.\n";
  }
  if (entry.options & kEnds) {
    text +=
        "In a random text, these windows contain copies of the pattern with 0 to k + 1 edits. On the GPU\n"
        "the whole result is also compared with the result of another algorithm.\n";
  }
  text += "Columns: ";
  if (entry.options & kReference) {
    text += "seconds: median time of a run; Gbp/s: 10^9 bases per second.\n";
  } else if (entry.options & kParts) {
    text +=
        "D: parts of the text; ms: median time of a run, with the search for the position of the\n"
        "match; Gcells/s: 10^9 cells of the table per second.\n";
  } else {
    text +=
        "ms: median time of a run; Gchar/s: 10^9 characters per second; Tbps: 10^12 bits of text\n"
        "per second; % of copy: bytes read and written per second, in percent of a plain copy on the GPU.\n";
  }
  return text + "\nExample:\n  " + entry.example + "\n";
}

constexpr const char* kAlgorithm = "Algorithm";

std::vector<cli::Option> text_table(BenchArguments& a, unsigned options) {
  const char* group = "Text";
  std::vector<cli::Option> table = {
      {.names = "-n,--length",
       .value = "N[,N..]",
       .to = &a.lengths,
       .help = "Length of the random text, in characters",
       .group = group,
       .most = kLargestNumber},
      {.names = "--seed", .to = &a.seed, .help = "Seed of the random text", .group = group}};
  if (options & kBytes) {
    append(table, {{.names = "--sigma",
                    .value = "N[,N..]",
                    .to = &a.sigma,
                    .help = "Number of letters in the random text's alphabet; 4: A, C, G, T",
                    .group = group,
                    .excludes = "--text"},
                   {.names = "--text",
                    .value = "FILE",
                    .to = &a.text,
                    .help = "Use this file instead of a random text; each byte is a character",
                    .group = group,
                    .excludes = "--length",
                    .may_be_empty = true,
                    .is_path = true}});
  }
  if (options & kReference) {
    table[1].excludes = "--fasta";
    append(table, {{.names = "--fasta",
                    .value = "FILE",
                    .to = &a.fasta,
                    .help = "Use this FASTA reference instead of a random text",
                    .group = group,
                    .excludes = "--length",
                    .may_be_empty = true,
                    .is_path = true}});
  }
  return table;
}

std::vector<cli::Option> pattern_table(BenchArguments& a, unsigned options) {
  const char* group = "Pattern";
  return {{.names = "-m,--pattern-length",
           .value = "N[,N..]",
           .to = &a.pattern_lengths,
           .help = options & kParts ? "Length of the pattern, which is made of random letters of the text"
                                    : "Length of the pattern, which is cut from the text at a third of its length",
           .group = group},
          {.names = "--pattern",
           .value = "TEXT",
           .to = &a.pattern,
           .help = "Search this pattern",
           .group = group,
           .excludes = "--pattern-length"}};
}

// Values with commas between them.
cli::Option numbers(const char* name, std::vector<unsigned>& values, const std::string& help) {
  return {.names = name, .value = "N[,N..]", .to = &values, .help = help, .group = kAlgorithm};
}

cli::Option words(const char* name, std::vector<std::string>& values, const char* help,
                  const std::vector<std::string>& choices) {
  return {.names = name, .to = &values, .help = help, .group = kAlgorithm, .words = choices};
}

std::vector<cli::Option> algorithm_table(BenchArguments& a, const BenchEntry& entry) {
  std::vector<cli::Option> table;
  if (entry.options & kEdits) {
    table.push_back(numbers("-k,--max-edits", a.max_edits,
                            "Most edits of a match; a pattern that is cut from the text also gets this many edits"));
  }
  if (entry.options & kEnds) {
    table.push_back(words("--output", a.outputs,
                          "Result on the GPU: one byte per position, one bit per position, or a list of matches",
                          {"bytes", "bits", "list"}));
  }
  if (entry.options & kAlpha) {
    table.push_back(numbers("--alpha", a.alphas, entry.alpha_help));
  }
  if (entry.options & kCascade) {
    table.push_back(numbers("--word", a.word_bits, "Bits of a word: 32, 64, or (only for k = 0) 80; 0: automatic"));
    table.push_back(words("--segments", a.segments,
                          "disjoint: segments of a block wait for those before; overlapping: each starts early; "
                          "streamed: one after the other",
                          {"disjoint", "overlapping", "streamed"}));
    table.push_back({.names = "--no-wildcards",
                     .to = &a.no_wildcards,
                     .help = "Do the last addition always; with wildcards it can be skipped",
                     .group = kAlgorithm});
  }
  if (entry.options & kParts) {
    table.push_back(numbers("--parts", a.parts, "D, the number of parts of the text; 0: enough to fill the GPU"));
    table.push_back(
        numbers("--rows", a.rows, "Rows per thread: 1 (as in the paper), 2, 4 or 8; 0: by the pattern's length"));
  }
  if (entry.options & kVariants) {
    table.push_back(
        words("--variant", a.variants,
              "pasm: rows in shared memory; wspasm: rows by warp shuffle, X in global memory; wspasm-shared: "
              "rows by warp shuffle, X in shared memory",
              {"pasm", "wspasm", "wspasm-shared"}));
    table.push_back(numbers("--columns", a.columns, "WsPASM: columns per lane, 1 (as in the paper) or 16; 0: 16"));
  }
  if (entry.options & kReference) {
    table.push_back(words("--metric", a.metrics,
                          "Edits: levenshtein: mismatches, insertions, deletions; hamming: mismatches only",
                          {"levenshtein", "hamming"}));
    table.push_back({.names = "--whole",
                     .to = &a.whole,
                     .help = "Always search the whole pattern, never parts of it first",
                     .group = kAlgorithm});
    table.push_back({.names = "--simd",
                     .to = &a.simd,
                     .help = "On the CPU: the newest instruction set that may be used",
                     .group = kAlgorithm,
                     .words = {"auto", "avx2", "sse4"}});
  }
  return table;
}

std::vector<cli::Option> work_table(BenchArguments& a, unsigned options) {
  const char* group = "Work";
  std::vector<cli::Option> table = {{.names = "--engine",
                                     .to = &a.engine,
                                     .help = "Run on the CPU or the GPU (cuda); auto: the GPU if there is one",
                                     .group = group,
                                     .words = {"auto", "cpu", "cuda"}}};
  if (options & kThreads) {
    table.push_back({.names = "--threads",
                     .to = &a.threads,
                     .help = "Number of threads on the CPU; 0: all",
                     .group = group,
                     .most = kMostThreads});
  }
  table.push_back(repeats_option(a.repeats, group));
  if (options & (kEnds | kParts)) {
    table.push_back({.names = "--sequential",
                     .to = &a.sequential,
                     .help = "Also time the sequential program on one CPU thread",
                     .group = group});
  }
  table.push_back(table_file_option(a.tsv, group));
  return table;
}

std::vector<BenchEntry> all_entries() {
  std::vector<BenchEntry> entries = matcher_entries();
  for (const auto& entry : {cushiftor_entry(), wspasm_entry(), asm_hmm_entry(), row_wise_entry()}) {
    entries.push_back(entry);
  }
  return entries;
}

std::vector<cli::Command> all_commands() {
  std::vector<cli::Command> commands = {exact_command(), multi_command()};
  for (const BenchEntry& entry : all_entries()) {
    const auto arguments = std::make_shared<BenchArguments>();
    cli::Command command{.name = entry.name, .description = entry.description};
    for (auto table : {text_table(*arguments, entry.options), pattern_table(*arguments, entry.options),
                       algorithm_table(*arguments, entry), work_table(*arguments, entry.options)}) {
      append(command.options, std::move(table));
    }
    command.footer = footer(entry);
    command.is_hidden = entry.hidden;
    command.work = cli::on_first_rank([experiment = entry.run, arguments] { experiment(*arguments); });
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace

}  // namespace trawl::lab

// The work's errors are caught in run_program(); none is expected while the options are set up.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  using namespace trawl;
  cli::Program program{
      .name = "trawl-bench",
      .description = "run, check and time published string matching algorithms, which Trawl is built on"};
  program.commands = lab::all_commands();
  return cli::run_program(program, argc, argv, "a shorter text (-n)", "NAME", lab::instead_of_command);
}
