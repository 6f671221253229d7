#include "cli/help/outline.hpp"

#include <algorithm>

namespace trawl::cli {

namespace {

// Words such as auto|cuda|cpu, but not N|N%.
bool is_choice(const std::string& value) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '|'; };
  return value.find('|') != value.npos && std::all_of(value.begin(), value.end(), is_letter);
}

OptionOutline outline_of(const Option& option) {
  OptionOutline outline;
  outline.description = option.help;
  outline.words = option.to.words;
  if (option.is_argument()) {
    outline.name = option.names;
    outline.required = option.required;
    outline.takes_file = option.to.words.empty();
    return outline;
  }
  outline.short_name = option.short_name();
  outline.long_name = option.long_name();
  outline.value = option.value_name();
  if (outline.words.empty() && is_choice(outline.value)) {
    outline.words = split(outline.value, '|');
  }
  outline.takes_file = option.is_path;
  if (!option.is_flag() && !option.required) {
    outline.default_value = !option.default_text.empty() ? option.default_text : text_of(option);
  }
  return outline;
}

OptionOutline help_option(const char* short_name, const char* long_name, const char* description) {
  OptionOutline option;
  option.short_name = short_name;
  option.long_name = long_name;
  option.description = description;
  return option;
}

SectionOutline help_section(const Command& command) {
  if (command.has_most_used()) {
    return {kHelpGroup, {help_option("-h", "--help", "Show the most used options (-h), or all (--help)")}};
  }
  return {kHelpGroup, {help_option("-h", "--help", "Show this help")}};
}

std::string without_first_lines(std::string footer) {
  footer.erase(0, footer.find_first_not_of('\n'));
  return footer;
}

}  // namespace

std::string OptionOutline::names() const {
  return name + short_name + (short_name.empty() || long_name.empty() ? "" : ", ") + long_name;
}

std::string CommandOutline::usage() const {
  std::string text = full_name + (commands.empty() ? " [OPTIONS]" : " COMMAND");
  for (const OptionOutline& argument : arguments) {
    text += argument.required ? " " + argument.name : " [" + argument.name + "]";
  }
  return text + (commands.empty() ? "" : " ...");
}

bool CommandOutline::has_most_used() const {
  return std::any_of(sections.begin(), sections.end(), [](const auto& s) { return s.title == kMostUsedGroup; });
}

CommandOutline outline_of(const Command& command, const Program& program) {
  CommandOutline outline;
  outline.name = command.name;
  outline.full_name = program.name + " " + command.name;
  outline.description = command.description;
  outline.footer = without_first_lines(command.footer);
  for (const Option& option : command.options) {
    if (option.is_hidden || !option.instead.empty()) {
      continue;
    }
    if (option.is_argument()) {
      outline.arguments.push_back(outline_of(option));
      continue;
    }
    const std::string title = option.is_most_used ? kMostUsedGroup : option.group.empty() ? kOtherGroup : option.group;
    auto& sections = outline.sections;
    auto section =
        std::find_if(sections.begin(), sections.end(), [&](const SectionOutline& s) { return s.title == title; });
    if (section == sections.end()) {
      // The most used options are the first.
      section = sections.insert(option.is_most_used ? sections.begin() : sections.end(), SectionOutline{title, {}});
    }
    section->options.push_back(outline_of(option));
  }
  outline.sections.push_back(help_section(command));
  return outline;
}

CommandOutline outline_of(const Program& program) {
  CommandOutline outline;
  outline.name = outline.full_name = program.name;
  outline.description = program.description;
  outline.footer = without_first_lines(program.footer);
  outline.sections = {
      {kOtherGroup,
       {help_option("-h", "--help", "Show this help"), help_option("-v", "--version", "Show the version"),
        help_option("", "--cite", "Show how to cite Trawl")}}};
  for (const Command& command : program.commands) {
    outline.commands.push_back(outline_of(command, program));
  }
  return outline;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (const std::string& word : split(text, ' ')) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) {
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

}  // namespace trawl::cli
