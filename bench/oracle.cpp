// trawl-oracle: finds every locus of every read by dynamic programming over the whole reference; prints a table.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/oracle_clipped.hpp"
#include "bench/oracle_loci.hpp"
#include "bench/oracle_self_test.hpp"
#include "bench/sequence_files.hpp"

namespace {

using namespace trawl::bench;

constexpr char kUsage[] =
    "usage: trawl-oracle [-e N|N%] [--clip N|N%] [-t THREADS] REF.fa[.gz] READS.fq[.gz] > LOCI.tsv\n"
    "       trawl-oracle --self-test [CASES [SEED]]\n"
    "  -e N|N%        edits allowed, or a share of the read length, rounded down    default 5%\n"
    "  --clip N|N%    bases that may be left out, at both ends together             default: the whole read matches\n"
    "  --clip-when unmapped|always    clip reads without a locus of the whole read, or all    default unmapped\n"
    "  -t THREADS     default 1\n"
    "Columns: read name, read ordinal (from 0), strand, contig, end (1-based), distance, first and last end of the "
    "run;\n"
    "with --clip also the piece (its bases BEGIN to END of the strand, from 0, END not included) and its penalty. The\n"
    "run of a clipped locus begins at its end: it has the ends at which its piece matches.\n";

struct Input {
  std::vector<Sequence> contigs;
  std::vector<Sequence> reads;
};

void write_locus(const Input& input, const Locus& locus) {
  std::printf("%s\t%llu\t%c\t%s\t%llu\t%u\t%llu\t%llu", input.reads[locus.read].name.c_str(),
              static_cast<unsigned long long>(locus.read), locus.reverse ? '-' : '+',
              input.contigs[locus.contig].name.c_str(), static_cast<unsigned long long>(locus.end), locus.distance,
              static_cast<unsigned long long>(locus.run_begin), static_cast<unsigned long long>(locus.run_end));
}

// A locus of the whole read, and its piece: the read.
void write_whole(const Input& input, const Locus& locus) {
  write_locus(input, locus);
  std::printf("\t0\t%zu\t%u\n", input.reads[locus.read].bases.size(), kEditPoints * locus.distance);
}

void write_clipped(const Input& input, const ClippedLocus& locus) {
  write_locus(input, {locus.read, locus.contig, locus.reverse, locus.end, locus.edits, locus.end, locus.run_end});
  std::printf("\t%u\t%u\t%u\n", locus.begin_base, locus.end_base, locus.penalty(input.reads[locus.read].bases.size()));
}

void finish_table() {
  if (std::fflush(stdout) != 0) {
    throw std::runtime_error("the loci cannot be written");
  }
}

// `whole`: the loci of whole reads. Reads that have one are not clipped.
void list_clipped(const Input& input, const std::vector<Locus>& whole, const std::vector<std::string_view>& texts,
                  const MaxEdits& max_edits, const MaxEdits& clip, unsigned threads) {
  std::vector<ClippedQuery> queries;
  for (const Sequence& read : input.reads) {
    queries.push_back({read.bases, most_clipped(read.bases.size(), max_edits, clip)});
  }
  for (const Locus& locus : whole) {
    queries[locus.read].most_clipped.clear();
  }
  const std::vector<ClippedLocus> clipped = all_clipped_loci(queries, max_edits, texts, threads);

  std::puts("#read\tordinal\tstrand\tcontig\tend\tdistance\trun_begin\trun_end\tbegin\tend\tpenalty");
  auto next_whole = whole.begin();
  auto next_clipped = clipped.begin();
  while (next_whole != whole.end() || next_clipped != clipped.end()) {
    if (next_clipped == clipped.end() || (next_whole != whole.end() && next_whole->read < next_clipped->read)) {
      write_whole(input, *next_whole++);
    } else {
      write_clipped(input, *next_clipped++);
    }
  }
  finish_table();
  std::fprintf(stderr, "trawl-oracle: %zu reads, %zu loci of whole reads, %zu clipped loci\n", input.reads.size(),
               whole.size(), clipped.size());
}

int list_loci(const Arguments& args) {
  if (args.count() != 2) {
    throw WrongUsage("needs REF and READS");
  }
  const MaxEdits max_edits(args.value("-e", "5%"));
  const auto threads = static_cast<unsigned>(std::max<std::uint64_t>(1, args.integer("-t", 1)));
  const std::string clip_when = args.value("--clip-when", "unmapped");
  if (clip_when != "unmapped" && clip_when != "always") {
    throw WrongUsage("--clip-when takes unmapped or always");
  }
  const Input input{read_all(args.positional(0)), read_all(args.positional(1))};
  std::vector<Query> queries;
  queries.reserve(input.reads.size());
  for (const Sequence& read : input.reads) {
    queries.push_back({read.bases, static_cast<std::uint32_t>(max_edits.of(read.bases.size()))});
  }
  std::vector<std::string_view> texts;
  texts.reserve(input.contigs.size());
  for (const Sequence& contig : input.contigs) {
    texts.push_back(contig.bases);
  }
  const auto started = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  };
  const bool all_clipped = args.has("--clip") && clip_when == "always";
  const OracleResult whole = all_clipped ? OracleResult{} : all_loci(queries, texts, threads);
  if (!args.has("--clip")) {
    std::puts("#read\tordinal\tstrand\tcontig\tend\tdistance\trun_begin\trun_end");
    for (const Locus& locus : whole.loci) {
      write_locus(input, locus);
      std::putchar('\n');
    }
    finish_table();
    std::fprintf(stderr, "trawl-oracle: %zu reads, %zu loci, %.1f s, %.1f Gcells/s\n", input.reads.size(),
                 whole.loci.size(), seconds(), whole.cells / seconds() / 1e9);
    return 0;
  }
  list_clipped(input, whole.loci, texts, max_edits, MaxEdits(args.value("--clip", "")), threads);
  std::fprintf(stderr, "trawl-oracle: %.1f s\n", seconds());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("trawl-oracle", kUsage, argc, argv, [](const std::vector<std::string>& words) {
    const Arguments args(words,
                         {{"-e", true}, {"--clip", true}, {"--clip-when", true}, {"-t", true}, {"--self-test", false}});
    if (args.has("--self-test")) {
      return self_test(args.count() > 0 ? parse_integer(args.positional(0)) : 1000,
                       args.count() > 1 ? parse_integer(args.positional(1)) : 1);
    }
    return list_loci(args);
  });
}
