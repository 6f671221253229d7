// The options for the text of `trawl-bench exact` and `trawl-bench multi`, and how options are declared in general.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "cli/options/option.hpp"

namespace trawl::lab {

struct TextOptions {
  std::string made = "dna";  // english, protein, dna, random
  std::string text;          // a file of any bytes
  std::string fasta;
  std::vector<std::uint64_t> lengths;  // empty: a file as a whole, kMadeLength of a made text
  std::vector<unsigned> sigma = {4};
  std::uint64_t seed = 1;

  /// The files that are read.
  std::vector<std::string> files() const;
};

/// The length of a made text if -n is not given.
inline constexpr std::uint64_t kMadeLength = std::uint64_t{1} << 24;

/// The largest --threads.
inline constexpr unsigned kMostThreads = 1024;

/// A number that is given as such.
inline constexpr std::uint64_t kLargestNumber = 999'999'999'999'999;

std::vector<cli::Option> text_table(TextOptions& options);
/// Fills in what other options imply. Throws UsageError for wrong combinations, before anything is read.
void settle_text_options(TextOptions& options, const cli::Command& command);

/// The name of the first of these options that the user gave, or "".
std::string first_given(const cli::Command& command, std::initializer_list<const char*> options);
/// Throws UsageError if both are given.
void refuse_both(const cli::Command& command, const char* a, const char* b, const char* why);

/// --threads and --stride, of searches whose text is divided between threads.
std::vector<cli::Option> threads_table(std::vector<unsigned>& threads, std::uint64_t& stride, const char* group);
/// --repeats: 1 to 1,000,000.
cli::Option repeats_option(unsigned& repeats, const char* group);
/// -o, --tsv: a file that also gets the table.
cli::Option table_file_option(std::string& tsv, const char* group);

}  // namespace trawl::lab
