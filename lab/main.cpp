#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/program.hpp"
#include "cli/validators.hpp"
#include "lab/bench_exact_algorithms.hpp"
#include "lab/bench_exact_options.hpp"
#include "lab/bench_experiments.hpp"
#include "lab/bench_multi_options.hpp"

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

// With the default value in the help.
template <class Number>
CLI::Option* add_default_numbers(CLI::App& command, const char* name, std::vector<Number>& values,
                                 const std::string& description, const char* group) {
  return add_numbers(command, name, values, description, group)->capture_default_str();
}

void add_words(CLI::App& command, const char* name, std::vector<std::string>& values, const char* description,
               const std::vector<std::string>& choices) {
  command.add_option(name, values, description)
      ->delimiter(',')
      ->check(CLI::IsMember(choices))
      ->capture_default_str()
      ->group(kAlgorithm);
}

void declare_text(CLI::App& command, BenchArguments& a, unsigned options) {
  const char* group = "Text";
  auto* length =
      add_default_numbers(command, "-n,--length", a.lengths, "Length of the random text, in characters", group);
  auto* seed = command.add_option("--seed", a.seed, "Seed of the random text")
                   ->check(cli::whole_number())
                   ->capture_default_str()
                   ->group(group);
  if (options & kBytes) {
    auto* sigma = add_default_numbers(command, "--sigma", a.sigma,
                                      "Number of letters in the random text's alphabet; 4: A, C, G, T", group);
    command.add_option("--text", a.text, "Use this file instead of a random text; each byte is a character")
        ->type_name("FILE")
        ->excludes(length)
        ->excludes(sigma)
        ->group(group);
  }
  if (options & kReference) {
    command.add_option("--fasta", a.fasta, "Use this FASTA reference instead of a random text")
        ->type_name("FILE")
        ->excludes(length)
        ->excludes(seed)
        ->group(group);
  }
}

void declare_pattern(CLI::App& command, BenchArguments& a, unsigned options) {
  const char* group = "Pattern";
  auto* length = add_default_numbers(command, "-m,--pattern-length", a.pattern_lengths,
                                     options & kParts
                                         ? "Length of the pattern, which is made of random letters of the text"
                                         : "Length of the pattern, which is cut from the text at a third of its length",
                                     group);
  command.add_option("--pattern", a.pattern, "Search this pattern")
      ->check([](const std::string& value) { return value.empty() ? std::string("the pattern is empty") : ""; })
      ->excludes(length)
      ->group(group);
}

void declare_algorithm(CLI::App& command, BenchArguments& a, const BenchEntry& entry) {
  if (entry.options & kEdits) {
    add_default_numbers(command, "-k,--max-edits", a.max_edits,
                        "Most edits of a match; a pattern that is cut from the text also gets this many edits",
                        kAlgorithm);
  }
  if (entry.options & kEnds) {
    add_words(command, "--output", a.outputs,
              "Result on the GPU: one byte per position, one bit per position, or a list of matches",
              {"bytes", "bits", "list"});
  }
  if (entry.options & kAlpha) {
    add_default_numbers(command, "--alpha", a.alphas, entry.alpha_help, kAlgorithm);
  }
  if (entry.options & kCascade) {
    add_default_numbers(command, "--word", a.word_bits, "Bits of a word: 32, 64, or (only for k = 0) 80; 0: automatic",
                        kAlgorithm);
    add_words(command, "--segments", a.segments,
              "disjoint: segments of a block wait for those before; overlapping: each starts early; "
              "streamed: one after the other",
              {"disjoint", "overlapping", "streamed"});
    command.add_flag("--no-wildcards", a.no_wildcards, "Do the last addition always; with wildcards it can be skipped")
        ->group(kAlgorithm);
  }
  if (entry.options & kParts) {
    add_default_numbers(command, "--parts", a.parts, "D, the number of parts of the text; 0: enough to fill the GPU",
                        kAlgorithm);
    add_default_numbers(command, "--rows", a.rows,
                        "Rows per thread: 1 (as in the paper), 2, 4 or 8; 0: by the pattern's length", kAlgorithm);
  }
  if (entry.options & kVariants) {
    add_words(command, "--variant", a.variants,
              "pasm: rows in shared memory; wspasm: rows by warp shuffle, X in global memory; wspasm-shared: rows by "
              "warp shuffle, X in shared memory",
              {"pasm", "wspasm", "wspasm-shared"});
    add_default_numbers(command, "--columns", a.columns, "WsPASM: columns per lane, 1 (as in the paper) or 16; 0: 16",
                        kAlgorithm);
  }
  if (entry.options & kReference) {
    add_words(command, "--metric", a.metrics,
              "Edits: levenshtein: mismatches, insertions, deletions; hamming: mismatches only",
              {"levenshtein", "hamming"});
    command.add_flag("--whole", a.whole, "Always search the whole pattern, never parts of it first")->group(kAlgorithm);
    command.add_option("--simd", a.simd, "On the CPU: the newest instruction set that may be used")
        ->check(CLI::IsMember({"auto", "avx2", "sse4"}))
        ->capture_default_str()
        ->group(kAlgorithm);
  }
}

void declare_work(CLI::App& command, BenchArguments& a, unsigned options) {
  const char* group = "Work";
  command.add_option("--engine", a.engine, "Run on the CPU or the GPU (cuda); auto: the GPU if there is one")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str()
      ->group(group);
  if (options & kThreads) {
    command.add_option("--threads", a.threads, "Number of threads on the CPU; 0: all")
        ->check(cli::whole_number(kMostThreads))
        ->capture_default_str()
        ->group(group);
  }
  add_repeats(command, a.repeats, group);
  if (options & (kEnds | kParts)) {
    command.add_flag("--sequential", a.sequential, "Also time the sequential program on one CPU thread")->group(group);
  }
  add_table_file(command, a.tsv, group);
}

std::vector<BenchEntry> all_entries() {
  std::vector<BenchEntry> entries = matcher_entries();
  for (const auto& entry : {cushiftor_entry(), wspasm_entry(), asm_hmm_entry(), row_wise_entry()}) {
    entries.push_back(entry);
  }
  return entries;
}

void add_commands(CLI::App& app, cli::Command& run) {
  add_exact_command(app, run);
  add_multi_command(app, run);
  auto arguments = std::make_shared<BenchArguments>();
  for (const BenchEntry& entry : all_entries()) {
    auto* command = app.add_subcommand(entry.name, entry.description);
    if (entry.hidden) {
      command->group("");
    }
    declare_text(*command, *arguments, entry.options);
    declare_pattern(*command, *arguments, entry.options);
    declare_algorithm(*command, *arguments, entry);
    declare_work(*command, *arguments, entry.options);
    command->footer(footer(entry));
    command->callback([&run, experiment = entry.run, arguments] {
      run = cli::on_first_rank([experiment, arguments] { experiment(*arguments); });
    });
  }
}

}  // namespace

}  // namespace trawl::lab

// The work's errors are caught in run_program(); none is expected while the options are set up.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argc, char** argv) {
  CLI::App app("run, check and time published string matching algorithms, which Trawl is built on");
  trawl::cli::prepare_program(app, "trawl bench", "NAME");
  trawl::cli::Command run;
  trawl::lab::add_commands(app, run);
  return trawl::cli::run_program(app, run, argc, argv, "a shorter text (-n)", trawl::lab::instead_of_command);
}
