#include "cli/help/help_text.hpp"

#include <sstream>
#include <utility>

namespace trawl::cli {

namespace {

constexpr std::size_t kIndent = 2;
constexpr std::size_t kTextColumn = 26;

// "  NAME       what it is, in several lines"
void append_entry(std::string& text, const std::string& name, const std::string& description) {
  std::string line = std::string(kIndent, ' ') + name;
  if (line.size() + 2 > kTextColumn) {
    text += line + '\n';
    line.clear();
  }
  for (const std::string& part : wrapped(description, kHelpWidth - kTextColumn)) {
    line.resize(kTextColumn, ' ');
    text += line + part + '\n';
    line.clear();
  }
}

void append_options(std::string& text, const std::string& title, const std::vector<OptionOutline>& options) {
  if (options.empty()) {
    return;
  }
  text += '\n' + title + ":\n";
  for (const OptionOutline& option : options) {
    const bool is_only_long = option.name.empty() && option.short_name.empty();
    const std::string names = (is_only_long ? "    " : "") + option.names();
    append_entry(text, names + (option.value.empty() ? "" : " " + option.value),
                 option.description + (option.default_value.empty() ? "" : " [" + option.default_value + "]"));
  }
}

// Prose in lines of the usual length; lines that begin with a blank as they are.
void append_footer_lines(std::string& text, const std::string& footer) {
  std::string paragraph;
  const auto end_paragraph = [&] {
    for (const std::string& line : wrapped(std::exchange(paragraph, ""), kHelpWidth)) {
      text += line.empty() ? "" : line + '\n';
    }
  };
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == ' ') {
      end_paragraph();
      text += line + '\n';
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + line;
    }
  }
  end_paragraph();
}

}  // namespace

std::string help_text(const CommandOutline& command, HelpLength length) {
  std::string text;
  for (const std::string& line : wrapped(command.full_name + ": " + command.description, kHelpWidth)) {
    text += line + '\n';
  }
  text += "\nUsage: " + command.usage() + '\n';
  if (!command.commands.empty()) {
    text += "\nCommands:\n";
    for (const CommandOutline& one : command.commands) {
      append_entry(text, one.name, one.description);
    }
  }
  append_options(text, "Arguments", command.arguments);
  std::size_t left_out = 0;
  for (const SectionOutline& section : command.sections) {
    if (length == HelpLength::most_used && command.has_most_used() && section.title != kMostUsedGroup) {
      left_out += section.title == kHelpGroup ? 0 : section.options.size();
      continue;
    }
    append_options(text, section.title, section.options);
  }
  if (left_out > 0) {
    text += "\n--help shows " + std::to_string(left_out) + " more options.\n";
  }
  if (!command.footer.empty()) {
    text += '\n';
    append_footer_lines(text, command.footer);
  }
  return text;
}

}  // namespace trawl::cli
