#include "cli/help_command.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/help/completions.hpp"
#include "cli/help/help_text.hpp"
#include "cli/help/man_page.hpp"
#include "cli/help/outline.hpp"
#include "cli/validators.hpp"

namespace trawl::cli {

namespace {

struct HelpArguments {
  std::string command;
  std::string completion;
  bool man = false;
  std::string folder;
};

constexpr const char* kExamples = R"(
Examples:
  trawl help map
  trawl help --man map | man -l -
  trawl help --completion bash > ~/.local/share/bash-completion/completions/trawl
  trawl help --completion zsh > ~/.zfunc/_trawl
      if ~/.zfunc is in $fpath
  trawl help --completion fish > ~/.config/fish/completions/trawl.fish
)";

// The laboratory is a program of its own, which writes its own pages.
bool is_other_program(const CommandOutline& command) { return command.full_name == "trawl bench"; }

std::vector<CommandOutline> pages_of(const CommandOutline& program) {
  std::vector<CommandOutline> pages{program};
  for (const CommandOutline& command : program.commands) {
    if (!is_other_program(command)) {
      pages.push_back(command);
    }
  }
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

void run_help(const CLI::App& app, const HelpArguments& arguments) {
  const CommandOutline program = outline_of(app);
  if (!arguments.folder.empty()) {
    write_all(program, arguments.folder);
    return;
  }
  if (!arguments.completion.empty()) {
    std::cout << completion(program, arguments.completion);
    return;
  }
  const CommandOutline command =
      arguments.command.empty() ? program : outline_of(*app.get_subcommand(arguments.command));
  std::cout << (arguments.man ? page_of(command, program) : help_text(command, HelpLength::all));
}

}  // namespace

void add_help_command(CLI::App& app, Command& run) {
  auto* command = app.add_subcommand("help", "Help about a command; man pages and completions");
  std::vector<std::string> names;
  for (const CLI::App* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!one->get_group().empty()) {
      names.push_back(one->get_name());
    }
  }
  auto arguments = std::make_shared<HelpArguments>();
  command->add_option("COMMAND", arguments->command, "The command; without one, help about the program")
      ->check(CLI::IsMember(names));
  command->add_flag("--man", arguments->man, "As a man page");
  if (app.get_name() == "trawl") {
    add_choice(*command, "--completion", arguments->completion, "Completion of the command line for this shell",
               {"bash", "zsh", "fish"}, "Options");
    command->footer(kExamples);
  }
  command->add_option("--write-all", arguments->folder)->check(not_empty())->group("");
  command->callback([&app, &run, arguments] { run = on_first_rank([&app, arguments] { run_help(app, *arguments); }); });
}

}  // namespace trawl::cli
