#include <algorithm>
#include <cctype>
#include <sstream>

#include "base/version.hpp"
#include "cli/help/citation.hpp"
#include "cli/help/help_text.hpp"

namespace trawl::cli {

namespace {

// Letters that roff would read as commands, or show as others. A word that begins with a dot may come first in a line.
std::string escaped(const std::string& text) {
  std::string result;
  char last = ' ';
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += last == ' ' && c == '.' ? "\\&." : std::string(1, c);
    }
    last = c;
  }
  return result;
}

// In lines of the usual length.
std::string filled(const std::string& escaped_text) {
  std::string lines;
  for (const std::string& line : wrapped(escaped_text, 78)) {
    lines += line + '\n';
  }
  return lines;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

// Sentences end in full stops here.
std::string sentence(const std::string& text) {
  return escaped(text) + (text.ends_with('.') || text.empty() ? "" : ".");
}

void append_options(std::string& page, const std::vector<OptionOutline>& options) {
  for (const OptionOutline& option : options) {
    page += ".TP\n";
    page += option.short_name.empty() ? "" : bold(option.short_name);
    page += option.short_name.empty() || option.long_name.empty() ? "" : ", ";
    page += option.long_name.empty() ? "" : bold(option.long_name);
    page += option.name.empty() ? "" : italic(option.name);
    page += (option.value.empty() ? "" : " " + italic(option.value)) + '\n';
    page += filled(sentence(option.description) +
                   (option.default_value.empty() ? "" : " Default: " + escaped(option.default_value) + "."));
  }
}

// A line that ends with a colon is a heading; lines that begin with a blank stay as they are.
void append_footer(std::string& page, const std::string& footer) {
  std::istringstream lines(footer);
  bool is_example = false;
  bool begins = true;  // a paragraph, if it is one
  bool is_after_heading = false;
  const auto set_example = [&](bool wanted) {
    if (wanted != is_example) {
      page += wanted ? is_after_heading ? ".EX\n" : ".PP\n.EX\n" : ".EE\n";
      is_example = wanted;
      is_after_heading = false;
      begins = true;
    }
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      set_example(false);
      begins = true;
    } else if (line[0] == ' ') {
      set_example(true);
      page += escaped(line) + '\n';
    } else if (begins && line.back() == ':' && line.find(' ') == line.npos) {
      set_example(false);
      page += ".SH " + capitals(escaped(line.substr(0, line.size() - 1))) + '\n';
      is_after_heading = true;
    } else {
      set_example(false);
      page += (begins ? ".PP\n" : "") + filled(escaped(line));
      begins = false;
    }
  }
  set_example(false);
}

}  // namespace

std::string man_page_name(const CommandOutline& command) {
  std::string name = command.full_name;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string man_page(const CommandOutline& command, const std::vector<std::string>& see_also) {
  const std::string name = man_page_name(command);
  std::string page = ".TH " + capitals(escaped(name)) + " 1 " + kReleaseDate + " \"trawl " + version() +
                     "\" \"Trawl manual\"\n.SH NAME\n" +
                     filled(escaped(name) + " \\- " + escaped(command.description)) + ".SH SYNOPSIS\n" +
                     bold(command.full_name) + escaped(command.usage().substr(command.full_name.size())) + '\n';
  if (!command.commands.empty()) {
    page += ".SH COMMANDS\n";
    for (const CommandOutline& one : command.commands) {
      page += ".TP\n" + bold(one.name) + '\n' + filled(sentence(one.description));
    }
  }
  if (!command.arguments.empty()) {
    page += ".SH ARGUMENTS\n";
    append_options(page, command.arguments);
  }
  if (!command.sections.empty()) {
    page += ".SH OPTIONS\n";
    for (const SectionOutline& section : command.sections) {
      page += ".SS " + escaped(section.title) + '\n';
      append_options(page, section.options);
    }
  }
  append_footer(page, command.footer);
  if (!see_also.empty()) {
    page += ".SH SEE ALSO\n";
    for (std::size_t i = 0; i < see_also.size(); ++i) {
      page += bold(see_also[i]) + "(1)" + (i + 1 < see_also.size() ? ",\n" : "\n");
    }
  }
  return page;
}

}  // namespace trawl::cli
