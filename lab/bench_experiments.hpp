// The experiments of `trawl-bench` and their options.
#pragma once

#include <cstdint>
#include <functional>
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
  unsigned threads = 1;
  unsigned repeats = 5;
  bool sequential = false;
  std::string tsv;
};

/// The options of an experiment, in groups. Every experiment also has the options of the text, the pattern and the
/// work.
enum OptionGroup : unsigned {
  kBytes = 1,        // a text of any bytes
  kEdits = 2,        // edits allowed
  kEnds = 4,         // the result is whether a match ends at each text position
  kAlpha = 8,        // characters that are loaded at a time, or characters per thread
  kCascade = 16,     // words, segments and wildcards of cuShiftOr
  kParts = 32,       // parts of the text, rows per thread of ASM
  kVariants = 64,    // variants of WsPASM
  kReference = 128,  // a FASTA file as the text; metrics, parts and instructions of the row-wise scan
  kThreads = 256,    // several threads on the CPU
};

struct BenchEntry {
  std::string name;
  std::string description;
  unsigned options;        // OptionGroups
  std::string alpha_help;  // help text of --alpha
  std::string example;
  std::function<void(const BenchArguments&)> run;
  bool hidden = false;  // `trawl-bench --help` does not name it
};

/// The matchers of lab/matchers/list.txt.
std::vector<BenchEntry> matcher_entries();

// The algorithms that have their own kernels and their own CPU versions.
BenchEntry cushiftor_entry();
BenchEntry wspasm_entry();
BenchEntry asm_hmm_entry();
BenchEntry row_wise_entry();

}  // namespace trawl::lab
