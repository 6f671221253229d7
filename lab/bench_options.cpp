#include "lab/bench_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/whole_number.hpp"
#include "lab/matchers/pattern.hpp"

namespace trawl::lab {

namespace {

using matchers::kLongestPattern;

constexpr std::uint64_t kLargestNumber = 999'999'999'999'999;
constexpr std::uint64_t kMadeLength = std::uint64_t{1} << 24;

// The values that an option can have.
struct Values {
  std::uint64_t least = 0;
  std::uint64_t most = 999'999'999;
  std::vector<std::string> words = {};
  std::string shown = {};  // in the help, in place of N or the words
};

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : between) + word;
  }
  return text;
}

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

std::string text_of(const std::string& value) { return value; }
std::string text_of(const LengthRange& value) { return value.name(); }
std::string text_of(std::uint64_t value) { return std::to_string(value); }
template <class T>
std::string text_of(const std::vector<T>& values) {
  std::vector<std::string> words;
  for (const T& value : values) {
    words.push_back(text_of(value));
  }
  return joined(words, ",");
}

template <class T>
void read(const std::string& name, const std::string& word, const Values& values, T& to) {
  if constexpr (IsList<T>::value) {
    to.clear();
    for (std::size_t begin = 0; begin <= word.size();) {
      const std::size_t end = std::min(word.find(',', begin), word.size());
      typename T::value_type one{};
      read(name, word.substr(begin, end - begin), values, one);
      if (std::find(to.begin(), to.end(), one) == to.end()) {
        to.push_back(std::move(one));
      }
      begin = end + 1;
    }
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (!values.words.empty() && std::count(values.words.begin(), values.words.end(), word) == 0) {
      throw UsageError(name + ": '" + word + "' is none of " + joined(values.words, ", "));
    }
    to = word;
  } else if constexpr (std::is_same_v<T, LengthRange>) {
    const std::size_t dash = std::min(word.find('-'), word.size());
    const auto shortest = whole_number<unsigned>(word.substr(0, dash));
    const auto longest = dash == word.size() ? shortest : whole_number<unsigned>(word.substr(dash + 1));
    if (!shortest || !longest || *shortest == 0 || *longest < *shortest || *longest > kLongestPattern ||
        (values.most == 1 && dash != word.size())) {
      throw UsageError("-m " + word + ": a length is a number from 1 to " + std::to_string(kLongestPattern) +
                       (values.most == 1 ? "" : ", or two of them, such as 8-32"));
    }
    to = {*shortest, *longest};
  } else {
    const auto number = whole_number<std::uint64_t>(word);
    if (!number || *number < values.least || *number > values.most) {
      throw UsageError(name + ": '" + word + "' is not a whole number from " + std::to_string(values.least) + " to " +
                       std::to_string(values.most));
    }
    to = static_cast<T>(*number);
  }
}

// The words of a text in lines of the help's second column.
std::string wrapped(const std::string& text) {
  constexpr std::size_t kWidth = 68;
  std::string lines;
  std::size_t column = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const bool is_full = column > 0 && column + 1 + (end - begin) > kWidth;
    lines += (column == 0 ? "" : is_full ? "\n" : " ") + text.substr(begin, end - begin);
    column = (is_full || column == 0 ? 0 : column + 1) + (end - begin);
    begin = end + 1;
  }
  return lines;
}

// Declares the options of an experiment.
class Table {
 public:
  Table(CLI::App& app, const Experiment& experiment) : app_(app), experiment_(experiment) {}

  void group(const std::string& name) { group_ = name; }

  /// One that every experiment has.
  template <class T>
  void add(const std::string& names, T& to, const std::string& help, const Values& values = {}) {
    const std::string name = names.substr(names.find("--"));
    if constexpr (std::is_same_v<T, bool>) {
      app_.add_flag(names, to, wrapped(help))->group(group_);
    } else {
      const std::string shown = text_of(to);
      const auto take = [name, values, &to](const CLI::results_t& words) {
        read(name, words.back(), values, to);
        return true;
      };
      CLI::Option* option = app_.add_option(names, take, wrapped(help + (shown.empty() ? "" : " [" + shown + "]")));
      option->expected(1)->group(group_);
      const std::string value = !values.shown.empty()  ? values.shown
                                : values.words.empty() ? "N"
                                                       : joined(values.words, "|");
      option->type_name(value + (IsList<T>::value ? "[,..]" : ""));
    }
  }
  /// One that some experiments name.
  template <class T>
  void may_add(const std::string& names, T& to, const std::string& help, const Values& values = {}) {
    if (experiment_.options.find(names.substr(names.find("--")) + " ") != std::string::npos) {
      add(names, to, help, values);
    }
  }

 private:
  CLI::App& app_;
  const Experiment& experiment_;
  std::string group_;
};

void declare(Table table, const Experiment& experiment, Options& o) {
  const std::vector<std::string> engines = {"auto", "cpu", "cuda"};
  const auto numbers = [](std::uint64_t least, std::uint64_t most) { return Values{.least = least, .most = most}; };
  table.group("What to do");
  table.may_add("--list", o.list, "List all algorithms, each with what it does to patterns that its authors exclude");
  table.may_add("--recommend", o.recommend,
                "Find the fastest algorithms for this text and each length: all are tried on a sample, the best on the "
                "whole text");
  table.may_add("-a,--algorithm", o.algorithms, "Algorithms, by name or code (--list); all: every one of the engine",
                {.shown = "NAME"});

  table.group("Text");
  table.add("--made", o.made,
            "Make a text: words as frequent as in English, proteins, DNA as frequent as in the human genome, or random "
            "letters",
            {.words = {"english", "protein", "dna", "random"}});
  table.add("--text", o.text, "Search this file, inflated if it is gzip; each byte is a character", {.shown = "FILE"});
  table.add("--fasta", o.fasta,
            "Search the sequences of this FASTA file in upper case, a line feed between two of them",
            {.shown = "FILE"});
  table.add("-n,--length", o.lengths,
            "Length of the text in bytes: of a made text (16777216 if not given), or only the first N of a file",
            numbers(1, kLargestNumber));
  table.add("--sigma", o.sigma, "Random text of this many different letters; 4: A, C, G, T", numbers(1, 256));
  table.add("--seed", o.seed, "Seed of the made text and of the places of the patterns");

  table.group("Pattern");
  table.may_add("-p,--pattern", o.pattern, "Search this pattern; upper case with --fasta", {.shown = "TEXT"});
  const bool has_sets = experiment.options.find("--pattern-file ") != std::string::npos;
  table.add("-m,--pattern-length", o.pattern_lengths,
            std::string("Search pieces of the text of this length") +
                (has_sets ? "; A-B: each of a random length from A to B" : ""),
            {.most = has_sets ? 2u : 1u, .shown = has_sets ? "N|A-B" : "N"});
  table.may_add("--patterns", o.patterns, "Number of pieces for each length, from random places",
                numbers(1, 100'000'000));
  table.may_add("--pattern-file", o.pattern_file, "Search the lines of this file", {.shown = "FILE"});
  table.may_add("-k,--max-edits", o.max_edits, "Most edits of a match; a piece of the text also gets this many edits");

  table.group("Algorithm");
  table.may_add("--alpha", o.alphas, "Characters that a thread loads, or has, at a time; 0: chosen");
  table.may_add("--segments", o.segments,
                "disjoint: segments of a block wait for those before; overlapping: each starts early; streamed: one "
                "after the other",
                {.words = {"disjoint", "overlapping", "streamed"}});
  table.may_add("--variant", o.variants,
                "pasm: rows in shared memory; wspasm: rows by warp shuffle, X in global memory; wspasm-shared: X in "
                "shared memory",
                {.words = {"pasm", "wspasm", "wspasm-shared"}});
  table.may_add("--columns", o.columns, "WsPASM: columns per lane, 1 (as in the paper) or 16; 0: 16");
  table.may_add("--parts", o.parts, "D, the number of parts of the text; 0: enough to fill the GPU");
  table.may_add("--rows", o.rows, "Rows per thread: 1 (as in the paper), 2, 4 or 8; 0: by the pattern's length");

  table.group("Work");
  table.add("--engine", o.engine, "Run on the CPU or the GPU (cuda); auto: the GPU if there is one",
            {.words = engines});
  table.may_add("--threads", o.threads, "Threads on the CPU; 0: all", numbers(0, 1024));
  table.may_add("--memory", o.memories, "Where the algorithm's table lies on the GPU",
                {.words = {"auto", "constant", "shared", "global"}});
  table.may_add("--streams", o.streams,
                "Copy the text to the GPU in pieces on so many streams, and count the copies as time", numbers(1, 64));
  table.may_add("--pinned", o.pinned, "The same, from pinned (page-locked) memory");
  table.may_add("--stage", o.stages, "Stages of the kernels on the GPU; all: every one",
                {.words = {"u", "tc", "cr", "r16", "cw", "st", "all"}});
  table.may_add("--ranks", o.ranks, "Under mpirun: how many of the ranks work; by default all", numbers(1, 1'000'000));
  if (!experiment.outputs.empty()) {
    table.add("--output", o.outputs, "The form of the result", {.words = experiment.outputs});
  }
  table.add("--repeats", o.repeats, "Number of timed runs; the table shows the median", numbers(1, 1'000'000));
  table.may_add("--sequential", o.sequential, "Also time the sequential program on one CPU thread");
  table.add("-o,--tsv", o.tsv, "Also write the table to this file, as TSV", {.shown = "FILE"});
}

struct Exclusion {
  const char *a, *b, *why;
};
constexpr Exclusion kExclusions[] = {
    {"--list", "--tsv", "the list goes to standard output; use '> FILE'"},
    {"--text", "--fasta", "there is one text"},
    {"--text", "--made", "there is one text"},
    {"--fasta", "--made", "there is one text"},
    {"--text", "--sigma", "the number of letters is for random text"},
    {"--fasta", "--sigma", "the number of letters is for random text"},
    {"--pattern", "--pattern-length", "the pattern is given, or pieces of the text of this length are searched"},
    {"--pattern", "--patterns", "--patterns is how many pieces of the text are searched"},
    {"--pattern-file", "--patterns", "the patterns are those of the file"},
    {"--pattern-file", "--pattern-length", "the patterns are those of the file"},
};

void check_table_file(const Options& o) {
  std::error_code error;
  for (const std::string& input : {o.text, o.fasta, o.pattern_file}) {
    if (!input.empty() && std::filesystem::equivalent(input, o.tsv, error)) {
      throw UsageError("-o " + o.tsv + " is the input " + input + ", which would be lost; name another file");
    }
  }
  const bool is_there = std::filesystem::exists(o.tsv, error);
  if (o.tsv != "-" && (!is_there || !std::filesystem::is_other(o.tsv, error))) {
    if (!std::ofstream(o.tsv, std::ios::app)) {
      throw Error(o.tsv + ": cannot be written: " + std::strerror(errno));
    }
    if (!is_there) {
      std::filesystem::remove(o.tsv, error);
    }
  }
}

// What the options given imply, and whether they fit together.
void settle(Options& o) {
  for (const Exclusion& exclusion : kExclusions) {
    if (o.is_given(exclusion.a) && o.is_given(exclusion.b)) {
      throw UsageError(std::string(exclusion.a) + " and " + exclusion.b + " exclude each other: " + exclusion.why);
    }
  }
  if (o.is_given("--sigma")) {
    if (o.is_given("--made") && o.made != "random") {
      throw UsageError("--sigma is for --made random; " + o.made + " text has letters of its own");
    }
    o.made = "random";
  }
  if (o.is_given("--pattern") && (o.pattern.empty() || o.pattern.size() > kLongestPattern)) {
    throw UsageError(o.pattern.empty()
                         ? "-p: the pattern is empty"
                         : "-p: the pattern has " + std::to_string(o.pattern.size()) + " characters; at most " +
                               std::to_string(kLongestPattern) + " are possible");
  }
  if (!o.fasta.empty()) {  // as the letters of the text
    std::transform(o.pattern.begin(), o.pattern.end(), o.pattern.begin(),
                   [](char l) { return l >= 'a' && l <= 'z' ? static_cast<char>(l - 'a' + 'A') : l; });
  }
  if (o.is_given("--pattern")) {
    const auto m = static_cast<unsigned>(o.pattern.size());
    o.pattern_lengths = {{m, m}};
  }
  for (const LengthRange& range : o.pattern_file.empty() ? o.pattern_lengths : std::vector<LengthRange>()) {
    for (const std::uint64_t n : o.lengths) {
      if (n < range.longest) {
        throw UsageError("-n " + std::to_string(n) + ": the text is shorter than a pattern of " +
                         std::to_string(range.longest) + " characters");
      }
    }
  }
  if (o.lengths.empty()) {
    o.lengths = {o.text.empty() && o.fasta.empty() ? kMadeLength : 0};
  }
  o.check_engine(o.engine);
  if (!o.tsv.empty()) {
    check_table_file(o);
  }
}

}  // namespace

void Options::check_engine(const std::string& chosen) const {
  for (const char* option : {"--memory", "--streams", "--pinned", "--stage"}) {
    if (chosen == "cpu" && is_given(option)) {
      throw UsageError(std::string(option) + " is for --engine cuda; the engine is cpu here");
    }
  }
  if (chosen == "cuda" && is_given("--threads")) {
    throw UsageError("--threads is for --engine cpu; on the GPU there are blocks of threads, chosen by the program");
  }
}

std::optional<Options> read_options(const Experiment& experiment, int argc, const char* const* argv) {
  Options options = experiment.defaults;
  options.outputs.assign(experiment.outputs.begin(), experiment.outputs.begin() + (experiment.outputs.empty() ? 0 : 1));
  CLI::App app(experiment.description, "trawl-bench " + experiment.name);
  app.allow_extras();
  app.set_help_flag("-h,--help", "Show this help");
  app.get_option("--help")->group("What to do");
  app.get_formatter()->column_width(30);
  app.footer(experiment.footer);
  declare(Table(app, experiment), experiment, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help() << std::flush;
    return {};
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (const auto words = app.remaining(); !words.empty()) {
    throw UsageError((words[0].starts_with('-') ? "there is no option " : "there is nothing to do with ") + words[0] +
                     "; 'trawl-bench " + experiment.name + " --help' shows the options");
  }
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 0) {
      options.given.insert(option->get_name().substr(option->get_name().find("--")));
    }
  }
  settle(options);
  return options;
}

}  // namespace trawl::lab
