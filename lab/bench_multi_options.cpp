#include "lab/bench_multi_options.hpp"

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/error.hpp"
#include "cli/options/output_check.hpp"
#include "lab/bench_multi.hpp"

namespace trawl::lab {

namespace {

constexpr const char* kDescription =
    "Sets of many patterns: Aho-Corasick and Wu-Manber (Kouzinopoulos et al. 2015) beside each other";

// The stages of the kernels for the GPU, in the order of gpu::SetStage.
const std::vector<std::string> kStages = {"u", "tc", "cr", "r16", "cw", "st"};

constexpr const char* kFooter =
    "Each row of the table is one algorithm that searches one set of patterns. Several values, separated by commas,\n"
    "give one row for each combination. The table is TSV. Its columns:\n"
    "  algorithm, engine     the name (--list), and where it runs\n"
    "  patterns, different   patterns of the set, and how many are different; each is searched once\n"
    "  m                     their length, or the shortest and the longest\n"
    "  stage                 on the GPU, as --stage\n"
    "  threads, stretch      threads, and characters that a thread searches at a time (-: all);\n"
    "                        on the GPU blocks x threads\n"
    "  matches               occurrences of the different patterns\n"
    "  prepare_ms            for sorting the patterns and making the algorithm's tables\n"
    "  table_bytes           of these tables\n"
    "  search_ms, Gchar/s    the median of --repeats runs, and 10^9 characters of text in a second\n"
    "  text, text_bytes      what was searched; letters: how many different characters it has\n"
    "  output                as given\n"
    "For a text of A, C, G, T and N there is also a row trawl-scan: the search of 'trawl scan -k 0 --strand +', which "
    "packs\n"
    "the text to 2 bits a letter before it is timed, and gives the positions.\n"
    "The stages of the paper on the GPU (--stage), of which each has all that those before it have:\n"
    "  u    unoptimised: each thread reads its part of the text, and the tables, from global memory\n"
    "  tc   tables through the read-only (texture) path\n"
    "  cr   the threads of a block copy its part of the text to shared memory together\n"
    "  r16  they read 16 characters at a time\n"
    "  cw   results are collected on the chip, and written side by side\n"
    "  st   not in the paper: tables in shared memory, as far as they fit\n"
    "Before an algorithm is timed, its result is compared with that of a hash table of all patterns: the number of\n"
    "occurrences of each pattern, and on the CPU of each 4,096 characters of the text. A wrong result is an error.\n"
    "Under mpirun the text is dealt out to the ranks, each searches its piece, and the counts are added up: on "
    "CPUs,\n"
    "or with --engine cuda on one device for each rank. The columns:\n"
    "  ranks                 how many work (--ranks), each with so many threads\n"
    "  load_ms               until the last rank has its piece of the text, which the first one\n"
    "                        sends, on its device if it has one\n"
    "  search_ms, reduce_ms  of the slowest rank; until the first rank has the sum\n"
    "  total_ms, speedup     these three; that of 1 rank over it, if --ranks has 1 before\n"
    "  cpu_ms, most_cpu_ms   what cores worked for the search: for all ranks, and for the one that\n"
    "                        needed most. If there are fewer cores than ranks, these say what the\n"
    "                        ranks would need on cores of their own\n"
    "\n"
    "Examples:\n"
    "  trawl-bench multi --list\n"
    "      All algorithms: name, year, and what they do with patterns that their authors exclude.\n"
    "  trawl-bench multi -n 100000000 --patterns 1000,8000,16000 -m 8\n"
    "      The sets of Kouzinopoulos et al. on 100 MB of made DNA.\n"
    "  trawl-bench multi -a aho-corasick-full --made protein --patterns 10000 -m 8-20 --threads 1,0\n"
    "      Patterns of mixed lengths, on one thread and on all.\n"
    "  trawl-bench multi --fasta genome.fa --pattern-file probes.txt --output patterns\n"
    "      How often each line of a file occurs.\n";

std::vector<std::string> stage_words() {
  std::vector<std::string> words = kStages;
  words.push_back("all");
  return words;
}

std::vector<cli::Option> multi_table(MultiOptions& o) {
  const char* what = "What to do";
  const char* pattern = "Patterns";
  const char* work = "Work";
  std::vector<cli::Option> table = {
      {.names = "--list", .to = &o.list, .help = "List all algorithms: name, year, limits", .group = what},
      {.names = "-a,--algorithm",
       .value = "NAME[,NAME..]",
       .to = &o.algorithms,
       .help = "Algorithms by name; all: every one",
       .group = what,
       .may_be_empty = true}};
  append(table, text_table(o));
  append(table, {{.names = "--patterns",
                  .value = "N[,N..]",
                  .to = &o.patterns,
                  .help = "Number of patterns, pieces from random places of the text",
                  .group = pattern},
                 {.names = "-m,--pattern-length",
                  .value = "N|A-B[,..]",
                  .to = &o.pattern_lengths,
                  .help = "Length of these pieces; A-B: each of a random length from A to B",
                  .group = pattern,
                  .may_be_empty = true},
                 {.names = "--pattern-file",
                  .value = "FILE",
                  .to = &o.pattern_file,
                  .help = "Search the lines of this file",
                  .group = pattern,
                  .is_path = true},
                 {.names = "--engine",
                  .to = &o.engine,
                  .help = "Where to run; auto: on a GPU if there is one",
                  .group = work,
                  .words = {"auto", "cpu", "cuda"}},
                 {.names = "--stage",
                  .value = "STAGE[,STAGE..]",
                  .to = &o.stages,
                  .help = "Stages of the kernels on the GPU; all: every one",
                  .group = work,
                  .words = stage_words()}});
  append(table, threads_table(o.threads, o.stride, work));
  append(table,
         {{.names = "--ranks",
           .value = "N[,N..]",
           .to = &o.ranks,
           .help = "Under mpirun: how many of the ranks work; by default all",
           .group = work},
          {.names = "--output",
           .to = &o.output,
           .help = "Result: the number of occurrences, that of each stretch of the text, that of each pattern, or "
                   "each occurrence",
           .group = work,
           .words = {"count", "stretches", "patterns", "positions"}},
          repeats_option(o.repeats, work),
          table_file_option(o.tsv, work)});
  return table;
}

// Wrong combinations, in plain words, before anything is read.
void check(const MultiOptions& o, const cli::Command& c) {
  refuse_both(c, "--pattern-file", "--patterns", "the patterns are those of the file");
  refuse_both(c, "--pattern-file", "--pattern-length", "the patterns are those of the file");
  if (o.engine == "cpu" && c.is_given("--stage")) {
    throw UsageError("--stage is for --engine cuda");
  }
  if (o.engine == "cuda" && c.is_given("--threads")) {
    throw UsageError("--threads is for --engine cpu");
  }
  constexpr unsigned kMost = 100'000'000;
  for (const unsigned patterns : o.patterns) {
    if (patterns == 0 || patterns > kMost) {
      throw UsageError("--patterns " + std::to_string(patterns) + ": a set has 1 to " + std::to_string(kMost) +
                       " patterns");
    }
  }
  (void)o.length_ranges();
  if (!o.tsv.empty()) {
    auto inputs = o.files();
    if (!o.pattern_file.empty()) {
      inputs.push_back(o.pattern_file);
    }
    cli::check_outputs(inputs, {{"-o", o.tsv}});
  }
}

void check_ranks(MultiOptions& o, bool gives_ranks, const ranks::Cluster& cluster) {
  if (cluster.is_alone()) {
    if (gives_ranks) {
      throw UsageError("--ranks is for several ranks; start them with mpirun -n N trawl-bench multi");
    }
    return;
  }
  if (o.stride != 0 || (o.output != "count" && o.output != "patterns")) {
    throw UsageError("under mpirun there is no --stride, and --output is count or patterns");
  }
  if (o.ranks.empty()) {
    o.ranks = {cluster.size()};
  }
  for (const unsigned ranks : o.ranks) {
    if (ranks == 0 || ranks > cluster.size()) {
      throw UsageError("--ranks " + std::to_string(ranks) + ": mpirun has started " + std::to_string(cluster.size()));
    }
  }
}

unsigned length_in(std::string_view word) {
  unsigned length = 0;
  const auto read = std::from_chars(word.data(), word.data() + word.size(), length);
  return read.ec == std::errc() && read.ptr == word.data() + word.size() ? length : 0;
}

}  // namespace

std::string LengthRange::name() const {
  return std::to_string(shortest) + (shortest == longest ? "" : "-" + std::to_string(longest));
}

std::vector<LengthRange> MultiOptions::length_ranges() const {
  std::vector<LengthRange> ranges;
  for (const std::string& word : pattern_lengths) {
    const std::size_t dash = std::min(word.find('-'), word.size());
    LengthRange range;
    range.shortest = length_in(std::string_view(word).substr(0, dash));
    range.longest = dash == word.size() ? range.shortest : length_in(std::string_view(word).substr(dash + 1));
    if (range.shortest == 0 || range.longest < range.shortest || range.longest > matchers::kLongestPattern) {
      throw UsageError("-m " + word + ": a length is a number from 1 to " + std::to_string(matchers::kLongestPattern) +
                       ", or two of them, such as 8-32");
    }
    ranges.push_back(range);
  }
  return ranges;
}

std::vector<std::string> MultiOptions::chosen_stages() const {
  std::vector<std::string> chosen;
  for (const std::string& stage : kStages) {
    if (std::count(stages.begin(), stages.end(), stage) + std::count(stages.begin(), stages.end(), "all") > 0) {
      chosen.push_back(stage);
    }
  }
  return chosen;
}

matchers::SetOutput MultiOptions::form() const {
  using enum matchers::SetOutput;
  return output == "stretches"   ? stretches
         : output == "patterns"  ? patterns
         : output == "positions" ? positions
                                 : count;
}

cli::Command multi_command() {
  const auto options = std::make_shared<MultiOptions>();
  cli::Command command{
      .name = "multi", .description = kDescription, .options = multi_table(*options), .footer = kFooter};
  const auto gives_ranks = std::make_shared<bool>(false);
  command.check = [options, gives_ranks](const cli::Command& given) {
    if (!options->list) {
      settle_text_options(*options, given);
      check(*options, given);
      *gives_ranks = given.is_given("--ranks");
    }
  };
  command.work = [options, gives_ranks](ranks::Cluster& cluster) {
    if (!options->list) {
      cluster.together([&] { check_ranks(*options, *gives_ranks, cluster); });
      run_multi(*options, cluster);
    } else if (cluster.is_first()) {
      list_set_matchers();
    }
  };
  return command;
}

}  // namespace trawl::lab
