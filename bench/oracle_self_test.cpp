#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/oracle.hpp"
#include "bench/random.hpp"

namespace trawl::bench {

namespace {

constexpr std::uint64_t kLongCaseEvery = 10;  // they take as long as dozens of the others

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
  return random.below(2) == 0 ? read : reverse_complement(read);
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

// A dozen bases, few edits, and all paths one by one.
bool clipped_case_agrees(std::uint64_t seed) {
  SplitMix64 random(seed);
  std::vector<std::string> contigs(random.between(1, 2));
  for (std::string& contig : contigs) {
    contig = random_text(random, random.between(0, 24));
  }
  const bool share = random.below(2) != 0;
  const MaxEdits max_edits(std::to_string(share ? random.below(30) : random.below(4)) + (share ? "%" : ""));
  const MaxEdits clip(std::to_string(random.below(6)));
  std::vector<std::string> reads(random.between(1, 6));
  std::vector<ClippedQuery> queries;
  for (std::string& read : reads) {
    read = random_read(random, contigs[random.below(contigs.size())], share ? 12 : 9);
    queries.push_back({read, most_clipped(read.size(), max_edits, clip)});
  }
  const std::vector<std::string_view> texts(contigs.begin(), contigs.end());
  auto found = all_clipped_loci(queries, max_edits, texts, static_cast<unsigned>(random.between(1, 3)));
  for (ClippedLocus& locus : found) {
    locus.run_end = 0;
  }
  if (found == clipped_loci_by_paths(queries, texts)) {
    return true;
  }
  std::fprintf(stderr, "trawl-oracle: clipped case %llu differs from the paths\n",
               static_cast<unsigned long long>(seed));
  return false;
}

// Several blocks of text, 8 and 16 bits: a read put into a long contig has the same loci as in its part of the contig.
bool long_case_agrees(std::uint64_t seed) {
  SplitMix64 random(seed);
  const std::string contig = [&] {
    std::string text(random.between(9000, 14000), 'A');
    std::generate(text.begin(), text.end(), [&] { return "ACGT"[random.below(4)]; });
    return text;
  }();
  const std::size_t length = random.between(40, random.below(3) == 0 ? 900 : 150);
  const MaxEdits max_edits("5%");
  const MaxEdits clip(std::to_string(random.below(50)) + "%");
  const std::size_t begin = random.below(contig.size() - length + 1);
  std::string read = contig.substr(begin, length);
  for (const std::size_t end : {std::size_t{0}, length}) {
    for (std::size_t i = random.below(length / 5 + 1); i > 0; --i) {
      read[end == 0 ? i - 1 : end - i] = "ACGT"[random.below(4)];
    }
  }
  const std::vector<ClippedQuery> queries = {{read, most_clipped(length, max_edits, clip)}};
  const std::size_t part_begin = begin > 2 * length ? begin - 2 * length : 0;
  const auto in_part =
      all_clipped_loci(queries, max_edits, {std::string_view(contig).substr(part_begin, 5 * length)}, 1);
  auto expected = in_part;
  for (ClippedLocus& locus : expected) {
    locus.end += part_begin;
    locus.run_end += part_begin;
  }
  if (all_clipped_loci(queries, max_edits, {contig}, 1) == expected) {
    return true;
  }
  std::fprintf(stderr, "trawl-oracle: long case %llu differs\n", static_cast<unsigned long long>(seed));
  return false;
}

// The example of oracle.hpp, and others by hand.
bool clipped_examples_agree() {
  const auto loci = [](std::string_view read, std::string_view contig, const char* edits, const char* clip) {
    auto found = all_clipped_loci({{read, most_clipped(read.size(), MaxEdits(edits), MaxEdits(clip))}}, MaxEdits(edits),
                                  {contig}, 1);
    std::erase_if(found, [](const ClippedLocus& locus) { return locus.reverse; });
    return found;
  };
  using Loci = std::vector<ClippedLocus>;
  return loci("ACGTACGGCA", "TTACGTACGGTT", "0", "3") == Loci{{0, 0, false, 10, 0, 8, 0, 10}} &&
         // Without an edit every end of a run of A is a locus; with one, they meet.
         loci("AAAAA", "CAAAAAAC", "0", "0") == Loci{{0, 0, false, 6, 0, 5, 0, 7}, {0, 0, false, 7, 0, 5, 0, 7}} &&
         loci("AAAAA", "CAAAAAAC", "1", "0") == Loci{{0, 0, false, 6, 0, 5, 0, 8}} &&
         // An edit costs as much as five bases left out: the longer piece is taken.
         loci("TTTTGACCATGCAAGTCGGA", "CCCCCCTTTTAACCATGCAAGTCGGACCC", "1", "9") ==
             Loci{{0, 0, false, 26, 0, 20, 1, 26}} &&
         most_clipped(20, MaxEdits("10%"), MaxEdits("9")) == std::vector<std::uint32_t>{9, 9, 0} &&
         most_clipped(20, MaxEdits("0"), MaxEdits("50%")) == std::vector<std::uint32_t>{9} &&
         most_clipped(4, MaxEdits("8"), MaxEdits("8")) == std::vector<std::uint32_t>{1, 1, 1, 0} &&
         most_clipped(0, MaxEdits("8"), MaxEdits("8")).empty();
}

// The examples of oracle.hpp, computed by hand.
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

}  // namespace

int self_test(std::uint64_t cases, std::uint64_t seed) {
  if (!examples_agree() || !clipped_examples_agree()) {
    std::fprintf(stderr, "trawl-oracle: the examples worked by hand differ\n");
    return 1;
  }
  std::uint64_t faults = 0;
  for (std::uint64_t i = 0; i < cases; ++i) {
    const bool agrees = random_case_agrees(seed + i) && clipped_case_agrees(seed + i) &&
                        (i % kLongCaseEvery != 0 || long_case_agrees(seed + i));
    faults += agrees ? 0 : 1;
  }
  std::printf("%llu random cases from seed %llu, %llu differ from the textbook\n",
              static_cast<unsigned long long>(cases), static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(faults));
  return faults == 0 ? 0 : 1;
}

}  // namespace trawl::bench
