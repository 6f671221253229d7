#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/program.hpp"
#include "cli/validators.hpp"
#include "lab/bench_experiments.hpp"

namespace trawl::lab {

namespace {

// Says what the checks of an algorithm compare, and what the columns of the table mean.
std::string footer(const BenchEntry& entry) {
  std::string text =
      "Lists with commas make a row for each combination. Every result is checked before its time is\n"
      "printed: it is compared with ";
  if (entry.options & kParts) {
    text +=
        "the sequential program's or, for a table of more than 8 * 10^9 cells without\n"
        "--sequential, with what that program finds in windows of the text.\n";
  } else {
    text +=
        "plain dynamic programming in windows of 262,144 positions at the text's begin,\n"
        "at a third, in the middle and at its end, or over the whole of a short text.\n";
  }
  if (entry.options & kEnds) {
    text +=
        "Copies of the pattern with 0 to k + 1 edits are planted there in a random text. On the GPU the\n"
        "whole result is compared with another algorithm's, too.\n";
  }
  text += "Columns: ";
  if (entry.options & kReference) {
    text += "seconds: the median run; Gbp/s: 10^9 bases a second.\n";
  } else if (entry.options & kParts) {
    text +=
        "D: parts; ms: the median run, finding the place included; Gcells/s: 10^9 cells of the\n"
        "table a second.\n";
  } else {
    text +=
        "ms: the median run; Gchar/s: 10^9 characters a second; Tbps: 10^12 bits of text a\n"
        "second; % of copy: bytes read and written a second beside those of a copy on the GPU.\n";
  }
  return text + "\nExample:\n  " + entry.example + "\n";
}

constexpr const char* kAlgorithm = "Algorithm";

// Declares an option that takes a list of whole numbers.
template <class Number>
CLI::Option* add_numbers(CLI::App& command, const char* name, std::vector<Number>& values,
                         const std::string& description, const char* group) {
  return command.add_option(name, values, description)
      ->delimiter(',')
      ->check(sizeof(Number) > 4 ? cli::whole_number(999'999'999'999'999) : cli::whole_number())
      ->capture_default_str()
      ->group(group);
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
  auto* length = add_numbers(command, "-n,--length", a.lengths, "Characters of random text", group);
  auto* seed = command.add_option("--seed", a.seed, "Seed of the random text")
                   ->check(cli::whole_number())
                   ->capture_default_str()
                   ->group(group);
  if (options & kBytes) {
    auto* sigma =
        add_numbers(command, "--sigma", a.sigma, "Letters of the random text's alphabet; 4 are A, C, G, T", group);
    command.add_option("--text", a.text, "A file instead of random text; its bytes are the characters")
        ->type_name("FILE")
        ->excludes(length)
        ->excludes(sigma)
        ->group(group);
  }
  if (options & kReference) {
    command.add_option("--fasta", a.fasta, "A reference instead of random text")
        ->type_name("FILE")
        ->excludes(length)
        ->excludes(seed)
        ->group(group);
  }
}

void declare_pattern(CLI::App& command, BenchArguments& a, unsigned options) {
  const char* group = "Pattern";
  auto* length =
      add_numbers(command, "-m,--pattern-length", a.pattern_lengths,
                  options & kParts ? "Characters of the pattern, which has letters of the text in random order"
                                   : "Characters of the pattern, which is cut from the text at a third of its length",
                  group);
  command.add_option("--pattern", a.pattern, "The pattern itself")
      ->check([](const std::string& value) { return value.empty() ? std::string("the pattern is empty") : ""; })
      ->excludes(length)
      ->group(group);
}

void declare_algorithm(CLI::App& command, BenchArguments& a, const BenchEntry& entry) {
  if (entry.options & kEdits) {
    add_numbers(command, "-k,--max-edits", a.max_edits,
                "Edits allowed; a pattern that is cut from the text is changed in as many places", kAlgorithm);
  }
  if (entry.options & kEnds) {
    add_words(command, "--output", a.outputs, "On the GPU: a byte or a bit for each position, or a list of the matches",
              {"bytes", "bits", "list"});
  }
  if (entry.options & kAlpha) {
    add_numbers(command, "--alpha", a.alphas, entry.alpha_help, kAlgorithm);
  }
  if (entry.options & kCascade) {
    add_numbers(command, "--word", a.word_bits, "Bits of a word, 32, 64, or 80 for k = 0; 0: chosen", kAlgorithm);
    add_words(command, "--segments", a.segments,
              "How segments meet: in a block, by beginning early, in a stretch of the text",
              {"disjoint", "overlapping", "streamed"});
    command.add_flag("--no-wildcards", a.no_wildcards, "Never skip the last addition")->group(kAlgorithm);
  }
  if (entry.options & kParts) {
    add_numbers(command, "--parts", a.parts, "D, parts of the text; 0: what fills the GPU", kAlgorithm);
    add_numbers(command, "--rows", a.rows, "Rows a thread: 1 (the paper's), 2, 4 or 8; 0: by the pattern's length",
                kAlgorithm);
  }
  if (entry.options & kVariants) {
    add_words(command, "--variant", a.variants,
              "Rows in shared memory; by shuffle, X in global memory; by shuffle, X in shared memory",
              {"pasm", "wspasm", "wspasm-shared"});
    add_numbers(command, "--columns", a.columns, "Columns a lane of WsPASM: 1 (the paper's) or 16; 0: 16", kAlgorithm);
  }
  if (entry.options & kReference) {
    add_words(command, "--metric", a.metrics, "What an edit is", {"levenshtein", "hamming"});
    command.add_flag("--whole", a.whole, "Never search a pattern by parts")->group(kAlgorithm);
    command.add_option("--simd", a.simd, "On the CPU: at most these instructions")
        ->check(CLI::IsMember({"auto", "avx2", "sse4"}))
        ->capture_default_str()
        ->group(kAlgorithm);
  }
}

void declare_work(CLI::App& command, BenchArguments& a, unsigned options) {
  const char* group = "Work";
  command.add_option("--engine", a.engine, "Where it runs: the GPU, or the CPU")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str()
      ->group(group);
  if (options & kThreads) {
    command.add_option("--threads", a.threads, "On the CPU: threads; 0: all")
        ->check(cli::whole_number())
        ->check(CLI::Range(0, 1024))
        ->capture_default_str()
        ->group(group);
  }
  command.add_option("--repeats", a.repeats, "Timed runs; the median counts")
      ->check(cli::whole_number())
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group(group);
  if (options & (kEnds | kParts)) {
    command.add_flag("--sequential", a.sequential, "Time the sequential program on one CPU thread, too")->group(group);
  }
  command.add_option("-o,--tsv", a.tsv, "The table as TSV")->type_name("FILE")->group(group);
}

std::vector<BenchEntry> all_entries() {
  std::vector<BenchEntry> entries = matcher_entries();
  for (const auto& entry : {cushiftor_entry(), wspasm_entry(), asm_hmm_entry(), row_wise_entry()}) {
    entries.push_back(entry);
  }
  return entries;
}

void add_commands(CLI::App& app, cli::Command& run) {
  auto arguments = std::make_shared<BenchArguments>();
  for (const BenchEntry& entry : all_entries()) {
    auto* command = app.add_subcommand(entry.name, entry.description);
    declare_text(*command, *arguments, entry.options);
    declare_pattern(*command, *arguments, entry.options);
    declare_algorithm(*command, *arguments, entry);
    declare_work(*command, *arguments, entry.options);
    command->footer(footer(entry));
    command->callback(
        [&run, experiment = entry.run, arguments] { run = [experiment, arguments] { experiment(*arguments); }; });
  }
}

}  // namespace

}  // namespace trawl::lab

int main(int argc, char** argv) {
  CLI::App app("trawl bench runs, checks and times the published algorithms that Trawl grows out of.");
  trawl::cli::prepare_program(app, "trawl bench", "NAME");
  trawl::cli::Command run;
  trawl::lab::add_commands(app, run);
  return trawl::cli::run_program(app, run, argc, argv);
}
