#include "cli/options/parse.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <sstream>

namespace trawl::cli {

namespace {

// An option of other programs such as -tc, which CLI11 would take for -t with the value c.
bool is_long_with_one_dash(const Option& option) {
  return !option.instead.empty() && option.names.size() > 2 && option.names[1] != '-';
}

void declare(CLI::App& app, const Option& option) {
  const std::string name = option.name();
  if (is_long_with_one_dash(option)) {
    return;
  }
  if (!option.instead.empty()) {
    // Takes a value, so that the message is about this option, not about the word after it.
    app.add_option_function<std::string>(
        option.names, [&option, name](const std::string&) { throw CLI::ValidationError(name, option.instead); });
    return;
  }
  if (option.is_flag()) {
    app.add_flag(option.names, *std::get<bool*>(option.to.pointer));
    return;
  }
  CLI::Option* const declared = app.add_option(option.names, [&option, name](const CLI::results_t& values) {
    for (const std::string& value : values) {
      if (const std::string wrong = set(option, value); !wrong.empty()) {
        throw CLI::ValidationError(name, wrong);
      }
    }
    return true;
  });
  declared->type_name(option.value_name())->required(option.required);
  if (option.may_repeat) {
    declared->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args(false);
  }
}

// -h shows the most used options, if the command names some, and --help all.
void set_help(CLI::App& app, const Command& command) {
  if (command.has_most_used()) {
    app.set_help_flag("-h", "");
    app.set_help_all_flag("--help", "");
  } else {
    app.set_help_flag();
    app.set_help_all_flag("-h,--help", "");
  }
}

// Rewrites a message of CLI11 such as "--max-edits: what is wrong" in this program's words, with all names of the
// option.
std::string wrong_option(const std::string& message, const Command& command) {
  // "Could not convert: --eqx = yes"
  constexpr std::string_view kConvert = "Could not convert: ";
  if (const std::size_t equals = message.find(" = "); message.starts_with(kConvert) && equals < message.size()) {
    const std::string name = message.substr(kConvert.size(), equals - kConvert.size());
    const Option* const flag = command.find(name);
    if (flag != nullptr && flag->is_flag()) {
      return name + ": takes no value, but '" + message.substr(equals + 3) + "' was given";
    }
  }
  const std::size_t colon = message.find(": ");
  const Option* const option = colon < message.size() ? command.find(message.substr(0, colon)) : nullptr;
  if (option == nullptr) {
    return message;
  }
  std::string what = message.substr(colon);
  if (!option->instead.empty()) {
    return option->name() + ": " + option->instead;  // also if nothing follows it
  }
  if (what.ends_with(" missing")) {
    what = ": a value is missing after it";
  } else if (what.starts_with(": At Most 1 required")) {
    what = ": given more than once";
  }
  return option->names + what;
}

std::vector<std::string> option_names(const Command* command) {
  std::vector<std::string> names{"--help"};
  if (command == nullptr) {
    names.insert(names.end(), {"--version", "--cite"});
  } else {
    for (const Option& option : command->options) {
      if (!option.is_argument() && !option.is_hidden && option.instead.empty()) {
        names.push_back(option.long_name());
      }
    }
  }
  return names;
}

// The error message. It names the unknown option or command, not the words that were left over because of it.
std::string wrong_usage(const CLI::ParseError& error, const Program& program, const Command* chosen, int argc,
                        char** argv) {
  if (chosen == nullptr && argc > 1 && argv[1][0] != '-') {
    const std::string word = argv[1];
    std::vector<std::string> names;
    for (const Command& command : program.commands) {
      names.push_back(command.name);
    }
    return "there is no command '" + word + "'" + did_you_mean(word, names);
  }
  // Where a value is missing, the first option of another program explains more. -1, -3 may be wrong values.
  const bool misses_value = chosen != nullptr && dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr;
  for (int i = 2; misses_value && i < argc; ++i) {
    const Option* const option = chosen->find(argv[i]);
    if (option != nullptr && !option->instead.empty() && (argv[i][1] < '0' || argv[i][1] > '9')) {
      return option->name() + ": " + option->instead;
    }
  }
  // Without a command, CLI11 misses the command first.
  const bool is_first = chosen == nullptr && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && argc > 1;
  if (is_first || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    std::istringstream words{is_first ? std::string(argv[1]) : std::string(error.what())};
    for (std::string word; words >> word;) {
      if (word.size() > 1 && word[0] == '-') {
        const std::string name = word.substr(0, word.find('='));
        return "there is no option " + word + did_you_mean(name, option_names(chosen));
      }
    }
    if (chosen != nullptr && chosen->about_extra_words) {
      return std::string(error.what()) + "; " + chosen->about_extra_words(error.what());
    }
  }
  return chosen != nullptr ? wrong_option(error.what(), *chosen) : error.what();
}

}  // namespace

ParsedLine parse(Program& program, int argc, char** argv) {
  CLI::App app(program.description, program.name);
  app.set_help_flag("-h,--help");
  app.set_version_flag("-v,--version", "");
  bool wants_citation = false;
  app.add_flag_callback("--cite", [&] {
    wants_citation = true;
    throw CLI::CallForVersion("", 0);
  });
  app.require_subcommand(1);
  std::vector<CLI::App*> apps;
  std::map<std::string, std::vector<std::string>> defaults;
  for (Command& command : program.commands) {
    CLI::App* const one = apps.emplace_back(app.add_subcommand(command.name));
    set_help(*one, command);
    for (const Option& option : command.options) {
      declare(*one, option);
      defaults[command.name].push_back(text_of(option));
    }
  }
  Command* chosen = nullptr;
  CLI::App* chosen_app = nullptr;
  for (Command& command : program.commands) {
    for (int i = 2; i < argc && command.name == argv[1]; ++i) {
      const Option* const option = command.find(argv[i]);
      if (option != nullptr && is_long_with_one_dash(*option)) {
        throw WrongCommandLine(option->names + ": " + option->instead, &command);
      }
    }
  }
  const auto find_chosen = [&] {
    for (std::size_t i = 0; i < apps.size(); ++i) {
      if (apps[i]->parsed()) {
        chosen = &program.commands[i];
        chosen_app = apps[i];
      }
    }
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForAllHelp&) {
    find_chosen();
    return {ParsedLine::full_help, chosen};
  } catch (const CLI::CallForHelp&) {
    find_chosen();
    return {chosen == nullptr ? ParsedLine::full_help : ParsedLine::short_help, chosen};
  } catch (const CLI::CallForVersion&) {
    return {wants_citation ? ParsedLine::cite : ParsedLine::show_version, nullptr};
  } catch (const CLI::ParseError& error) {
    find_chosen();
    throw WrongCommandLine(wrong_usage(error, program, chosen, argc, argv), chosen);
  } catch (const UsageError& error) {  // what a value of a type of its own says
    find_chosen();
    throw WrongCommandLine(error.what(), chosen, false);
  }
  find_chosen();
  for (const Option& option : chosen->options) {
    if (!is_long_with_one_dash(option) &&
        chosen_app->get_option(option.is_argument() ? option.names : option.name())->count() > 0) {
      chosen->given.insert(option.name());
    }
  }
  finish_given(*chosen, defaults[chosen->name]);
  return {ParsedLine::work, chosen};
}

std::string parser_version() { return CLI11_VERSION; }

}  // namespace trawl::cli
