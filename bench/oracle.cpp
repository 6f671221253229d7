// trawl-oracle: finds every locus of every read by dynamic programming over the whole reference; prints a table.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/arguments.hpp"
#include "bench/oracle_loci.hpp"
#include "bench/random.hpp"
#include "bench/sequence_files.hpp"
#include "src/sequence/alphabet.hpp"

namespace {

using namespace trawl::bench;

constexpr char kUsage[] =
    "usage: trawl-oracle [-e N|N%] [-t THREADS] REF.fa[.gz] READS.fq[.gz] > LOCI.tsv\n"
    "       trawl-oracle --self-test [CASES [SEED]]\n"
    "  -e N|N%      edits allowed, or a share of the read length, rounded down    default 5%\n"
    "  -t THREADS   default 1\n"
    "Columns: read name, read ordinal (from 0), strand, contig, end (1-based), distance, first and last end of the "
    "run\n";

void write_loci(const std::vector<Locus>& loci, const std::vector<Sequence>& reads,
                const std::vector<Sequence>& contigs) {
  std::puts("#read\tordinal\tstrand\tcontig\tend\tdistance\trun_begin\trun_end");
  for (const Locus& locus : loci) {
    std::printf("%s\t%llu\t%c\t%s\t%llu\t%u\t%llu\t%llu\n", reads[locus.read].name.c_str(),
                static_cast<unsigned long long>(locus.read), locus.reverse ? '-' : '+',
                contigs[locus.contig].name.c_str(), static_cast<unsigned long long>(locus.end), locus.distance,
                static_cast<unsigned long long>(locus.run_begin), static_cast<unsigned long long>(locus.run_end));
  }
  if (std::fflush(stdout) != 0) {
    throw std::runtime_error("the loci cannot be written");
  }
}

// Random letters of a small alphabet, so that repeats and near matches are frequent; sometimes N, IUPAC codes, lower
// case or U.
std::string random_text(SplitMix64& random, std::size_t length) {
  const std::size_t letters = random.between(1, 4);
  const bool odd_letters = random.below(3) == 0;
  std::string text(length, 'A');
  for (char& letter : text) {
    letter = odd_letters && random.below(12) == 0 ? "NRYnacgtUu"[random.below(10)] : "ACGT"[random.below(letters)];
  }
  return text;
}

// A part of a contig with a few edits, or random letters.
std::string random_read(SplitMix64& random, const std::string& contig, std::size_t longest) {
  const std::size_t length = random.between(0, longest);
  if (random.below(4) == 0 || contig.size() <= length) {
    return random_text(random, length);
  }
  std::string read = contig.substr(random.below(contig.size() - length + 1), length);
  for (std::uint64_t edits = random.below(6); edits > 0 && !read.empty(); --edits) {
    const std::size_t i = random.below(read.size());
    switch (random.below(3)) {
      case 0:
        read[i] = "ACGTN"[random.below(5)];
        break;
      case 1:
        read.erase(i, 1);
        break;
      default:
        read.insert(i, 1, "ACGT"[random.below(4)]);
    }
  }
  return random.below(2) == 0 ? read : trawl::sequence::reverse_complement(read);
}

bool random_case_agrees(std::uint64_t seed) {
  SplitMix64 random(seed);
  std::vector<std::string> contigs(random.between(1, 3));
  const std::size_t longest_contig = random.below(8) == 0 ? 700 : 120;
  for (std::string& contig : contigs) {
    contig = random_text(random, random.between(0, longest_contig));
  }
  // Sometimes longer than 8-bit cells allow.
  const std::size_t longest_read = random.below(8) == 0 ? 600 : 40;
  std::vector<std::string> reads(random.between(1, 150));
  std::vector<Query> queries;
  for (std::string& read : reads) {
    read = random_read(random, contigs[random.below(contigs.size())], longest_read);
    queries.push_back({read, static_cast<std::uint32_t>(random.below(9))});
  }
  const std::vector<std::string_view> texts(contigs.begin(), contigs.end());
  const unsigned threads = static_cast<unsigned>(random.between(1, 3));
  if (all_loci(queries, texts, threads).loci == textbook_loci(queries, texts)) {
    return true;
  }
  std::fprintf(stderr, "trawl-oracle: case %llu differs from the textbook\n", static_cast<unsigned long long>(seed));
  return false;
}

// The examples of oracle_loci.hpp, computed by hand.
bool examples_agree() {
  const std::vector<Query> exact = {{"ACGT", 0}};
  const std::vector<Locus> exact_loci = {
      {0, 0, false, 4, 0, 4, 4}, {0, 0, false, 8, 0, 8, 8}, {0, 0, true, 4, 0, 4, 4}, {0, 0, true, 8, 0, 8, 8}};
  const std::vector<Query> near = {{"ACGTT", 1}};
  std::vector<Locus> near_loci = all_loci(near, {"ACGTTT"}, 1).loci;
  std::erase_if(near_loci, [](const Locus& locus) { return locus.reverse; });
  return all_loci(exact, {"ACGTACGT"}, 1).loci == exact_loci &&
         near_loci == std::vector<Locus>{{0, 0, false, 5, 0, 4, 6}} && all_loci({{"N", 0}}, {"N"}, 1).loci.empty() &&
         all_loci({{"AC", 2}}, {"ACAC"}, 1).loci.empty();
}

int self_test(std::uint64_t cases, std::uint64_t seed) {
  if (!examples_agree()) {
    std::fprintf(stderr, "trawl-oracle: the examples worked by hand differ\n");
    return 1;
  }
  std::uint64_t faults = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    faults += random_case_agrees(seed + i) ? 0 : 1;
  }
  std::printf("%llu random cases from seed %llu, %llu differ from the textbook\n",
              static_cast<unsigned long long>(cases), static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(faults));
  return faults == 0 ? 0 : 1;
}

int list_loci(const Arguments& args) {
  if (args.count() != 2) {
    throw WrongUsage("needs REF and READS");
  }
  const MaxEdits max_edits(args.value("-e", "5%"));
  const auto threads = static_cast<unsigned>(std::max<std::uint64_t>(1, args.integer("-t", 1)));
  const std::vector<Sequence> contigs = read_all(args.positional(0));
  const std::vector<Sequence> reads = read_all(args.positional(1));
  std::vector<Query> queries;
  queries.reserve(reads.size());
  for (const Sequence& read : reads) {
    queries.push_back({read.bases, static_cast<std::uint32_t>(max_edits.of(read.bases.size()))});
  }
  std::vector<std::string_view> texts;
  texts.reserve(contigs.size());
  for (const Sequence& contig : contigs) {
    texts.push_back(contig.bases);
  }
  const auto started = std::chrono::steady_clock::now();
  const OracleResult result = all_loci(queries, texts, threads);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  write_loci(result.loci, reads, contigs);
  std::fprintf(stderr, "trawl-oracle: %zu reads, %zu loci, %.1f s, %.1f Gcells/s\n", reads.size(), result.loci.size(),
               seconds, result.cells / seconds / 1e9);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("trawl-oracle", kUsage, argc, argv, [](const std::vector<std::string>& words) {
    const Arguments args(words, {{"-e", true}, {"-t", true}, {"--self-test", false}});
    if (args.has("--self-test")) {
      return self_test(args.count() > 0 ? parse_integer(args.positional(0)) : 1000,
                       args.count() > 1 ? parse_integer(args.positional(1)) : 1);
    }
    return list_loci(args);
  });
}
