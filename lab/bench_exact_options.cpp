#include "lab/bench_exact_options.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "cli/output_check.hpp"
#include "cli/validators.hpp"
#include "lab/bench_exact.hpp"

namespace trawl::lab {

namespace {

constexpr const char* kDescription =
    "Exact matchers beside each other: all of CUSMART (Ozsoy et al. 2024) and faster ones";

constexpr const char* kFooter =
    "Each row of the table is one algorithm with patterns of one length. Several values, separated by commas, give\n"
    "one row for each combination. The table is TSV. Its columns:\n"
    "  algorithm, m          the code (--list), and the length of the pattern\n"
    "  engine, threads       cpu and its threads, or cuda and its blocks x threads of a block\n"
    "  matches               positions where a match ends; with --patterns: of all patterns together\n"
    "  prepare_ms            for the algorithm's tables\n"
    "  search_ms, GB/s       the median of --repeats runs, and 10^9 bytes of text in a second;\n"
    "                        with --patterns: the mean over the patterns\n"
    "  text, text_bytes      what was searched; letters: how many different characters it has\n"
    "  memory, stretch       where the table lies on the GPU, and the characters of a thread at a time\n"
    "  streams, pinned       with --streams or --pinned: the time has the copies from and to the GPU\n"
    "  output, patterns      as given\n"
    "  min_ms                the fastest of the runs. If one took half as long again as another, a line\n"
    "                        on standard error says 'disturbed'\n"
    "Before an algorithm is timed, all of its positions are compared with those that memmem of the C library finds.\n"
    "A wrong result is an error.\n"
    "\n"
    "--list prints a line for each algorithm, with tabs between code, name, year, limits (what it does with patterns\n"
    "that its authors exclude) and title (what it does). Not of the 64 of CUSMART are epsm, memmem, qgram, rare "
    "(CPU),\n"
    "words (GPU; only in builds with CUDA) and trawl-scan. memmem is the C library's; trawl-scan is 'trawl scan -k 0' "
    "on\n"
    "one strand, which packs DNA to 2 bits a base (texts of A, C, G, T and N only; the packing is not timed).\n"
    "\n"
    "--recommend ranks by the fastest runs; 'tie': within 5% of the fastest.\n"
    "\n"
    "Examples:\n"
    "  trawl bench exact --list\n"
    "      All algorithms: code, name, year, limits, title.\n"
    "  trawl bench exact --recommend --text book.txt -m 8,32\n"
    "      The fastest algorithms here for patterns of 8 and of 32 characters of this text.\n"
    "  trawl bench exact -a bm,hor,kmp,epsm --made english -n 100000000 -m 3,10,50,200\n"
    "      Four algorithms on 100 MB of made English, four lengths each.\n"
    "  trawl bench exact -a all --fasta genome.fa -m 20 --patterns 10 --threads 1,0\n"
    "      All algorithms, the mean over 10 patterns, on one thread and on all.\n"
    "  trawl bench exact -a kmp --engine cuda -n 1000000000 -m 16 --memory constant,global\n"
    "      The table in constant and in global memory of the GPU.\n"
    "  trawl bench exact -a all --engine cuda --made protein -m 10 --streams 1,4 --pinned\n"
    "      With the text copied to the GPU in pieces, on one stream and on four.\n"
    "docs/algorithms.md ('Exact matchers') says how the algorithms work and which are fast.\n";

struct Declared {
  DeclaredText text;
  CLI::Option *pattern, *pattern_length, *patterns, *threads, *memory, *streams, *pinned, *recommend, *list, *tsv;
};

// Wrong combinations, in plain words, before anything is read.
void check(const ExactOptions& o, const Declared& d) {
  refuse_both(d.pattern, d.pattern_length, "the pattern is given, or pieces of the text of this length are searched");
  refuse_both(d.pattern, d.patterns, "--patterns is how many pieces of the text are searched");
  if (given(d.pattern) && o.pattern.empty()) {
    throw UsageError("-p: the pattern is empty");
  }
  if (o.pattern.size() > matchers::kLongestPattern) {
    throw UsageError("-p: the pattern has " + std::to_string(o.pattern.size()) + " characters; at most " +
                     std::to_string(matchers::kLongestPattern) + " are possible");
  }
  for (const unsigned m : o.pattern_lengths) {
    if (m == 0 || m > matchers::kLongestPattern) {
      throw UsageError("-m " + std::to_string(m) + ": a pattern has 1 to " + std::to_string(matchers::kLongestPattern) +
                       " characters");
    }
  }
  for (const std::uint64_t n : o.lengths) {
    const std::uint64_t longest = std::max<std::uint64_t>(
        o.pattern.size(),
        o.pattern.empty() ? *std::max_element(o.pattern_lengths.begin(), o.pattern_lengths.end()) : 0u);
    if (n < longest) {
      throw UsageError("-n " + std::to_string(n) + ": the text is shorter than a pattern of " +
                       std::to_string(longest) + " characters");
    }
  }
  for (const unsigned streams : o.streams) {
    if (streams < 1 || streams > 64) {
      throw UsageError("--streams " + std::to_string(streams) + ": 1 to 64");
    }
  }
  if (!o.tsv.empty()) {
    cli::check_outputs(o.files(), {{"-o", o.tsv}});
  }
}

Declared declare(CLI::App& c, ExactOptions& o) {
  Declared d{};
  const char* what = "What to do";
  d.list = c.add_flag("--list", o.list, "List all algorithms: code, name, year, limits, title")->group(what);
  d.recommend = c.add_flag("--recommend", o.recommend,
                           "Find the fastest algorithms for this text and each length: all are tried on a sample, the "
                           "best on the whole text")
                    ->group(what);
  c.add_option("-a,--algorithm", o.algorithms, "Algorithms, by code or name; all: every one that the engine has")
      ->delimiter(',')
      ->type_name("CODE[,CODE..]")
      ->capture_default_str()
      ->group(what);
  d.text = declare_text_options(c, o);
  const char* pattern = "Pattern";
  d.pattern = c.add_option("-p,--pattern", o.pattern, "Search this pattern; upper case with --fasta")
                  ->type_name("TEXT")
                  ->group(pattern);
  d.pattern_length = add_numbers(c, "-m,--pattern-length", o.pattern_lengths,
                                 "Search pieces of this length (1 to 4096) from random places of the text", pattern)
                         ->capture_default_str();
  d.patterns = c.add_option("--patterns", o.patterns, "Number of pieces for each length")
                   ->check(cli::whole_number())
                   ->check(CLI::Range(1, 100000))
                   ->type_name("N")
                   ->capture_default_str()
                   ->group(pattern);
  const char* work = "Work";
  cli::add_choice(c, "--engine", o.engine, "Run on the CPU or the GPU (cuda); auto: the GPU if there is one",
                  {"auto", "cpu", "cuda"}, work);
  d.threads = add_threads_and_stride(c, o.threads, o.stride, work);
  d.memory = c.add_option("--memory", o.memories, "Where the algorithm's table lies on the GPU")
                 ->delimiter(',')
                 ->check(CLI::IsMember({"auto", "constant", "shared", "global"}))
                 ->type_name("auto|constant|shared|global[,..]")
                 ->capture_default_str()
                 ->group(work);
  d.streams = add_numbers(c, "--streams", o.streams,
                          "Copy the text to the GPU in pieces on so many streams, and count the copies as time", work);
  d.pinned = c.add_flag("--pinned", o.pinned, "The same, from pinned (page-locked) memory")->group(work);
  cli::add_choice(c, "--output", o.output,
                  "Result: the list of positions, their number, a byte or a bit for each position of the text",
                  {"list", "count", "bytes", "bits"}, work);
  add_repeats(c, o.repeats, work);
  d.tsv = add_table_file(c, o.tsv, work);
  return d;
}

}  // namespace

namespace {

// Each value once, in the order given.
template <class Value>
void remove_repeats(std::vector<Value>& values) {
  std::vector<Value> once;
  for (const Value& value : values) {
    if (std::find(once.begin(), once.end(), value) == once.end()) {
      once.push_back(value);
    }
  }
  values = std::move(once);
}

void settle(ExactOptions& o, const Declared& d) {
  settle_text_options(o, d.text);
  if (!o.fasta.empty()) {  // as the letters of the text
    std::transform(o.pattern.begin(), o.pattern.end(), o.pattern.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  }
  if (o.tsv == "-" && !o.recommend) {
    o.tsv.clear();  // the table is there already
  }
  remove_repeats(o.lengths);
  remove_repeats(o.sigma);
  remove_repeats(o.pattern_lengths);
  remove_repeats(o.threads);
  remove_repeats(o.memories);
  remove_repeats(o.streams);
}

}  // namespace

matchers::Output ExactOptions::form() const {
  using enum matchers::Output;
  return output == "bytes" ? bytes : output == "bits" ? bits : output == "count" ? count : list;
}

void add_exact_command(CLI::App& app, cli::Command& run) {
  auto options = std::make_shared<ExactOptions>();
  auto* command = app.add_subcommand("exact", kDescription);
  const Declared declared = declare(*command, *options);
  command->footer(kFooter);
  command->callback([&run, options, declared] {
    run = cli::on_first_rank([options, declared] {
      if (options->list) {
        refuse_both(declared.list, declared.tsv, "the list goes to standard output; use '> FILE'");
        list_exact_matchers();
        return;
      }
      settle(*options, declared);
      check(*options, declared);
      options->for_cuda_only = first_given({declared.memory, declared.streams, declared.pinned});
      options->for_cpu_only = first_given({declared.threads});
      run_exact(*options);
    });
  });
}

}  // namespace trawl::lab
