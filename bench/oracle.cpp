// trawl-oracle: finds every locus of every read by dynamic programming over the whole reference; prints a table.
#include "bench/oracle.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/files.hpp"

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

// What is asked of each read: its loci as a whole, and its clipped loci. A read that is not longer than e has neither;
// one of which no base can be left out has no clipped ones.
struct Questions {
  std::vector<Query> whole;
  std::vector<ClippedQuery> clipped;
};

Questions questions(const std::vector<Sequence>& reads, const MaxEdits& max_edits, const MaxEdits& clip, bool always) {
  Questions asked;
  for (const Sequence& read : reads) {
    const std::uint64_t length = read.bases.size();
    const auto edits = static_cast<std::uint32_t>(max_edits.of(length));
    auto limits = most_clipped(length, max_edits, clip);
    if (length <= edits || limits.front() == 0) {
      limits.clear();
    }
    // all_loci() passes over a read that is not longer than its edits.
    asked.whole.push_back({read.bases, always && !limits.empty() ? static_cast<std::uint32_t>(length) : edits});
    asked.clipped.push_back({read.bases, std::move(limits)});
  }
  return asked;
}

// Reads with a locus in `whole` are not clipped.
void list_clipped(const Input& input, const std::vector<Locus>& whole, std::vector<ClippedQuery> queries,
                  const std::vector<std::string_view>& texts, const MaxEdits& max_edits, unsigned threads) {
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
  std::vector<std::string_view> texts;
  texts.reserve(input.contigs.size());
  for (const Sequence& contig : input.contigs) {
    texts.push_back(contig.bases);
  }
  const auto started = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  };
  const bool with_clips = args.has("--clip");
  Questions asked =
      questions(input.reads, max_edits, MaxEdits(args.value("--clip", "0")), with_clips && clip_when == "always");
  const OracleResult whole = all_loci(asked.whole, texts, threads);
  if (!with_clips) {
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
  list_clipped(input, whole.loci, std::move(asked.clipped), texts, max_edits, threads);
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
