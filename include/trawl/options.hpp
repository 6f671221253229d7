// Options, with the names and values of the command line, without the leading --; `_` may stand for `-`. Two names are
// added: {"edits", "5%"} is max-edits; {"device", "cuda"} is engine: auto (a GPU where that saves time), cpu or cuda.
//
//   trawl::Options options{{"report", "all"}, {"max-edits", "5%"}, {"max_hits", 10}, {"eqx", true}};
//   for (const trawl::OptionInfo& option : trawl::option_table("map")) { ... }      // their names, values and help
#pragma once
#include <concepts>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "trawl/error.hpp"

namespace trawl::inline v0 {

struct Option {
  Option(std::string_view option, std::string_view text) : name(option), value(text) {}
  Option(std::string_view option, const char* text) : name(option), value(text) {}
  /// A number; of a flag, true or false.
  template <class T>
  requires std::is_arithmetic_v<T> Option(std::string_view option, T number)
      : name(option), value(std::is_same_v<T, bool> ? number ? "true" : "false" : std::to_string(number)) {}

  std::string name;
  std::string value;
};
using Options = std::vector<Option>;

/// An option as the help of the command shows it.
struct OptionInfo {
  std::string name;                // "max-edits"
  std::string value;               // "N|N%"; empty: a flag
  std::string default_text;        // "5%"
  std::string help;                // a sentence without a full stop
  std::vector<std::string> words;  // the only values, if they are few
};
/// The options that a Mapper ("map") or a Scanner ("scan") takes. Throws UsageError for another command.
TRAWL_API std::vector<OptionInfo> option_table(std::string_view command);

/// How far a call is: in reads; in bytes of files, if these are read; in bases, if a reference in memory is searched.
struct Progress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;  // 0: not known
};
/// Called up to 100 times a second, on any thread, never by two at once. It must not call Trawl. If it returns false, the
/// call that has it throws Cancelled soon.
using OnProgress = std::function<bool(const Progress&)>;

}  // namespace trawl::inline v0
