#include "api/given_options.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "cli/options/map_presets.hpp"
#include "cli/options/option.hpp"

namespace trawl::api {

namespace {

// Options of the program: files of its own, and messages. What they do, the caller of a library does.
constexpr std::string_view kOfProgram[] = {
    "--output",  "--stats",       "--multiqc", "--report-html",    "--igv-session", "--progress", "--quiet",
    "--verbose", "--interleaved", "--summary", "--annotate",       "--vcf",         "--memory",   "--pattern",
    "--server",  "--circular",    "--mapped",  "--rename-contigs", "--collapsed"};
// These change the files that trawl scan writes, but no hits.
constexpr std::string_view kOfScanFiles[] = {"--compression-level"};

bool is_taken(const cli::Option& option, bool scans) {
  const std::string name = option.name();
  return !option.is_argument() && option.instead.empty() &&
         std::find(std::begin(kOfProgram), std::end(kOfProgram), name) == std::end(kOfProgram) &&
         !(scans && std::find(std::begin(kOfScanFiles), std::end(kOfScanFiles), name) != std::end(kOfScanFiles));
}

std::string without_dashes(const std::string& name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

// The name that the tables have.
std::string table_name(std::string_view given) {
  std::string name = without_dashes(std::string(given));
  std::replace(name.begin(), name.end(), '_', '-');
  return name == "edits" ? "max-edits" : name == "device" ? "engine" : name;
}

const cli::Option& find(const cli::Command& command, const std::string& given, bool scans) {
  const std::string name = table_name(given);
  std::vector<std::string> names{"edits", "device"};
  for (const cli::Option& option : command.options) {
    const bool is_it = without_dashes(option.long_name()) == name || without_dashes(option.short_name()) == name;
    if (is_taken(option, scans)) {
      if (is_it) {
        return option;
      }
      names.push_back(without_dashes(option.name()));
    } else if (is_it && !option.instead.empty()) {
      throw UsageError("the option " + name + ": " + option.instead);
    } else if (is_it && !name.empty()) {
      throw UsageError("the option " + name + " is one of the program trawl; in the library, the caller does that");
    }
  }
  throw UsageError("trawl " + command.name + " has no option '" + given + "'" + cli::did_you_mean(name, names));
}

// Puts the values into the command's targets, and checks them as the command line does.
void give(cli::Command& command, const Options& options, bool scans) {
  std::vector<std::string> defaults;
  for (const cli::Option& option : command.options) {
    defaults.push_back(cli::text_of(option));
  }
  for (const Option& given : options) {
    const cli::Option& option = find(command, given.name, scans);
    if (!command.given.insert(option.name()).second) {
      throw UsageError("the option " + without_dashes(option.name()) + " is given more than once");
    }
    if (const std::string wrong = cli::set(option, given.value); !wrong.empty()) {
      throw UsageError("the option " + without_dashes(option.name()) + ": " + wrong);
    }
  }
  cli::finish_given(command, defaults);
  cli::check_options(command);
}

// Whether the reads are pairs, each call says.
cli::Command map_command(cli::MapArguments& arguments) {
  cli::Command command = cli::map_rules(arguments);
  command.settings = [&](const cli::Command&) { return cli::preset_settings(arguments.preset, true); };
  command.changed.insert("MATES");
  return command;
}

}  // namespace

cli::MapArguments map_arguments(const Options& options) {
  cli::MapArguments arguments;
  cli::Command command = map_command(arguments);
  give(command, options, false);
  if (!arguments.unmapped_file.empty()) {
    throw UsageError("the option unmapped: keep or drop; in the library, the caller writes files of reads");
  }
  if (arguments.rules.damage.estimated) {
    throw UsageError("the option damage: auto reads ahead, which the library does not do; give rates: 0.3,0.3,0.01");
  }
  return arguments;
}

cli::ScanArguments scan_arguments(const Options& options) {
  cli::ScanArguments arguments;
  cli::Command command{.name = "scan"};
  command.options = cli::scan_table(arguments);
  give(command, options, true);
  return arguments;
}

}  // namespace trawl::api

namespace trawl::inline v0 {

std::vector<OptionInfo> option_table(std::string_view command) {
  cli::MapArguments map;
  cli::ScanArguments scan;
  const bool scans = command == "scan";
  if (!scans && command != "map") {
    throw UsageError("option_table(): '" + std::string(command) + "' is neither map nor scan");
  }
  std::vector<OptionInfo> table;
  for (const cli::Option& option : scans ? cli::scan_table(scan) : cli::map_table(map)) {
    if (api::is_taken(option, scans) && !option.is_hidden) {
      const std::string text = cli::text_of(option);
      table.push_back({api::without_dashes(option.name()), option.value_name(),
                       option.default_text.empty() ? text : option.default_text, option.help, option.to.words});
    }
  }
  return table;
}

}  // namespace trawl::inline v0
