// The options of a command, declared once. From these tables come the parser, the checks, the help, the man page, the
// completions of shells, the command line in @PG and the tables of the documents.
//
//   Command command{"map", "Map reads to a reference"};
//   command.options = {
//       {.names = "REF", .to = &a.reference, .help = "Reference: FASTA", .required = true},
//       {.names = "--report", .to = choice(&a.report, {{"best", Report::best}, {"all", Report::all}}),
//        .help = "Which loci are reported", .group = "Records", .in_header = InHeader::always},
//       {.names = "--split", .to = &a.split, .help = "Also map clipped ends", .group = "Clipped ends",
//        .needs = "--clip"},
//   };
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace trawl::session {
class CommandRun;
}

namespace trawl::cli {

/// A value of a type of its own: how a text becomes it, and how it is shown.
struct OwnType {
  std::function<void(const std::string&)> set;  // throws UsageError, with a whole message
  std::function<std::string()> text;
};

/// Where a value goes. bool: a flag, which has no value. A vector of numbers or of texts: values with commas between
/// them, unless the option may be repeated.
struct Target {
  using Pointer = std::variant<std::monostate, bool*, std::string*, std::uint32_t*, std::uint64_t*,
                               std::optional<std::uint32_t>*, std::optional<int>*, std::vector<std::string>*, OwnType>;

  Target() = default;
  template <class T>
  Target(T* to) : pointer(to) {}
  Target(OwnType to, std::vector<std::string> known = {}) : pointer(std::move(to)), words(std::move(known)) {}

  Pointer pointer = {};
  std::vector<std::string> words = {};  // the only values that it can have, if they are few
};

/// One of some words, each of which stands for a value.
///   choice(&options.report, {{"best", Report::best}, {"strata", Report::strata}, {"all", Report::all}})
template <class T>
Target choice(T* to, std::vector<std::pair<std::string, std::type_identity_t<T>>> values) {
  std::vector<std::string> words;
  for (const auto& [word, value] : values) {
    words.push_back(word);
  }
  const auto all = std::make_shared<const decltype(values)>(std::move(values));
  return {
      OwnType{[to, all](const std::string& text) {
                *to = std::find_if(all->begin(), all->end(), [&](const auto& v) { return v.first == text; })->second;
              },
              [to, all] {
                const auto now = std::find_if(all->begin(), all->end(), [&](const auto& v) { return v.second == *to; });
                return now == all->end() ? std::string() : now->first;
              }},
      std::move(words)};
}
/// One of some words, which is the value.
Target choice(std::string* to, const std::vector<std::string>& words);

/// A value that `parse` makes of a text, and `show` a text of. parse(text) throws UsageError.
template <class T, class Parse, class Show>
Target typed(T* to, Parse parse, Show show) {
  return OwnType{[to, parse](const std::string& text) { *to = parse(text); }, [to, show] { return show(*to); }};
}

/// Whether the command line in @PG has an option. Options that cannot change the records are not there, so that equal
/// records give equal files.
enum class InHeader { never, if_changed, always };

struct Command;

/// When an option cannot be given, for example beside another one.
struct Conflict {
  std::function<bool(const Command& given)> holds;
  std::string text;  // of the message, after the names of the option
};

struct Option {
  std::string names = {};  // "-e,--max-edits", "--split", or an argument: "REF"
  std::string value = {};  // what the help shows for its value: "N|N%"; without one: of the words, or "N"
  Target to = {};
  std::string help = {};          // without a full stop
  std::string group = {};         // the section of the help; "": Options
  std::vector<Option> keys = {};  // what it sets by KEY=VALUE, with commas between them; it has no `to` then
  std::string default_text = {};  // where the help shows another default than the value of `to`
  std::uint64_t least = 0;        // of a number
  std::uint64_t most = 999'999'999;
  std::string needs = {};      // may be given only with this option, or with this value of it: "--report strata"
  std::string needs_why = {};  // the end of the message: "which says ..."
  std::vector<Conflict> conflicts = {};  // of a value that is not the default one
  InHeader in_header = InHeader::never;
  bool required = false;
  bool may_be_empty = false;  // otherwise "", which comes from a shell variable that is not set, is an error
  bool may_repeat = false;    // a vector takes one value each time
  bool is_path = false;       // an argument or option that takes a file, for completions
  bool is_most_used = false;  // -h shows it
  bool is_hidden = false;     // no help shows it
  std::string instead = {};   // not an option any more, or one of other programs: what to type

  /// "-e", or "".
  std::string short_name() const;
  /// "--max-edits", or "".
  std::string long_name() const;
  /// Whether it is an argument such as REF.
  bool is_argument() const { return names[0] != '-'; }
  bool is_flag() const { return std::holds_alternative<bool*>(to.pointer); }
  /// The long name, or else the short one; the name of an argument.
  std::string name() const;
  /// What the help shows for its value; "" for a flag.
  std::string value_name() const;
};

/// The present value of an option as a text; "" if it has none.
///   text_of({.names = "-t,--threads", .to = &threads})    // "8"
std::string text_of(const Option& option);

/// Gives an option a value. Returns what is wrong with the text: "'x' is not a whole number from 0 to 9"; "" if
/// nothing. Throws UsageError if the option has a type of its own.
std::string set(const Option& option, const std::string& text);

/// What a text says about a flag: true, 1 or "", and false or 0; nothing for other texts.
std::optional<bool> flag_value(std::string_view text);

/// A value for options that the user has not given, by the choice of one (--for NAME).
struct Setting {
  std::string option = {};
  std::string value = {};  // "": a flag
};

struct Command {
  std::string name = {};
  std::string description = {};
  std::vector<Option> options = {};  // arguments among them, in the order of the help
  std::string footer = {};           // "Examples:" and other paragraphs; lines that begin with a blank stay as they are
  bool on_all_ranks = false;         // under mpirun every rank does the work, not the first alone
  std::function<void(const Command& given, session::CommandRun&)> work = {};
  /// The settings that the options given so far choose; none by default.
  std::function<std::vector<Setting>(const Command&)> settings = {};
  /// What to say about words that are left over, of which these are the end of the message; nothing by default.
  std::function<std::string(const std::string& words)> about_extra_words = {};
  std::set<std::string> given = {};    // names of the options that the user gave, as Option::name()
  std::set<std::string> changed = {};  // those whose values are not the default ones

  const Option* find(std::string_view name) const;
  bool is_given(const std::string& option) const { return given.count(option) > 0; }
  bool is_changed(const std::string& option) const { return changed.count(option) > 0; }
  bool has_most_used() const;
};

struct Program {
  std::string name = {};  // "trawl"
  std::string description = {};
  std::string footer = {};
  std::vector<Command> commands = {};
};

/// The words with the separator between them.
std::string joined(const std::vector<std::string>& words, const char* separator);

/// The parts of a text between separators: at least one.
std::vector<std::string> split(const std::string& text, char separator);

/// Appends options to a table.
void append(std::vector<Option>& table, std::vector<Option> options);

/// The options of a table, those without a section of the help in this one.
std::vector<Option> in_group(const std::string& group, std::vector<Option> table);

/// Marks these options of a table, by their names, as those that -h shows.
void set_most_used(std::vector<Option>& table, std::initializer_list<const char*> names);

/// Call it when the options that the user gives have their values, and are in Command::given: sets those that
/// Command::settings chooses, and Command::changed. `defaults`: text_of() each option before.
void finish_given(Command& command, const std::vector<std::string>& defaults);

/// Throws UsageError if options are given that do not go together, as `needs` and `conflicts` say.
void check_options(const Command& command);

/// The options for @PG, in the order of the table: " --max-edits 5% --split". `defaults`: the same table, of values
/// that no user has changed.
std::string header_options(const std::vector<Option>& options, const std::vector<Option>& defaults);

/// The end of a message about an unknown word: the nearest of `names`, if they are near enough, at most three.
///   did_you_mean("--threds", {"--threads", "--stats"})    // "; did you mean --threads?"
///   did_you_mean("--fish", {"--threads", "--stats"})      // ""
std::string did_you_mean(const std::string& word, const std::vector<std::string>& names);

}  // namespace trawl::cli
