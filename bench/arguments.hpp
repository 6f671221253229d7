// Command lines of the programs in bench/: positional arguments, options (`--name VALUE`) and flags (`--name`).
//
//   Arguments args(argc, argv, {{"-e", true}, {"--self-test", false}});
//   args.value("-e", "5%");  args.has("--self-test");  args.positional(0);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace trawl::bench {

/// The command line is wrong (exit status 2).
class WrongUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Arguments {
 public:
  /// `options` says for each option whether a value follows. Throws WrongUsage for an unknown option.
  Arguments(const std::vector<std::string>& words, const std::map<std::string, bool>& options);

  bool has(const std::string& option) const { return given_.contains(option); }
  std::string value(const std::string& option, const std::string& otherwise) const;
  std::uint64_t integer(const std::string& option, std::uint64_t otherwise) const;
  double number(const std::string& option, double otherwise) const;

  std::size_t count() const { return positional_.size(); }
  const std::string& positional(std::size_t i) const { return positional_.at(i); }

 private:
  std::map<std::string, std::string> given_;
  std::vector<std::string> positional_;
};

std::uint64_t parse_integer(const std::string& text);
double parse_number(const std::string& text);

/// The two parts of a text like "100-500" or "400,50". `option` is named if the text has no border.
std::pair<std::string, std::string> parse_two(const std::string& option, const std::string& text, char border);

/// From the first to the last number, both included.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};
/// "100-500".
Range parse_range(const std::string& option, const std::string& text);

/// How the mates of a pair lie; see `trawl map --orientation`.
enum class Orientation { fr, rf, ff };
Orientation parse_orientation(const std::string& text);

/// `e` as a number of edits ("5") or a percentage of the read length, rounded down ("5%", "2.5%"). It is computed
/// exactly, without floating point.
class MaxEdits {
 public:
  explicit MaxEdits(const std::string& text);
  std::uint64_t of(std::uint64_t read_length) const {
    return is_fraction_ ? read_length * numerator_ / denominator_ : numerator_;
  }

 private:
  bool is_fraction_ = false;
  std::uint64_t numerator_ = 0;
  std::uint64_t denominator_ = 1;
};

/// Runs the main part of a program. Turns an exception into a message and an exit status (2: wrong usage, 1: other
/// errors).
int run_program(const char* name, const char* usage, int argc, char** argv,
                const std::function<int(const std::vector<std::string>&)>& body);

/// What the first word of a command line asks for.
struct Command {
  std::map<std::string, bool> options;  // see Arguments
  std::size_t fewest = 0;               // positional arguments
  std::size_t most = 0;
  const char* needed = nullptr;  // their names
  int (*run)(const Arguments& args) = nullptr;
};
int run_commands(const char* name, const char* usage, int argc, char** argv,
                 const std::map<std::string, Command>& commands);

}  // namespace trawl::bench
