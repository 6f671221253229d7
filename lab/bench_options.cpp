#include "lab/bench_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "base/error.hpp"
#include "base/whole_number.hpp"
#include "lab/matchers/pattern.hpp"

namespace trawl::lab {

namespace {

using matchers::kLongestPattern;

// Of the values: file, number and word take one.
enum class Kind { flag, file, names, lengths, number, numbers, word, words };

struct Declared {
  std::string group, names;  // names: "-a,--algorithm"
  Kind kind;
  bool everywhere;  // every experiment has it
  std::string help, preset;
  std::vector<std::string> words;  // that it can be
  std::uint64_t least, most;

  std::string name() const { return names.substr(names.find("--")); }
  bool is_list() const { return kind != Kind::file && kind != Kind::number && kind != Kind::word; }
};

std::vector<Declared> all_options() {
  using enum Kind;
  std::vector<Declared> all;
  std::string group;
  const auto add = [&](const char* names, Kind kind, bool everywhere, const char* help, const char* preset = "",
                       const std::vector<std::string>& words = {}, std::uint64_t least = 0,
                       std::uint64_t most = 999'999'999) {
    all.push_back({group, names, kind, everywhere, help, preset, words, least, most});
  };
  group = "What to do";
  add("--list", flag, false, "List all algorithms, each with what it does to patterns that its authors exclude");
  add("-a,--algorithm", names, false, "Algorithms, by name or code (--list); all: every one of the engine", "all");

  group = "Text";
  add("--made", word, true,
      "Make a text: words as frequent as in English, proteins, DNA as frequent as in the human genome, or random "
      "letters",
      "dna", {"english", "protein", "dna", "random"});
  add("--text", file, true, "Search this file, inflated if it is gzip; each byte is a character");
  add("--fasta", file, true, "Search the sequences of this FASTA file in upper case, a line feed between two of them");
  add("-n,--length", numbers, true,
      "Length of the text in bytes: of a made text (16777216 if not given), or only the first N of a file", "", {}, 1,
      999'999'999'999'999);
  add("--sigma", numbers, true, "Random text of this many different letters; 4: A, C, G, T", "4", {}, 1, 256);
  add("--seed", number, true, "Seed of the made text and of the places of the patterns", "1");

  group = "Pattern";
  add("-m,--pattern-length", lengths, true,
      "Search pieces of the text of this length; of a set also A-B: each of a random length", "24");
  add("--patterns", numbers, false, "Number of pieces for each length, from random places", "1", {}, 1, 100'000'000);
  add("-k,--max-edits", numbers, false, "Most edits of a match; a piece of the text also gets this many edits", "0");

  group = "Algorithm";
  add("--alpha", numbers, false, "Characters that a thread loads, or has, at a time; 0: chosen", "0");
  add("--segments", words, false,
      "disjoint: segments of a block wait for those before; overlapping: each starts early; streamed: one after the "
      "other",
      "streamed", {"disjoint", "overlapping", "streamed"});
  add("--variant", words, false,
      "pasm: rows in shared memory; wspasm: rows by warp shuffle, X in global memory; wspasm-shared: X in shared "
      "memory",
      "wspasm-shared", {"pasm", "wspasm", "wspasm-shared"});
  add("--columns", numbers, false, "WsPASM: columns per lane, 1 (as in the paper) or 16; 0: 16", "0");
  add("--parts", numbers, false, "D, the number of parts of the text; 0: enough to fill the GPU", "0");
  add("--rows", numbers, false, "Rows per thread: 1 (as in the paper), 2, 4 or 8; 0: by the pattern's length", "0");

  group = "Work";
  add("--engine", word, true, "Run on the CPU or the GPU (cuda); auto: the GPU if there is one", "auto",
      {"auto", "cpu", "cuda"});
  add("--threads", numbers, false, "Threads on the CPU; 0: all", "1", {}, 0, 1024);
  add("--memory", words, false, "Where the algorithm's table lies on the GPU", "auto",
      {"auto", "constant", "shared", "global"});
  add("--streams", numbers, false,
      "Copy the text to the GPU in pieces on so many streams, and count the copies as time", "", {}, 1, 64);
  add("--pinned", flag, false, "The same, from pinned (page-locked) memory");
  add("--stage", words, false, "Stages of the kernels on the GPU; all: every one", "cw",
      {"u", "tc", "cr", "r16", "cw", "st", "all"});
  add("--ranks", numbers, false, "Under mpirun: how many of the ranks work; by default all", "", {}, 1, 1'000'000);
  add("--output", words, false, "The form of the result");
  add("--repeats", number, true, "Number of timed runs; the table shows the median", "5", {}, 1, 1'000'000);
  add("--sequential", flag, false, "Also time the sequential program on one CPU thread");
  add("-o,--tsv", file, true, "Also write the table to this file, as TSV");
  return all;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : between) + word;
  }
  return text;
}

// The different ones of the words between commas; of one value, all.
std::vector<std::string> values_of(const Declared& option, const std::string& text) {
  std::vector<std::string> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = option.is_list() ? std::min(text.find(',', begin), text.size()) : text.size();
    if (std::string value = text.substr(begin, end - begin); std::ranges::count(values, value) == 0) {
      values.push_back(std::move(value));
    }
    begin = end + 1;
  }
  return values;
}

// A length, or two of them.
std::optional<LengthRange> range_of(const std::string& word) {
  const std::size_t dash = std::min(word.find('-'), word.size());
  const auto shortest = whole_number<unsigned>(word.substr(0, dash));
  const auto longest = dash == word.size() ? shortest : whole_number<unsigned>(word.substr(dash + 1));
  if (!shortest || !longest || *shortest == 0 || *longest < *shortest || *longest > kLongestPattern) {
    return {};
  }
  return LengthRange{*shortest, *longest};
}

void check_value(const Declared& option, const std::string& value, bool has_sets) {
  if ((option.kind == Kind::word || option.kind == Kind::words) && std::ranges::count(option.words, value) == 0) {
    throw UsageError(option.name() + ": '" + value + "' is none of " + joined(option.words, ", "));
  }
  if (option.kind == Kind::number || option.kind == Kind::numbers) {
    const auto number = whole_number<std::uint64_t>(value);
    if (!number || *number < option.least || *number > option.most) {
      throw UsageError(option.name() + ": '" + value + "' is not a whole number from " + std::to_string(option.least) +
                       " to " + std::to_string(option.most));
    }
  }
  if (option.kind == Kind::lengths && (!range_of(value) || (!has_sets && value.find('-') != std::string::npos))) {
    throw UsageError("-m " + value + ": a length is a number from 1 to " + std::to_string(kLongestPattern) +
                     (has_sets ? ", or two of them, such as 8-32" : ""));
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

// Declares an option of the experiment; what is given goes to `o`.
void declare(CLI::App& app, const Declared& option, bool has_sets, Options& o) {
  const std::string name = option.name();
  if (option.kind == Kind::flag) {
    app.add_flag_callback(
           option.names, [&o, name] { o.give(name); }, wrapped(option.help))
        ->group(option.group);
    return;
  }
  const auto take = [&o, &option, name, has_sets](const CLI::results_t& words) {
    o.set(name, values_of(option, words.back()));
    for (const std::string& value : o.words(name)) {
      check_value(option, value, has_sets);
    }
    o.give(name);
    return true;
  };
  const std::string preset = joined(o.words(name), ",");
  const std::string value = option.kind == Kind::file      ? "FILE"
                            : option.kind == Kind::names   ? "NAME"
                            : option.kind == Kind::lengths ? (has_sets ? "N|A-B" : "N")
                            : option.words.empty()         ? "N"
                                                           : joined(option.words, "|");
  app.add_option(option.names, take, wrapped(option.help + (preset.empty() ? "" : " [" + preset + "]")))
      ->expected(1)
      ->type_name(value + (option.is_list() ? "[,..]" : ""))
      ->group(option.group);
}

void exclude(const Options& o, const char* a, const char* b, const char* why) {
  if (o.has(a) && o.has(b)) {
    throw UsageError(std::string(a) + " and " + b + " exclude each other: " + why);
  }
}

void check_table_file(const Options& o) {
  const std::string tsv = o.word("--tsv");
  std::error_code error;
  for (const char* input : {"--text", "--fasta"}) {
    if (o.has(input) && std::filesystem::equivalent(o.word(input), tsv, error)) {
      throw UsageError("-o " + tsv + " is the input " + o.word(input) + ", which would be lost; name another file");
    }
  }
  const bool is_there = std::filesystem::exists(tsv, error);
  if (tsv != "-" && (!is_there || !std::filesystem::is_other(tsv, error))) {
    if (!std::ofstream(tsv, std::ios::app)) {
      throw Error(tsv + ": cannot be written: " + std::strerror(errno));
    }
    if (!is_there) {
      std::filesystem::remove(tsv, error);
    }
  }
}

// What the options given imply, and whether they fit together.
void settle(Options& o) {
  exclude(o, "--list", "--tsv", "the list goes to standard output; use '> FILE'");
  exclude(o, "--text", "--fasta", "there is one text");
  for (const char* file : {"--text", "--fasta"}) {
    exclude(o, file, "--made", "there is one text");
    exclude(o, file, "--sigma", "the number of letters is for random text");
  }
  if (o.has("--sigma")) {
    if (o.has("--made") && o.word("--made") != "random") {
      throw UsageError("--sigma is for --made random; " + o.word("--made") + " text has letters of its own");
    }
    o.set("--made", {"random"});
  }
  for (const LengthRange& range : o.pattern_lengths()) {
    for (const auto n : o.numbers<std::uint64_t>("--length")) {
      if (n < range.longest) {
        throw UsageError("-n " + std::to_string(n) + ": the text is shorter than a pattern of " +
                         std::to_string(range.longest) + " characters");
      }
    }
  }
  if (!o.has("--length")) {
    o.set("--length", {o.is_file() ? "0" : "16777216"});  // 0: all of a file
  }
  o.check_engine(o.word("--engine"));
  if (o.has("--tsv")) {
    check_table_file(o);
  }
}

}  // namespace

std::vector<LengthRange> Options::pattern_lengths() const {
  std::vector<LengthRange> lengths;
  for (const std::string& word : words("--pattern-length")) {
    lengths.push_back(*range_of(word));
  }
  return lengths;
}

void Options::check_engine(const std::string& chosen) const {
  for (const char* option : {"--memory", "--streams", "--pinned", "--stage"}) {
    if (chosen == "cpu" && has(option)) {
      throw UsageError(std::string(option) + " is for --engine cuda; the engine is cpu here");
    }
  }
  if (chosen == "cuda" && has("--threads")) {
    throw UsageError("--threads is for --engine cpu; on the GPU there are blocks of threads, chosen by the program");
  }
}

std::optional<Options> read_options(const Experiment& experiment, int argc, const char* const* argv, bool shows_help) {
  CLI::App app(experiment.description, "trawl-bench " + experiment.name);
  app.allow_extras();
  app.set_help_flag("-h,--help", "Show this help");
  app.get_option("--help")->group("What to do");
  app.get_formatter()->column_width(30);
  app.footer(experiment.footer);
  Options options;
  const bool has_sets = experiment.options.find("--patterns ") != std::string::npos;
  std::vector<Declared> all = all_options();
  for (Declared& option : all) {
    const std::string name = option.name();
    if (name == "--output" && !experiment.outputs.empty()) {
      option.words = experiment.outputs;
      option.preset = experiment.outputs.front();
      option.everywhere = true;
    }
    const auto preset = experiment.defaults.find(name);
    const std::string text = preset != experiment.defaults.end() ? preset->second : option.preset;
    options.set(name, text.empty() ? std::vector<std::string>() : values_of(option, text));
    if (option.everywhere || experiment.options.find(name + " ") != std::string::npos) {
      declare(app, option, has_sets, options);
    }
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << (shows_help ? app.help() : "") << std::flush;
    return {};
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  if (const auto words = app.remaining(); !words.empty()) {
    throw UsageError((words[0].starts_with('-') ? "there is no option " : "there is nothing to do with ") + words[0] +
                     "; 'trawl-bench " + experiment.name + " --help' shows the options");
  }
  settle(options);
  return options;
}

}  // namespace trawl::lab
