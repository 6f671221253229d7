// The options for the text of `trawl bench exact` and `trawl bench multi`, and how options are declared in general.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/validators.hpp"

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

struct DeclaredText {
  CLI::Option *made, *text, *fasta, *length, *sigma;
};

DeclaredText declare_text_options(CLI::App& command, TextOptions& options);
/// Fills in what other options imply. Throws UsageError for wrong combinations, before anything is read.
void settle_text_options(TextOptions& options, const DeclaredText& declared);

inline bool given(const CLI::Option* option) { return option->count() > 0; }
/// The name of the first of them that is given, or "".
std::string first_given(std::initializer_list<const CLI::Option*> options);
/// Throws UsageError if both are given.
void refuse_both(const CLI::Option* a, const CLI::Option* b, const char* why);

/// An option whose value is a list of whole numbers.
template <class Number>
CLI::Option* add_numbers(CLI::App& command, const char* name, std::vector<Number>& values,
                         const std::string& description, const char* group) {
  return command.add_option(name, values, description)
      ->delimiter(',')
      ->check(sizeof(Number) > 4 ? cli::whole_number(999'999'999'999'999) : cli::whole_number())
      ->type_name("N[,N..]")
      ->group(group);
}

/// --threads and --stride, of searches whose text is divided between threads. Returns --threads.
CLI::Option* add_threads_and_stride(CLI::App& command, std::vector<unsigned>& threads, std::uint64_t& stride,
                                    const char* group);
/// --repeats: 1 to 1,000,000.
void add_repeats(CLI::App& command, unsigned& repeats, const char* group);
/// -o, --tsv: a file that also gets the table.
CLI::Option* add_table_file(CLI::App& command, std::string& tsv, const char* group);

}  // namespace trawl::lab
