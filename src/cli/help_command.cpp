#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/commands.hpp"
#include "cli/help/help_text.hpp"
#include "cli/help/outline.hpp"
#include "cli/program.hpp"

namespace trawl::cli {

namespace {

struct HelpArguments {
  std::string command;
  std::string completion;
  bool man = false;
  bool table = false;
  std::string folder;
};

constexpr const char* kHelpExamples = R"(
Examples:
  trawl help map
  trawl help --man map | man -l -
  trawl help --completion bash > ~/.local/share/bash-completion/completions/trawl
  trawl help --completion zsh > ~/.zfunc/_trawl
      if ~/.zfunc is in $fpath
  trawl help --completion fish > ~/.config/fish/completions/trawl.fish
)";

std::vector<CommandOutline> pages_of(const CommandOutline& program) {
  std::vector<CommandOutline> pages{program};
  pages.insert(pages.end(), program.commands.begin(), program.commands.end());
  return pages;
}

std::string page_of(const CommandOutline& command, const CommandOutline& program) {
  std::vector<std::string> others;
  for (const CommandOutline& one : pages_of(program)) {
    if (one.full_name != command.full_name) {
      others.push_back(man_page_name(one));
    }
  }
  return man_page(command, others);
}

const CommandOutline* find_page(const CommandOutline& program, const std::string& name) {
  const auto found = std::find_if(program.commands.begin(), program.commands.end(),
                                  [&](const CommandOutline& command) { return command.name == name; });
  return &*found;
}

std::string completion(const CommandOutline& program, const std::string& shell) {
  return shell == "bash"  ? bash_completion(program)
         : shell == "zsh" ? zsh_completion(program)
                          : fish_completion(program);
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  if (!(file << text) || !file.flush()) {
    throw IoError(path.string(), "cannot be written");
  }
}

void write_all(const CommandOutline& program, const std::filesystem::path& folder) {
  for (const CommandOutline& page : pages_of(program)) {
    write(folder / "man" / (man_page_name(page) + ".1"), page_of(page, program));
  }
  if (program.full_name == "trawl") {
    write(folder / "bash" / "trawl", bash_completion(program));
    write(folder / "zsh" / "_trawl", zsh_completion(program));
    write(folder / "fish" / "trawl.fish", fish_completion(program));
  }
}

// Marks what is typed as code: "give `--clip`, or `.bam`".
std::string with_code(const std::string& text) {
  std::string marked;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t end = word.find_last_not_of(",;:)") + 1;
    const bool is_option = word.size() > 1 && word[0] == '-' && std::isalpha(static_cast<unsigned char>(word[end - 1]));
    const bool is_file_name = word.size() > 1 && word[0] == '.';
    marked += marked.empty() ? "" : " ";
    marked += is_option || is_file_name || word == "-" ? '`' + word.substr(0, end) + '`' + word.substr(end) : word;
  }
  return marked;
}

// For a cell of a table in Markdown.
std::string cell(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    escaped += c == '|' ? "\\|" : std::string(1, c);
  }
  return escaped;
}

std::string row(const OptionOutline& option) {
  std::string names = "`" + option.name + option.short_name;
  names += option.short_name.empty() || option.long_name.empty() ? "" : "`, `";
  names += option.long_name + (option.value.empty() ? "" : " " + option.value) + "`";
  return "| " + cell(names) + " | " + (option.default_value.empty() ? "" : "`" + option.default_value + "`") + " | " +
         cell(with_code(option.description)) + " |\n";
}

// The options as a table in Markdown, for the documents.
std::string options_table(const CommandOutline& command) {
  std::string text = "| option | default | meaning |\n|---|---|---|\n";
  const auto add = [&](const std::string& title, const std::vector<OptionOutline>& options) {
    text += "| **" + title + "** | | |\n";
    for (const OptionOutline& option : options) {
      text += row(option);
    }
  };
  add("Arguments", command.arguments);
  for (const SectionOutline& section : command.sections) {
    if (section.title != kHelpGroup) {
      add(section.title, section.options);
    }
  }
  return text;
}

void run_help(const Program& app, const HelpArguments& arguments) {
  const CommandOutline program = outline_of(app);
  if (!arguments.folder.empty()) {
    write_all(program, arguments.folder);
    return;
  }
  if (!arguments.completion.empty()) {
    std::cout << completion(program, arguments.completion);
    return;
  }
  const CommandOutline command = arguments.command.empty() ? program : *find_page(program, arguments.command);
  if (arguments.table) {
    std::cout << options_table(command);
    return;
  }
  std::cout << (arguments.man ? page_of(command, program) : help_text(command, HelpLength::all));
}

}  // namespace

Command help_command(const Program& program) {
  const auto arguments = std::make_shared<HelpArguments>();
  Command command{.name = "help", .description = "Help about a command; man pages and completions"};
  std::vector<std::string> names;
  for (const Command& one : program.commands) {
    names.push_back(one.name);
  }
  names.push_back(command.name);
  command.options = {{.names = "COMMAND",
                      .to = choice(&arguments->command, names),
                      .help = "The command; without one, help about the program"},
                     {.names = "--man", .to = &arguments->man, .help = "As a man page"}};
  if (program.name == "trawl") {
    command.options.push_back({.names = "--completion",
                               .to = choice(&arguments->completion, {"bash", "zsh", "fish"}),
                               .help = "Completion of the command line for this shell"});
    command.options.push_back({.names = "--table",
                               .to = &arguments->table,
                               .help = "The options of the command as a table for the documents",
                               .is_hidden = true});
    command.footer = kHelpExamples;
  }
  command.options.push_back({.names = "--write-all", .to = &arguments->folder, .is_path = true, .is_hidden = true});
  command.work = [&program, arguments](const Command&, session::CommandRun&) { run_help(program, *arguments); };
  return command;
}

}  // namespace trawl::cli
