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

std::vector<cli::Option> text_table(TextOptions& o) {
  const char* group = "Text";
  return {
      {.names = "--made",
       .to = &o.made,
       .help = "Make a text: words as frequent as in English, proteins, DNA, random letters",
       .group = group,
       .words = {"english", "protein", "dna", "random"}},
      {.names = "--text",
       .value = "FILE",
       .to = &o.text,
       .help = "Search this file, inflated if it is gzip; each byte is a character",
       .group = group,
       .is_path = true},
      {.names = "--fasta",
       .value = "FILE",
       .to = &o.fasta,
       .help = "Search the sequences of this FASTA file in upper case, a line feed between two of them",
       .group = group,
       .is_path = true},
      {.names = "-n,--length",
       .value = "N[,N..]",
       .to = &o.lengths,
       .help = "Length of the text in bytes, a whole number: of a made text (default 16777216), or only the first N "
               "of a file",
       .group = group,
       .most = kLargestNumber},
      {.names = "--sigma",
       .value = "N[,N..]",
       .to = &o.sigma,
       .help = "Random text of this many different letters (default 4: A, C, G, T)",
       .group = group},
      {.names = "--seed",
       .to = &o.seed,
       .help = "Seed of the made text and of the places of the patterns",
       .group = group}};
}

void settle_text_options(TextOptions& o, const cli::Command& c) {
  refuse_both(c, "--text", "--fasta", "there is one text");
  refuse_both(c, "--text", "--made", "there is one text");
  refuse_both(c, "--fasta", "--made", "there is one text");
  refuse_both(c, "--text", "--sigma", "the number of letters is for random text");
  refuse_both(c, "--fasta", "--sigma", "the number of letters is for random text");
  if (c.is_given("--sigma") && c.is_given("--made") && o.made != "random") {
    throw UsageError("--sigma is for --made random; " + o.made + " text has letters of its own");
  }
  for (const unsigned letters : o.sigma) {
    if (letters < 1 || letters > 256) {
      throw UsageError("--sigma " + std::to_string(letters) + ": an alphabet has 1 to 256 letters");
    }
  }
  if (c.is_given("--sigma")) {
    o.made = "random";
  }
}

std::string first_given(const cli::Command& command, std::initializer_list<const char*> options) {
  for (const char* option : options) {
    if (command.is_given(option)) {
      return option;
    }
  }
  return "";
}

void refuse_both(const cli::Command& command, const char* a, const char* b, const char* why) {
  if (command.is_given(a) && command.is_given(b)) {
    throw UsageError(std::string(a) + " and " + b + " exclude each other: " + why);
  }
}

std::vector<cli::Option> threads_table(std::vector<unsigned>& threads, std::uint64_t& stride, const char* group) {
  return {{.names = "--threads",
           .value = "N[,N..]",
           .to = &threads,
           .help = "Threads on the CPU; 0: all",
           .group = group,
           .most = kMostThreads},
          {.names = "--stride",
           .to = &stride,
           .help = "Characters that a thread searches at a time; 0: chosen",
           .group = group}};
}

cli::Option repeats_option(unsigned& repeats, const char* group) {
  return {.names = "--repeats",
          .to = &repeats,
          .help = "Number of timed runs; the table shows the median",
          .group = group,
          .least = 1,
          .most = 1'000'000};
}

cli::Option table_file_option(std::string& tsv, const char* group) {
  return {.names = "-o,--tsv",
          .value = "FILE",
          .to = &tsv,
          .help = "Also write the table to this file, as TSV",
          .group = group,
          .is_path = true};
}

}  // namespace trawl::lab
