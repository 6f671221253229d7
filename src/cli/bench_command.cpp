#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/bench_experiments.hpp"
#include "cli/commands.hpp"
#include "cli/validators.hpp"

namespace trawl::cli {

namespace {

struct Entry {
  const char* name;
  const char* description;
  void (*run)(const BenchArguments&);
};

// A further algorithm is one more line here.
constexpr Entry kEntries[] = {
    {"cushiftor", "Exact and approximate matching by inclusive scan (Mitani, Ino, Hagihara 2017)", bench_cushiftor},
    {"gbpr", "Its baseline: bit-parallel columns over overlapping segments", bench_gbpr},
    {"asm-hmm", "Nearest substring by anti-diagonals (Man, Nakano, Ito 2013)", bench_asm_hmm},
    {"row-wise", "What trawl scan does with one pattern on one strand: row-wise Wu-Manber on bit planes",
     bench_row_wise},
    {"wspasm", "Edit distance by rows with warp shuffles (Ho, Oh, Kim 2017)", bench_wspasm},
};

constexpr const char* kExamples = R"(
Lists with commas make a row for each combination. Every result is checked before its time is printed.

Examples:
  trawl bench cushiftor -n 1073741824 -m 16,24,32 -k 0,1,2
  trawl bench gbpr -n 268435456 -m 32 -k 0 --alpha 1,8 -o gbpr.tsv
  trawl bench asm-hmm -n 4194304 -m 32,256,1024 --parts 0,512
  trawl bench row-wise --fasta genome.fa -m 20,32 -k 0,1,2,3,4 --simd avx2
  trawl bench wspasm --text genome.txt -m 64 -k 3 --variant pasm,wspasm,wspasm-shared
)";

void declare(CLI::App& command, BenchArguments& a) {
  const char* text = "Text";
  command.add_option("-n,--length", a.length, "Characters of random text")->capture_default_str()->group(text);
  command.add_option("--sigma", a.sigma, "Letters of the random text's alphabet; 4 are A, C, G, T")
      ->delimiter(',')
      ->check(whole_number())
      ->capture_default_str()
      ->group(text);
  command.add_option("--seed", a.seed, "Seed of the random text and pattern")
      ->check(whole_number())
      ->capture_default_str()
      ->group(text);
  command.add_option("--text", a.text, "A file instead of random text; its bytes are the characters")
      ->type_name("FILE")
      ->group(text);
  const char* pattern = "Pattern";
  command
      .add_option("-m,--pattern-length", a.pattern_lengths,
                  "Characters of the pattern, cut from the text and changed in k places")
      ->delimiter(',')
      ->check(whole_number())
      ->capture_default_str()
      ->group(pattern);
  command.add_option("--pattern", a.pattern, "The pattern itself")->group(pattern);
  command.add_option("-k,--max-edits", a.max_edits, "Edits allowed")
      ->delimiter(',')
      ->check(whole_number())
      ->capture_default_str()
      ->group(pattern);
  const char* algorithm = "Algorithm";
  command.add_option("--alpha", a.alphas, "cushiftor, gbpr: characters a thread takes at a time; 0: chosen")
      ->delimiter(',')
      ->check(whole_number())
      ->capture_default_str()
      ->group(algorithm);
  command.add_option("--word", a.word_bits, "cushiftor: bits of a word, 32 or 64; 0: chosen")
      ->delimiter(',')
      ->check(whole_number())
      ->capture_default_str()
      ->group(algorithm);
  command.add_option("--segments", a.segments, "cushiftor: how warps meet")
      ->delimiter(',')
      ->check(CLI::IsMember({"disjoint", "overlapping"}))
      ->capture_default_str()
      ->group(algorithm);
  command.add_flag("--no-wildcards", a.no_wildcards, "cushiftor: never skip the last addition")->group(algorithm);
  command.add_option("--output", a.outputs, "What is written for each position: bytes, bits, or a list of matches")
      ->delimiter(',')
      ->check(CLI::IsMember({"bytes", "bits", "list"}))
      ->capture_default_str()
      ->group(algorithm);
  command.add_option("--parts", a.parts, "asm-hmm: D, parts of the text; 0: chosen")
      ->delimiter(',')
      ->check(whole_number())
      ->capture_default_str()
      ->group(algorithm);
  command.add_option("--rows", a.rows, "asm-hmm: rows a thread, 1 (the paper's), 2, 4, 8; 0: chosen")
      ->delimiter(',')
      ->check(whole_number())
      ->capture_default_str()
      ->group(algorithm);
  command.add_option("--variant", a.variants, "wspasm: which")
      ->delimiter(',')
      ->check(CLI::IsMember({"pasm", "wspasm", "wspasm-shared"}))
      ->capture_default_str()
      ->group(algorithm);
  command.add_option("--fasta", a.fasta, "row-wise: a reference instead of random text")
      ->type_name("FILE")
      ->group(text);
  command.add_option("--metric", a.metrics, "row-wise: levenshtein, hamming")
      ->delimiter(',')
      ->check(CLI::IsMember({"levenshtein", "hamming"}))
      ->capture_default_str()
      ->group(algorithm);
  command.add_flag("--whole", a.whole, "row-wise: never search a pattern by parts")->group(algorithm);
  command.add_option("--simd", a.simd, "row-wise on the CPU: at most these instructions")
      ->check(CLI::IsMember({"auto", "avx2", "sse4"}))
      ->capture_default_str()
      ->group(algorithm);
  const char* work = "Work";
  command.add_option("--engine", a.engine, "Where it runs: the GPU, or its twin on one CPU thread")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str()
      ->group(work);
  command.add_option("--repeats", a.repeats, "Timed runs; the median counts")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(work);
  command.add_flag("--sequential", a.sequential, "Time the sequential program on one CPU thread, too")->group(work);
  command.add_option("-o,--tsv", a.tsv, "The table as TSV")->type_name("FILE")->group(work);
  command.footer(kExamples);
}

}  // namespace

void add_bench_command(CLI::App& app, Command& run) {
  auto* bench = app.add_subcommand("bench", "The papers' algorithms: run, check and time them");
  auto arguments = std::make_shared<BenchArguments>();
  bench->require_subcommand(1);
  bench->footer("trawl bench NAME --help tells more, with examples.");
  for (const Entry& entry : kEntries) {
    auto* command = bench->add_subcommand(entry.name, entry.description);
    declare(*command, *arguments);
    command->callback([&run, &entry, arguments] { run = [&entry, arguments] { entry.run(*arguments); }; });
  }
}

}  // namespace trawl::cli
