// The experiments of `trawl bench`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trawl::lab {

struct BenchArguments {
  std::vector<std::uint64_t> lengths = {std::uint64_t{1} << 24};
  std::vector<unsigned> sigma = {4};
  std::uint64_t seed = 1;
  std::string text;
  std::vector<unsigned> pattern_lengths = {24};
  std::string pattern;
  std::vector<unsigned> max_edits = {0};
  std::vector<unsigned> alphas = {0};
  std::vector<unsigned> word_bits = {0};
  std::vector<std::string> segments = {"streamed"};
  bool no_wildcards = false;
  std::vector<std::string> outputs = {"bytes"};
  std::vector<unsigned> parts = {0};
  std::vector<unsigned> rows = {0};
  std::vector<std::string> variants = {"wspasm-shared"};
  std::vector<unsigned> columns = {0};
  std::string fasta;
  std::vector<std::string> metrics = {"levenshtein"};
  bool whole = false;
  std::string simd = "auto";
  std::string engine = "auto";
  unsigned repeats = 5;
  bool sequential = false;
  std::string tsv;
};

void bench_cushiftor(const BenchArguments& arguments);
void bench_gbpr(const BenchArguments& arguments);
void bench_asm_hmm(const BenchArguments& arguments);
void bench_row_wise(const BenchArguments& arguments);
void bench_wspasm(const BenchArguments& arguments);

}  // namespace trawl::lab
