#include "cli/help/outline.hpp"

#include <algorithm>
#include <sstream>

namespace trawl::cli {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

// Words such as auto|cuda|cpu, but not N|N%.
bool is_choice(const std::string& type) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || c == '|'; };
  return type.find('|') != type.npos && std::all_of(type.begin(), type.end(), is_letter);
}

// CLI11 writes the words of CLI::IsMember after the type: "TEXT:{auto,cpu}".
void set_type(OptionOutline& option, const std::string& type) {
  const std::size_t words = type.find(":{");
  option.value = type.substr(0, words);
  if (words != type.npos) {
    option.words = split(type.substr(words + 2, type.find('}', words) - words - 2), ',');
  } else if (is_choice(option.value)) {
    option.words = split(option.value, '|');
  }
  if (option.value == "TEXT" && !option.words.empty()) {
    option.value.clear();
    for (const std::string& word : option.words) {
      option.value += (option.value.empty() ? "" : "|") + word;
    }
  }
  option.takes_file = option.value.find("FILE") != option.value.npos || option.value.find(".json") != option.value.npos;
}

OptionOutline outline_of(const CLI::Option& option) {
  OptionOutline outline;
  outline.description = option.get_description();
  if (option.get_positional()) {
    outline.name = option.get_name(true);
    outline.required = option.get_required();
    set_type(outline, option.get_type_name());
    outline.value.clear();
    outline.takes_file = outline.words.empty();
    return outline;
  }
  if (!option.get_snames().empty()) {
    outline.short_name = "-" + option.get_snames().front();
  }
  if (!option.get_lnames().empty()) {
    outline.long_name = "--" + option.get_lnames().front();
  }
  if (option.get_expected_max() > 0) {
    set_type(outline, option.get_type_name());
    outline.default_value = option.get_default_str();
  }
  return outline;
}

}  // namespace

void set_most_used(CLI::App& command, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    command.get_option(name)->group(kMostUsedGroup);
  }
}

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

CommandOutline outline_of(const CLI::App& command) {
  CommandOutline outline;
  outline.name = command.get_name();
  outline.full_name = (command.get_parent() != nullptr ? command.get_parent()->get_name() + " " : "") + outline.name;
  outline.description = command.get_description();
  outline.footer = command.get_footer();
  while (outline.footer.starts_with('\n')) {
    outline.footer.erase(0, 1);
  }
  for (const CLI::Option* option : command.get_options([](const CLI::Option*) { return true; })) {
    if (option->get_group().empty()) {
      continue;
    }
    OptionOutline one = outline_of(*option);
    if (!one.name.empty()) {
      outline.arguments.push_back(std::move(one));
      continue;
    }
    auto& sections = outline.sections;
    auto section = std::find_if(sections.begin(), sections.end(),
                                [&](const SectionOutline& s) { return s.title == option->get_group(); });
    if (section == sections.end()) {
      section = sections.insert(section, SectionOutline{option->get_group(), {}});
    }
    section->options.push_back(std::move(one));
  }
  const auto rank = [](const SectionOutline& s) {
    return s.title == kMostUsedGroup ? 0 : s.title == kHelpGroup ? 2 : 1;
  };
  std::stable_sort(outline.sections.begin(), outline.sections.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (!one->get_group().empty()) {
      outline.commands.push_back(outline_of(*one));
    }
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
