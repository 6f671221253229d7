#include "lab/bench_text_options.hpp"

#include "base/error.hpp"

namespace trawl::lab {

std::vector<std::string> TextOptions::files() const {
  std::vector<std::string> files;
  for (const std::string& file : {text, fasta}) {
    if (!file.empty()) {
      files.push_back(file);
    }
  }
  return files;
}

DeclaredText declare_text_options(CLI::App& c, TextOptions& o) {
  DeclaredText d{};
  const char* group = "Text";
  d.made = c.add_option("--made", o.made, "Make a text: words as frequent as in English, proteins, DNA, random letters")
               ->check(CLI::IsMember({"english", "protein", "dna", "random"}))
               ->type_name("english|protein|dna|random")
               ->capture_default_str()
               ->group(group);
  d.text = c.add_option("--text", o.text, "Search this file, inflated if it is gzip; each byte is a character")
               ->check(cli::not_empty())
               ->type_name("FILE")
               ->group(group);
  d.fasta = c.add_option("--fasta", o.fasta,
                         "Search the sequences of this FASTA file in upper case, a line feed between two of them")
                ->check(cli::not_empty())
                ->type_name("FILE")
                ->group(group);
  d.length = add_numbers(
      c, "-n,--length", o.lengths,
      "Length of the text in bytes, a whole number: of a made text (default 16777216), or only the first N of a file",
      group);
  d.sigma =
      add_numbers(c, "--sigma", o.sigma, "Random text of this many different letters (default 4: A, C, G, T)", group);
  c.add_option("--seed", o.seed, "Seed of the made text and of the places of the patterns")
      ->check(cli::whole_number())
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
  return d;
}

void settle_text_options(TextOptions& o, const DeclaredText& d) {
  refuse_both(d.text, d.fasta, "there is one text");
  refuse_both(d.text, d.made, "there is one text");
  refuse_both(d.fasta, d.made, "there is one text");
  refuse_both(d.text, d.sigma, "the number of letters is for random text");
  refuse_both(d.fasta, d.sigma, "the number of letters is for random text");
  if (given(d.sigma) && given(d.made) && o.made != "random") {
    throw UsageError("--sigma is for --made random; " + o.made + " text has letters of its own");
  }
  for (const unsigned letters : o.sigma) {
    if (letters < 1 || letters > 256) {
      throw UsageError("--sigma " + std::to_string(letters) + ": an alphabet has 1 to 256 letters");
    }
  }
  if (given(d.sigma)) {
    o.made = "random";
  }
}

std::string first_given(std::initializer_list<const CLI::Option*> options) {
  for (const CLI::Option* option : options) {
    if (given(option)) {
      return option->get_name();
    }
  }
  return "";
}

void refuse_both(const CLI::Option* a, const CLI::Option* b, const char* why) {
  if (given(a) && given(b)) {
    throw UsageError(a->get_name() + " and " + b->get_name() + " exclude each other: " + why);
  }
}

CLI::Option* add_threads_and_stride(CLI::App& command, std::vector<unsigned>& threads, std::uint64_t& stride,
                                    const char* group) {
  CLI::Option* const option = command.add_option("--threads", threads, "Threads on the CPU; 0: all")
                                  ->delimiter(',')
                                  ->check(cli::whole_number(kMostThreads))
                                  ->type_name("N[,N..]")
                                  ->capture_default_str()
                                  ->group(group);
  cli::add_number(command, "--stride", stride, "Characters that a thread searches at a time; 0: chosen", group);
  return option;
}

void add_repeats(CLI::App& command, unsigned& repeats, const char* group) {
  command.add_option("--repeats", repeats, "Number of timed runs; the table shows the median")
      ->check(cli::whole_number())
      ->check(CLI::Range(1, 1000000))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
}

CLI::Option* add_table_file(CLI::App& command, std::string& tsv, const char* group) {
  return command.add_option("-o,--tsv", tsv, "Also write the table to this file, as TSV")
      ->type_name("FILE")
      ->group(group);
}

}  // namespace trawl::lab
