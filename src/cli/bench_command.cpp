#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/bench_experiments.hpp"
#include "cli/commands.hpp"
#include "cli/validators.hpp"

namespace trawl::cli {

namespace {

// What an algorithm has besides a text and a pattern.
enum Options : unsigned {
  kEdits = 1,      // -k, and one result for each text position
  kAlpha = 2,      // characters a thread
  kCascade = 4,    // words, segments, wildcards
  kParts = 8,      // parts of the text, rows a thread
  kVariants = 16,  // of WsPASM
  kRows = 32,      // metrics, parts and instructions of the row-wise scan
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
     kEdits | kAlpha | kCascade, "trawl bench cushiftor -n 1073741824 -m 16,24,32 -k 0,1,2"},
    {"gbpr", "Its baseline: bit-parallel columns over overlapping segments", bench_gbpr, kEdits | kAlpha,
     "trawl bench gbpr -n 268435456 -m 32 -k 0 --alpha 1,8 -o gbpr.tsv"},
    {"asm-hmm", "Nearest substring by anti-diagonals (Man, Nakano, Ito 2013)", bench_asm_hmm, kParts,
     "trawl bench asm-hmm -n 4194304 -m 32,256,1024 --parts 0,512"},
    {"row-wise", "What trawl scan does with one pattern on one strand: row-wise Wu-Manber on bit planes",
     bench_row_wise, kRows, "trawl bench row-wise --fasta genome.fa -m 20,32 -k 0,1,2,3,4 --simd avx2"},
    {"wspasm", "Edit distance by rows with warp shuffles (Ho, Oh, Kim 2017)", bench_wspasm, kEdits | kVariants,
     "trawl bench wspasm --text genome.txt -m 64 -k 3 --variant pasm,wspasm,wspasm-shared"},
};

constexpr const char* kFooter =
    "Lists with commas make a row for each combination. Every result is checked before its time is "
    "printed.\n\nExample:\n  ";

constexpr const char* kAlgorithm = "Algorithm";

// An option with a list of whole numbers.
template <class Number>
void add_numbers(CLI::App& command, const char* name, std::vector<Number>& values, const char* description,
                 const char* group) {
  command.add_option(name, values, description)
      ->delimiter(',')
      ->check(sizeof(Number) > 4 ? whole_number(999'999'999'999'999) : whole_number())
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

void declare_text_and_pattern(CLI::App& command, BenchArguments& a) {
  const char* text = "Text";
  add_numbers(command, "-n,--length", a.lengths, "Characters of random text", text);
  add_numbers(command, "--sigma", a.sigma, "Letters of the random text's alphabet; 4 are A, C, G, T", text);
  command.add_option("--seed", a.seed, "Seed of the random text and pattern")
      ->check(whole_number())
      ->capture_default_str()
      ->group(text);
  command.add_option("--text", a.text, "A file instead of random text; its bytes are the characters")
      ->type_name("FILE")
      ->group(text);
  const char* pattern = "Pattern";
  add_numbers(command, "-m,--pattern-length", a.pattern_lengths, "Characters of the pattern, made from the text's seed",
              pattern);
  command.add_option("--pattern", a.pattern, "The pattern itself")->group(pattern);
}

void declare_algorithm(CLI::App& command, BenchArguments& a, unsigned options) {
  if (options & kEdits) {
    add_numbers(command, "-k,--max-edits", a.max_edits, "Edits allowed; the pattern is changed in as many places",
                kAlgorithm);
    add_words(command, "--output", a.outputs, "What is written for each position: bytes, bits, or a list of matches",
              {"bytes", "bits", "list"});
  }
  if (options & kAlpha) {
    add_numbers(command, "--alpha", a.alphas, "Characters a thread takes at a time; 0: chosen", kAlgorithm);
  }
  if (options & kCascade) {
    add_numbers(command, "--word", a.word_bits, "Bits of a word, 32, 64, or 80 for k = 0; 0: chosen", kAlgorithm);
    add_words(command, "--segments", a.segments, "How segments meet", {"disjoint", "overlapping", "streamed"});
    command.add_flag("--no-wildcards", a.no_wildcards, "Never skip the last addition")->group(kAlgorithm);
  }
  if (options & kParts) {
    add_numbers(command, "--parts", a.parts, "D, parts of the text; 0: chosen", kAlgorithm);
    add_numbers(command, "--rows", a.rows, "Rows a thread, 1 (the paper's), 2, 4, 8; 0: chosen", kAlgorithm);
  }
  if (options & kVariants) {
    add_words(command, "--variant", a.variants, "Which", {"pasm", "wspasm", "wspasm-shared"});
  }
  if (options & kRows) {
    add_numbers(command, "-k,--max-edits", a.max_edits, "Edits allowed", kAlgorithm);
    add_words(command, "--metric", a.metrics, "What an edit is", {"levenshtein", "hamming"});
    command.add_flag("--whole", a.whole, "Never search a pattern by parts")->group(kAlgorithm);
    command.add_option("--simd", a.simd, "On the CPU: at most these instructions")
        ->check(CLI::IsMember({"auto", "avx2", "sse4"}))
        ->capture_default_str()
        ->group(kAlgorithm);
    command.add_option("--fasta", a.fasta, "A reference instead of random text")->type_name("FILE")->group("Text");
  }
}

void declare_work(CLI::App& command, BenchArguments& a, unsigned options) {
  const char* work = "Work";
  command.add_option("--engine", a.engine, "Where it runs: the GPU, or its twin on one CPU thread")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str()
      ->group(work);
  command.add_option("--repeats", a.repeats, "Timed runs; the median counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(work);
  if (options & kEdits) {
    command.add_flag("--sequential", a.sequential, "Time the sequential program on one CPU thread, too")->group(work);
  }
  command.add_option("-o,--tsv", a.tsv, "The table as TSV")->type_name("FILE")->group(work);
}

}  // namespace

void add_bench_command(CLI::App& app, Command& run) {
  auto* bench = app.add_subcommand("bench", "The papers' algorithms: run, check and time them");
  auto arguments = std::make_shared<BenchArguments>();
  bench->require_subcommand(1);
  bench->footer("trawl bench NAME --help tells more, with examples.");
  for (const Entry& entry : kEntries) {
    auto* command = bench->add_subcommand(entry.name, entry.description);
    declare_text_and_pattern(*command, *arguments);
    declare_algorithm(*command, *arguments, entry.options);
    declare_work(*command, *arguments, entry.options);
    command->footer(kFooter + std::string(entry.example) + "\n");
    command->callback([&run, &entry, arguments] { run = [&entry, arguments] { entry.run(*arguments); }; });
  }
}

}  // namespace trawl::cli
