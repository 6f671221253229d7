#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/program.hpp"
#include "cli/validators.hpp"
#include "lab/bench_experiments.hpp"

namespace trawl::lab {

namespace {

// What an algorithm has besides a random text and a pattern.
enum Options : unsigned {
  kBytes = 1,      // a text of any bytes
  kEdits = 2,      // -k, and one result for each text position
  kAlpha = 4,      // characters loaded at a time, of GBPR
  kCascade = 8,    // characters a thread, words, segments, wildcards
  kParts = 16,     // parts of the text, rows a thread
  kVariants = 32,  // of WsPASM
  kRows = 64,      // a reference; metrics, parts and instructions of the row-wise scan
};

struct Entry {
  const char* name;
  const char* description;
  void (*run)(const BenchArguments&);
  unsigned options;
  const char* example;
};

// A further algorithm is one more line here.
constexpr Entry kEntries[] = {
    {"cushiftor", "Exact and approximate matching by inclusive scan (Mitani, Ino, Hagihara 2017)", bench_cushiftor,
     kBytes | kEdits | kCascade, "trawl bench cushiftor -n 1073741824 -m 16,24,32 -k 0,1,2"},
    {"gbpr", "Its baseline: bit-parallel columns over overlapping segments", bench_gbpr, kBytes | kEdits | kAlpha,
     "trawl bench gbpr -n 268435456 -m 32 -k 0 --alpha 1,8 -o gbpr.tsv"},
    {"asm-hmm", "Nearest substring by anti-diagonals (Man, Nakano, Ito 2013)", bench_asm_hmm, kBytes | kParts,
     "trawl bench asm-hmm -n 4194304 -m 32,256,1024 --parts 0,512"},
    {"row-wise", "What trawl scan does with one pattern on one strand: row-wise Wu-Manber on bit planes",
     bench_row_wise, kRows, "trawl bench row-wise --fasta genome.fa -m 20,32 -k 0,1,2,3,4 --simd avx2"},
    {"wspasm", "Edit distance by rows with warp shuffles (Ho, Oh, Kim 2017)", bench_wspasm, kBytes | kEdits | kVariants,
     "trawl bench wspasm --text genome.txt -m 64 -k 3 --variant pasm,wspasm,wspasm-shared"},
};

// What the checks of an algorithm see, and what the table's columns are.
std::string footer(const Entry& entry) {
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
  if (entry.options & kEdits) {
    text +=
        "Copies of the pattern with 0 to k + 1 edits are planted there in a random text. On the GPU the\n"
        "whole result is compared with another algorithm's, too.\n";
  }
  text += "Columns: ";
  if (entry.options & kRows) {
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

// An option with a list of whole numbers.
template <class Number>
CLI::Option* add_numbers(CLI::App& command, const char* name, std::vector<Number>& values, const char* description,
                         const char* group) {
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

void declare_text_and_pattern(CLI::App& command, BenchArguments& a, unsigned options) {
  const char* text = "Text";
  auto* length = add_numbers(command, "-n,--length", a.lengths, "Characters of random text", text);
  auto* seed = command.add_option("--seed", a.seed, "Seed of the random text")
                   ->check(cli::whole_number())
                   ->capture_default_str()
                   ->group(text);
  if (options & kBytes) {
    auto* sigma =
        add_numbers(command, "--sigma", a.sigma, "Letters of the random text's alphabet; 4 are A, C, G, T", text);
    command.add_option("--text", a.text, "A file instead of random text; its bytes are the characters")
        ->type_name("FILE")
        ->excludes(length)
        ->excludes(sigma)
        ->group(text);
  }
  if (options & kRows) {
    command.add_option("--fasta", a.fasta, "A reference instead of random text")
        ->type_name("FILE")
        ->excludes(length)
        ->excludes(seed)
        ->group(text);
  }
  const char* pattern = "Pattern";
  auto* pattern_length =
      add_numbers(command, "-m,--pattern-length", a.pattern_lengths,
                  options & kParts ? "Characters of the pattern, which has letters of the text in random order"
                                   : "Characters of the pattern, which is cut from the text at a third of its length",
                  pattern);
  command.add_option("--pattern", a.pattern, "The pattern itself")
      ->check([](const std::string& value) { return value.empty() ? std::string("the pattern is empty") : ""; })
      ->excludes(pattern_length)
      ->group(pattern);
}

void declare_algorithm(CLI::App& command, BenchArguments& a, unsigned options) {
  if (options & kEdits) {
    add_numbers(command, "-k,--max-edits", a.max_edits,
                "Edits allowed; a pattern that is cut from the text is changed in as many places", kAlgorithm);
    add_words(command, "--output", a.outputs, "On the GPU: a byte or a bit for each position, or a list of the matches",
              {"bytes", "bits", "list"});
  }
  if (options & kAlpha) {
    add_numbers(command, "--alpha", a.alphas, "Characters loaded at a time: 1, 4 or 8; 0: 1", kAlgorithm);
  }
  if (options & kCascade) {
    add_numbers(command, "--alpha", a.alphas, "Characters a thread: 1, 2, 4, 8 or 16; 0: 16", kAlgorithm);
    add_numbers(command, "--word", a.word_bits, "Bits of a word, 32, 64, or 80 for k = 0; 0: chosen", kAlgorithm);
    add_words(command, "--segments", a.segments,
              "How segments meet: in a block, by beginning early, in a stretch of the text",
              {"disjoint", "overlapping", "streamed"});
    command.add_flag("--no-wildcards", a.no_wildcards, "Never skip the last addition")->group(kAlgorithm);
  }
  if (options & kParts) {
    add_numbers(command, "--parts", a.parts, "D, parts of the text; 0: what fills the GPU", kAlgorithm);
    add_numbers(command, "--rows", a.rows, "Rows a thread: 1 (the paper's), 2, 4 or 8; 0: by the pattern's length",
                kAlgorithm);
  }
  if (options & kVariants) {
    add_words(command, "--variant", a.variants,
              "Rows in shared memory; by shuffle, X in global memory; by shuffle, X in shared memory",
              {"pasm", "wspasm", "wspasm-shared"});
    add_numbers(command, "--columns", a.columns, "Columns a lane of WsPASM: 1 (the paper's) or 16; 0: 16", kAlgorithm);
  }
  if (options & kRows) {
    add_numbers(command, "-k,--max-edits", a.max_edits, "Edits allowed", kAlgorithm);
    add_words(command, "--metric", a.metrics, "What an edit is", {"levenshtein", "hamming"});
    command.add_flag("--whole", a.whole, "Never search a pattern by parts")->group(kAlgorithm);
    command.add_option("--simd", a.simd, "On the CPU: at most these instructions")
        ->check(CLI::IsMember({"auto", "avx2", "sse4"}))
        ->capture_default_str()
        ->group(kAlgorithm);
  }
}

void declare_work(CLI::App& command, BenchArguments& a, unsigned options) {
  const char* work = "Work";
  command.add_option("--engine", a.engine, "Where it runs: the GPU, or its twin on one CPU thread")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str()
      ->group(work);
  command.add_option("--repeats", a.repeats, "Timed runs; the median counts")
      ->check(cli::whole_number())
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str()
      ->group(work);
  if (options & (kEdits | kParts)) {
    command.add_flag("--sequential", a.sequential, "Time the sequential program on one CPU thread, too")->group(work);
  }
  command.add_option("-o,--tsv", a.tsv, "The table as TSV")->type_name("FILE")->group(work);
}

void add_commands(CLI::App& app, cli::Command& run) {
  auto arguments = std::make_shared<BenchArguments>();
  for (const Entry& entry : kEntries) {
    auto* command = app.add_subcommand(entry.name, entry.description);
    declare_text_and_pattern(*command, *arguments, entry.options);
    declare_algorithm(*command, *arguments, entry.options);
    declare_work(*command, *arguments, entry.options);
    command->footer(footer(entry));
    command->callback([&run, &entry, arguments] { run = [&entry, arguments] { entry.run(*arguments); }; });
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
