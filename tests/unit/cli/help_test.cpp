// Help, man pages and completions, made from the tables of options.
#include "cli/help/help_text.hpp"
#include "cli/options/map_options.hpp"
#include "tests/catch.hpp"

using namespace trawl;
using namespace trawl::cli;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Program small_program() {
  static bool quick = false;
  static std::string file, form = "long";
  Command command{.name = "do", .description = "Does it"};
  command.options = {
      {.names = "IN", .to = &file, .help = "What goes in", .required = true, .is_path = true},
      {.names = "-q,--quick", .to = &quick, .help = "Does it at once", .is_most_used = true},
      {.names = "--form", .to = choice(&form, {"long", "short"}), .help = "How it looks", .group = "Looks"},
      {.names = "--secret", .to = &quick, .help = "Not for users", .is_hidden = true},
      {.names = "--former", .instead = "it is --quick now"}};
  command.footer = "Examples:\n  tool do x\n      does x\n";
  Program program{.name = "tool", .description = "a tool"};
  program.commands.push_back(command);
  return program;
}

}  // namespace

TEST_CASE("help, short and long") {
  const Program program = small_program();
  const CommandOutline outline = outline_of(program.commands[0], program);
  REQUIRE(outline.usage() == "tool do [OPTIONS] IN");
  const std::string all = help_text(outline, HelpLength::all), few = help_text(outline, HelpLength::most_used);
  for (const std::string& text : {all, few}) {
    REQUIRE(has(text, "-q, --quick"));
    REQUIRE_FALSE(has(text, "--secret"));
    REQUIRE_FALSE(has(text, "--former"));
  }
  REQUIRE(has(all, "--form long|short"));
  REQUIRE(has(all, "[long]"));
  REQUIRE(has(all, "Looks"));
  REQUIRE(has(all, "does x"));
  REQUIRE_FALSE(has(few, "--form"));
}

TEST_CASE("every line of the help of trawl map fits the terminal") {
  MapArguments arguments;
  Program program{.name = "trawl"};
  program.commands.push_back(map_rules(arguments));
  const std::string text = help_text(outline_of(program.commands[0], program), HelpLength::all);
  std::size_t longest = 0;
  for (const std::string& line : split(text, '\n')) {
    longest = std::max(longest, line.size());
  }
  REQUIRE(longest <= kHelpWidth);
  REQUIRE(longest > kHelpWidth - 20);
}

TEST_CASE("man pages and completions know the same options") {
  const CommandOutline program = outline_of(small_program());
  const std::string man = man_page(program.commands[0], {});
  REQUIRE(man_page_name(program.commands[0]) == "tool-do");
  REQUIRE(has(man, "\\-\\-quick"));
  REQUIRE_FALSE(has(man, "secret"));
  for (const std::string& text : {bash_completion(program), zsh_completion(program), fish_completion(program)}) {
    REQUIRE(has(text, "quick"));
    REQUIRE(has(text, "long"));
    REQUIRE(has(text, "short"));
    REQUIRE_FALSE(has(text, "secret"));
    REQUIRE_FALSE(has(text, "former"));
  }
}

TEST_CASE("text is wrapped at words") {
  REQUIRE(wrapped("one two three", 7) == std::vector<std::string>{"one two", "three"});
  REQUIRE(wrapped("", 7) == std::vector<std::string>{""});
  REQUIRE(wrapped("toolongaword a", 7) == std::vector<std::string>{"toolongaword", "a"});
}
