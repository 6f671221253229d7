#include "lab/bench_exact_options.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "cli/options/output_check.hpp"
#include "cli/program.hpp"
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
    "  trawl-bench exact --list\n"
    "      All algorithms: code, name, year, limits, title.\n"
    "  trawl-bench exact --recommend --text book.txt -m 8,32\n"
    "      The fastest algorithms here for patterns of 8 and of 32 characters of this text.\n"
    "  trawl-bench exact -a bm,hor,kmp,epsm --made english -n 100000000 -m 3,10,50,200\n"
    "      Four algorithms on 100 MB of made English, four lengths each.\n"
    "  trawl-bench exact -a all --fasta genome.fa -m 20 --patterns 10 --threads 1,0\n"
    "      All algorithms, the mean over 10 patterns, on one thread and on all.\n"
    "  trawl-bench exact -a kmp --engine cuda -n 1000000000 -m 16 --memory constant,global\n"
    "      The table in constant and in global memory of the GPU.\n"
    "  trawl-bench exact -a all --engine cuda --made protein -m 10 --streams 1,4 --pinned\n"
    "      With the text copied to the GPU in pieces, on one stream and on four.\n"
    "lab/docs/algorithms.md ('Exact matchers') says how the algorithms work and which are fast.\n";

// Wrong combinations, in plain words, before anything is read.
void check(const ExactOptions& o, const cli::Command& c) {
  refuse_both(c, "--pattern", "--pattern-length",
              "the pattern is given, or pieces of the text of this length are searched");
  refuse_both(c, "--pattern", "--patterns", "--patterns is how many pieces of the text are searched");
  if (c.is_given("--pattern") && o.pattern.empty()) {
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

std::vector<cli::Option> exact_table(ExactOptions& o) {
  const char* what = "What to do";
  const char* pattern = "Pattern";
  const char* work = "Work";
  std::vector<cli::Option> table = {
      {.names = "--list", .to = &o.list, .help = "List all algorithms: code, name, year, limits, title", .group = what},
      {.names = "--recommend",
       .to = &o.recommend,
       .help = "Find the fastest algorithms for this text and each length: all are tried on a sample, the best on the "
               "whole text",
       .group = what},
      {.names = "-a,--algorithm",
       .value = "CODE[,CODE..]",
       .to = &o.algorithms,
       .help = "Algorithms, by code or name; all: every one that the engine has",
       .group = what,
       .may_be_empty = true}};
  append(table, text_table(o));
  append(table, {{.names = "-p,--pattern",
                  .value = "TEXT",
                  .to = &o.pattern,
                  .help = "Search this pattern; upper case with --fasta",
                  .group = pattern,
                  .may_be_empty = true},
                 {.names = "-m,--pattern-length",
                  .value = "N[,N..]",
                  .to = &o.pattern_lengths,
                  .help = "Search pieces of this length (1 to 4096) from random places of the text",
                  .group = pattern},
                 {.names = "--patterns",
                  .to = &o.patterns,
                  .help = "Number of pieces for each length",
                  .group = pattern,
                  .least = 1,
                  .most = 100'000},
                 {.names = "--engine",
                  .to = &o.engine,
                  .help = "Run on the CPU or the GPU (cuda); auto: the GPU if there is one",
                  .group = work,
                  .words = {"auto", "cpu", "cuda"}}});
  append(table, threads_table(o.threads, o.stride, work));
  append(table,
         {{.names = "--memory",
           .value = "auto|constant|shared|global[,..]",
           .to = &o.memories,
           .help = "Where the algorithm's table lies on the GPU",
           .group = work,
           .words = {"auto", "constant", "shared", "global"}},
          {.names = "--streams",
           .value = "N[,N..]",
           .to = &o.streams,
           .help = "Copy the text to the GPU in pieces on so many streams, and count the copies as time",
           .group = work},
          {.names = "--pinned", .to = &o.pinned, .help = "The same, from pinned (page-locked) memory", .group = work},
          {.names = "--output",
           .to = &o.output,
           .help = "Result: the list of positions, their number, a byte or a bit for each position of the text",
           .group = work,
           .words = {"list", "count", "bytes", "bits"}},
          repeats_option(o.repeats, work),
          table_file_option(o.tsv, work)});
  return table;
}

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

void settle(ExactOptions& o, const cli::Command& c) {
  settle_text_options(o, c);
  if (!o.fasta.empty()) {  // as the letters of the text
    std::transform(o.pattern.begin(), o.pattern.end(), o.pattern.begin(),
                   [](char l) { return l >= 'a' && l <= 'z' ? static_cast<char>(l - 'a' + 'A') : l; });
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

cli::Command exact_command() {
  const auto options = std::make_shared<ExactOptions>();
  cli::Command command{.name = "exact",
                       .description = kDescription,
                       .options = exact_table(*options),
                       .footer = kFooter,
                       .work = cli::on_first_rank([options] {
                         if (options->list) {
                           list_exact_matchers();
                         } else {
                           run_exact(*options);
                         }
                       })};
  command.check = [options](const cli::Command& given) {
    if (options->list) {
      refuse_both(given, "--list", "--tsv", "the list goes to standard output; use '> FILE'");
      return;
    }
    settle(*options, given);
    check(*options, given);
    options->for_cuda_only = first_given(given, {"--memory", "--streams", "--pinned"});
    options->for_cpu_only = first_given(given, {"--threads"});
  };
  return command;
}

}  // namespace trawl::lab
