#include <vector>

#include "cli/help/help_text.hpp"

namespace trawl::cli {

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::vector<OptionOutline> all_options(const CommandOutline& command) {
  std::vector<OptionOutline> all;
  for (const SectionOutline& section : command.sections) {
    all.insert(all.end(), section.options.begin(), section.options.end());
  }
  return all;
}

std::vector<std::string> names_of(const OptionOutline& option) {
  std::vector<std::string> names;
  for (const std::string& name : {option.short_name, option.long_name}) {
    if (!name.empty()) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> names_of(const std::vector<OptionOutline>& options) {
  std::vector<std::string> names;
  for (const OptionOutline& option : options) {
    for (const std::string& name : names_of(option)) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> names_of(const std::vector<CommandOutline>& commands) {
  std::vector<std::string> names;
  for (const CommandOutline& command : commands) {
    names.push_back(command.name);
  }
  return names;
}

// The words that the arguments of a command can be; empty: files.
std::string argument_words(const CommandOutline& command) {
  return command.arguments.empty() ? "" : joined(command.arguments.front().words, " ");
}

// --- bash ---

std::string bash_words(const std::string& words) { return "COMPREPLY=($(compgen -W '" + words + "' -- \"$current\"))"; }

std::string bash_command(const CommandOutline& command) {
  const std::vector<OptionOutline> options = all_options(command);
  std::string text = "    " + command.name + ")\n";
  std::string cases;
  for (const OptionOutline& option : options) {
    if (option.value.empty()) {
      continue;
    }
    cases += "        " + joined(names_of(option), "|") + ") ";
    cases += !option.words.empty() ? "compopt +o default; " + bash_words(joined(option.words, " "))
             : option.takes_file   ? ":"
                                   : "compopt +o default";
    cases += "; return ;;\n";
  }
  text += cases.empty() ? "" : "      case $previous in\n" + cases + "      esac\n";
  text += "      if [[ $current == -* ]]; then\n        compopt +o default; " +
          bash_words(joined(names_of(options), " ")) + "\n";
  const std::string words = argument_words(command);
  text += words.empty() ? "" : "      else\n        compopt +o default; " + bash_words(words) + "\n";
  return text + "      fi\n      ;;\n";
}

// --- zsh ---

// In single quotes.
std::string zsh_text(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"}) {
    text = replaced(text, special, std::string("\\") + special);
  }
  return replaced(text, "'", "'\\''");
}

std::string zsh_option(const OptionOutline& option) {
  std::string text = "          ";
  const std::vector<std::string> names = names_of(option);
  const bool has_value = !option.value.empty();
  if (names.size() == 2) {
    text += "'(" + joined(names, " ") + ")'{" + names[0] + (has_value ? "+," : ",") + names[1] +
            (has_value ? "=" : "") + "}'";
  } else {
    text += "'" + names[0] + (has_value ? option.long_name.empty() ? "+" : "=" : "");
  }
  text += "[" + zsh_text(option.description) + "]";
  if (has_value) {
    text += ":" + zsh_text(option.value) + ":";
    text += !option.words.empty() ? "(" + joined(option.words, " ") + ")" : option.takes_file ? "_files" : " ";
  }
  return text + "' \\\n";
}

std::string zsh_command(const CommandOutline& command) {
  std::string text = "        " + command.name + ")\n        _arguments \\\n";
  for (const OptionOutline& option : all_options(command)) {
    text += zsh_option(option);
  }
  const std::string words = argument_words(command);
  return text + "          '*:argument:" + (words.empty() ? "_files" : "(" + words + ")") + "'\n        ;;\n";
}

// --- fish ---

std::string fish_text(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_option(const OptionOutline& option, const std::string& condition) {
  std::string text = "complete -c trawl -n " + condition;
  text += option.short_name.empty() ? "" : " -s " + option.short_name.substr(1);
  text += option.long_name.empty() ? "" : " -l " + option.long_name.substr(2);
  if (!option.words.empty()) {
    text += " -x -a " + fish_text(joined(option.words, " "));
  } else if (!option.value.empty()) {
    text += option.takes_file ? " -r -F" : " -x";
  }
  return text + " -d " + fish_text(option.description) + '\n';
}

}  // namespace

std::string bash_completion(const CommandOutline& program) {
  std::string text =
      "# Completion of trawl in bash.\n"
      "_trawl() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  # In --report=all, bash takes = for a word.\n"
      "  if [[ $current == = ]]; then\n    current=\n"
      "  elif [[ $previous == = ]]; then\n    previous=${COMP_WORDS[COMP_CWORD-2]}\n  fi\n"
      "  COMPREPLY=()\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n    compopt +o default; ";
  text += bash_words(joined(names_of(program.commands), " ") + " " + joined(names_of(all_options(program)), " "));
  text += "\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const CommandOutline& command : program.commands) {
    text += bash_command(command);
  }
  // Where nothing is found, -o default gives file names.
  return text + "  esac\n}\ncomplete -o default -F _trawl trawl\n";
}

std::string zsh_completion(const CommandOutline& program) {
  std::string text =
      "#compdef trawl\n"
      "# Completion of trawl in zsh.\n"
      "_trawl() {\n"
      "  local context state state_descr line\n"
      "  typeset -A opt_args\n"
      "  _arguments -C \\\n";
  for (const OptionOutline& option : all_options(program)) {
    text += zsh_option(option);
  }
  text +=
      "    '1:command:->command' '*::argument:->argument'\n  case $state in\n    command)\n      local -a commands=(\n";
  for (const CommandOutline& command : program.commands) {
    text += "        '" + command.name + ":" + zsh_text(command.description) + "'\n";
  }
  text += "      )\n      _describe command commands\n      ;;\n    argument)\n      case $words[1] in\n";
  for (const CommandOutline& command : program.commands) {
    text += zsh_command(command);
  }
  return text + "      esac\n      ;;\n  esac\n}\n_trawl \"$@\"\n";
}

std::string fish_completion(const CommandOutline& program) {
  std::string text = "# Completion of trawl in fish.\n";
  for (const CommandOutline& command : program.commands) {
    text += "complete -c trawl -n __fish_use_subcommand -f -a " + command.name + " -d " +
            fish_text(command.description) + '\n';
  }
  for (const OptionOutline& option : all_options(program)) {
    text += fish_option(option, "__fish_use_subcommand");
  }
  for (const CommandOutline& command : program.commands) {
    const std::string condition = "'__fish_seen_subcommand_from " + command.name + "'";
    if (const std::string words = argument_words(command); !words.empty()) {
      text += "complete -c trawl -n " + condition + " -f -a " + fish_text(words) + '\n';
    }
    for (const OptionOutline& option : all_options(command)) {
      text += fish_option(option, condition);
    }
  }
  return text;
}

}  // namespace trawl::cli
