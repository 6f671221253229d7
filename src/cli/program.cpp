#include "cli/program.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/machine_memory.hpp"
#include "base/packer.hpp"
#include "base/version.hpp"
#include "cli/engines.hpp"
#include "cli/help/citation.hpp"
#include "cli/help/help_text.hpp"
#include "cli/help/outline.hpp"
#include "cli/help/similar_names.hpp"
#include "cli/help_command.hpp"
#include "cli/signals.hpp"
#include "io/write/output_file.hpp"

namespace trawl::cli {

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

// Rewrites a message of CLI11 such as "--max-edits: what is wrong" in this program's words, with all names of the
// option.
std::string wrong_option(const std::string& message, const CLI::App& command) {
  // "Could not convert: --eqx = yes"
  constexpr std::string_view kConvert = "Could not convert: ";
  if (const std::size_t equals = message.find(" = "); message.starts_with(kConvert) && equals < message.size()) {
    const std::string name = message.substr(kConvert.size(), equals - kConvert.size());
    const CLI::Option* const flag = command.get_option_no_throw(name);
    if (flag != nullptr && flag->get_expected_max() == 0) {
      return name + ": takes no value, but '" + message.substr(equals + 3) + "' was given";
    }
  }
  const std::size_t colon = message.find(": ");
  const CLI::Option* option = colon < message.size() ? command.get_option_no_throw(message.substr(0, colon)) : nullptr;
  if (option == nullptr) {
    return message;
  }
  std::string what = message.substr(colon);
  if (what.ends_with(" missing")) {
    what = ": a value is missing after it";
  } else if (what.starts_with(": At Most 1 required")) {
    what = ": given more than once";
  }
  const std::string names = option->get_name(false, true);  // empty for an option that the help does not show
  return (names.empty() ? message.substr(0, colon) : names) + what;
}

// The options of a command, of those that the help shows.
std::vector<std::string> option_names(const CommandOutline& command) {
  std::vector<std::string> names;
  for (const SectionOutline& section : command.sections) {
    for (const OptionOutline& option : section.options) {
      names.push_back(option.long_name);
    }
  }
  return names;
}

std::vector<std::string> command_names(const CommandOutline& program) {
  std::vector<std::string> names;
  for (const CommandOutline& command : program.commands) {
    names.push_back(command.name);
  }
  return names;
}

// The error message. It names the unknown option or command, not the words that were left over because of it.
std::string wrong_usage(const CLI::ParseError& error, const CLI::App& app, const CLI::App* chosen, int argc,
                        char** argv, const NoCommand& no_command) {
  const std::string command = chosen != nullptr ? chosen->get_name() : "";
  if (command.empty() && argc > 1 && argv[1][0] != '-') {
    const std::string word = argv[1];
    const std::vector<std::string> names = command_names(outline_of(app));
    return "there is no command '" + word + "'" + (no_command ? no_command(word, names) : did_you_mean(word, names));
  }
  // Without a command, CLI11 misses the command first.
  const bool is_first = command.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (is_first || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::istringstream words{is_first ? std::string(argv[1]) : std::string(error.what())};
    for (std::string word; words >> word;) {
      if (word.size() > 1 && word[0] == '-') {
        const std::string name = word.substr(0, word.find('='));
        return "there is no option " + word +
               did_you_mean(name, option_names(outline_of(chosen != nullptr ? *chosen : app)));
      }
    }
    if (command == "map") {
      return std::string(error.what()) +
             "; READS and MATES are one list each: to give several files, put commas between them: a.fq,b.fq";
    }
  }
  return chosen != nullptr ? wrong_option(error.what(), *chosen) : error.what();
}

// Ranks that do not do the same work would wait for each other for ever, or write different records to one file.
void compare_programs(ranks::Cluster& cluster, int argc, char** argv) {
  Packer packer;
  for (int i = 1; i < argc; ++i) {
    packer.text(argv[i]);
  }
  cluster.compare(version(), "the version of this program", "start the same one everywhere");
  cluster.compare(packer.bytes(), "the command line", "give all ranks the same options");
}

// Whether a thread could not be started: std::thread says so, and oneTBB by its text alone.
bool is_of_threads(const std::exception& error) {
  const auto* const of_system = dynamic_cast<const std::system_error*>(&error);
  return (of_system != nullptr && of_system->code() == std::errc::resource_unavailable_try_again) ||
         std::string_view(error.what()).starts_with("pthread_create has failed");
}

std::string no_thread_text() {
  const std::string limit = memory_limit_text();
  return "a thread cannot be started" +
         (limit.empty() ? ": use fewer threads, or allow more of them (ulimit -u)" : limit);
}

// What end_here() says. Made before it is needed: there may be no memory then.
struct LastWords {
  std::string of_threads;
  std::string of_memory;
};
LastWords& last_words = *new LastWords;

// oneTBB starts threads, and takes memory, on threads of its own, where nothing catches the error. Other errors that
// nothing catches are faults of the program, and end it as usual.
[[noreturn]] void end_here() {
  static std::atomic_flag is_ending;
  if (is_ending.test_and_set()) {
    for (;;) {
      ::pause();
    }
  }
  const std::string* words = nullptr;
  try {
    if (const std::exception_ptr error = std::current_exception()) {
      std::rethrow_exception(error);
    }
  } catch (const std::bad_alloc&) {
    words = &last_words.of_memory;
  } catch (const std::exception& error) {
    words = is_of_threads(error) ? &last_words.of_threads : nullptr;
  } catch (...) {
  }
  if (words == nullptr) {
    std::abort();
  }
  error_is_said();
  io::remove_temporaries();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words->data(), words->size());
  std::_Exit(kFailed);
}

void end_with_message(const std::string& begin) {
  last_words.of_threads = begin + no_thread_text() + "\n";
  last_words.of_memory =
      begin + "not enough memory: use fewer threads, or a machine with more" + memory_limit_text() + "\n";
  std::set_terminate(end_here);
}

// How to cite Trawl, for people and as BibTeX.
std::string citation() {
  const std::string year = std::string(kReleaseDate).substr(0, 4);
  return std::string(kCitedAuthors) + " (" + year + "). " + kCitedTitle + ". Version " + version() +
         ".\n\n@software{trawl,\n  author  = {{" + kCitedAuthors + "}},\n  title   = {{" + kCitedTitle +
         "}},\n  version = {" + version() + "},\n  year    = {" + year + "}\n}";
}

// -h shows the most used options, if the command names some, and --help all.
void set_help_options(CLI::App& command) {
  if (outline_of(command).has_most_used()) {
    command.set_help_flag("-h", "Show the most used options")->group(kHelpGroup);
    command.set_help_all_flag("--help", "Show all options")->group(kHelpGroup);
  } else {
    command.set_help_flag("-h,--help", "Show this help")->group(kHelpGroup);
  }
}

}  // namespace

void prepare_program(CLI::App& app, const std::string& name, const std::string& commands) {
  add_engines();
  app.name(name);
  app.set_help_flag("-h,--help", "Show this help");
  app.set_version_flag("-v,--version", name + " " + version(), "Show the version");
  app.add_flag_callback(
      "--cite", [] { throw CLI::CallForVersion(citation(), 0); }, "Show how to cite Trawl");
  app.require_subcommand(1);
  app.footer(name + " " + commands +
             " --help tells more, with examples. The exit status is 0 if the work is done, 1 if the input or the "
             "machine failed, 2 if the command line is wrong.");
}

int run_program(CLI::App& app, Command& run, int argc, char** argv, const std::string& less_memory,
                const NoCommand& no_command) {
  add_help_command(app, run);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    set_help_options(*command);
  }
  const auto chosen = [&]() -> const CLI::App* {
    const auto all = app.get_subcommands();
    return all.empty() ? nullptr : all.front();
  };
  const auto full_name = [&] {
    return app.get_name() + (chosen() != nullptr ? " " + chosen()->get_name() : std::string());
  };
  std::optional<ranks::Cluster> cluster;
  const auto say = [&](const std::string& what) { std::cerr << full_name() + ": " + what + "\n"; };
  // Every rank finds the same error. The first one says it.
  const auto fail_everywhere = [&](const std::string& what, int status) {
    if (!cluster || cluster->is_first()) {
      say(what);
    }
    error_is_said();
    return status;
  };
  const auto fail = [&](const std::string& what, int status, bool names_rank = true) {
    say(!cluster || cluster->is_alone() || !names_rank ? what : cluster->name() + ": " + what);
    error_is_said();
    if (cluster) {
      cluster->abort(status);
    }
    return status;
  };
  try {
    cluster.emplace();
    compare_programs(*cluster, argc, argv);
    app.parse(argc, argv);
    end_with_message(full_name() + ": ");
    run(*cluster);
    return 0;
  } catch (const CLI::Success& success) {
    if (!cluster->is_first()) {
      return 0;
    }
    const bool is_short = dynamic_cast<const CLI::CallForHelp*>(&success) != nullptr;
    if (is_short || dynamic_cast<const CLI::CallForAllHelp*>(&success) != nullptr) {
      std::cout << help_text(outline_of(chosen() != nullptr ? *chosen() : app),
                             is_short ? HelpLength::most_used : HelpLength::all);
      return 0;
    }
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    if (argc == 1) {
      if (cluster->is_first()) {
        std::cerr << help_text(outline_of(app), HelpLength::most_used);
      }
      error_is_said();
      return kWrongUsage;
    }
    return fail_everywhere(
        wrong_usage(error, app, chosen(), argc, argv, no_command) + "\nRun '" + full_name() + " --help'.", kWrongUsage);
  } catch (const ranks::AgreedError& error) {
    return fail_everywhere(error.what(), error.status());
  } catch (const UsageError& error) {
    return fail(error.what(), kWrongUsage);
  } catch (const InputError& error) {
    return fail(error.what(), kFailed, false);  // whichever rank has found it
  } catch (const std::bad_alloc&) {
    return fail("not enough memory: use a machine with more, or " + less_memory + memory_limit_text(), kFailed);
  } catch (const std::exception& error) {
    return fail(is_of_threads(error) ? no_thread_text() : error.what(), kFailed);
  }
}

}  // namespace trawl::cli
