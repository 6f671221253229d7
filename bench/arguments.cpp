#include "bench/arguments.hpp"

#include <charconv>
#include <cstdio>
#include <exception>

namespace trawl::bench {

namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

}  // namespace

Arguments::Arguments(const std::vector<std::string>& words, const std::map<std::string, bool>& options) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_option(words[i])) {
      positional_.push_back(words[i]);
      continue;
    }
    const auto option = options.find(words[i]);
    if (option == options.end()) {
      throw WrongUsage("no such option: " + words[i]);
    }
    const bool takes_value = option->second;
    if (takes_value && i + 1 == words.size()) {
      throw WrongUsage(words[i] + " needs a value");
    }
    given_[option->first] = takes_value ? words[++i] : "";
  }
}

std::string Arguments::value(const std::string& option, const std::string& otherwise) const {
  const auto found = given_.find(option);
  return found == given_.end() ? otherwise : found->second;
}

std::uint64_t Arguments::integer(const std::string& option, std::uint64_t otherwise) const {
  return has(option) ? parse_integer(given_.at(option)) : otherwise;
}

double Arguments::number(const std::string& option, double otherwise) const {
  return has(option) ? parse_number(given_.at(option)) : otherwise;
}

std::uint64_t parse_integer(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) {
    throw WrongUsage("not a whole number: " + text);
  }
  return value;
}

std::pair<std::string, std::string> parse_two(const std::string& option, const std::string& text, char border) {
  const std::size_t at = text.find(border);
  if (at == std::string::npos) {
    throw WrongUsage(option + " takes A" + border + "B");
  }
  return {text.substr(0, at), text.substr(at + 1)};
}

Range parse_range(const std::string& option, const std::string& text) {
  const auto [first, last] = parse_two(option, text, '-');
  return {parse_integer(first), parse_integer(last)};
}

Orientation parse_orientation(const std::string& text) {
  const std::map<std::string, Orientation> known = {
      {"fr", Orientation::fr}, {"rf", Orientation::rf}, {"ff", Orientation::ff}};
  const auto found = known.find(text);
  if (found == known.end()) {
    throw WrongUsage("an orientation is fr, rf or ff, not " + text);
  }
  return found->second;
}

double parse_number(const std::string& text) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) {
    throw WrongUsage("not a number: " + text);
  }
  return value;
}

MaxEdits::MaxEdits(const std::string& text) {
  if (text.empty() || text.back() != '%') {
    numerator_ = parse_integer(text);
    return;
  }
  is_fraction_ = true;
  denominator_ = 100;
  std::string digits = text.substr(0, text.size() - 1);
  if (const auto point = digits.find('.'); point != std::string::npos) {
    const std::size_t decimals = digits.size() - point - 1;
    if (decimals > 6) {
      throw WrongUsage("more than 6 decimals: " + text);
    }
    digits.erase(point, 1);
    for (std::size_t i = 0; i < decimals; ++i) {
      denominator_ *= 10;
    }
  }
  numerator_ = parse_integer(digits);
}

int run_program(const char* name, const char* usage, int argc, char** argv,
                const std::function<int(const std::vector<std::string>&)>& body) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0] == "-h" || words[0] == "--help") {
    std::fputs(usage, words.empty() ? stderr : stdout);
    return words.empty() ? 2 : 0;
  }
  try {
    return body(words);
  } catch (const WrongUsage& error) {
    std::fprintf(stderr, "%s: %s\n%s", name, error.what(), usage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return 1;
  }
}

int run_commands(const char* name, const char* usage, int argc, char** argv,
                 const std::map<std::string, Command>& commands) {
  return run_program(name, usage, argc, argv, [&](const std::vector<std::string>& words) {
    const auto found = commands.find(words[0]);
    if (found == commands.end()) {
      throw WrongUsage("no such command: " + words[0]);
    }
    const Command& command = found->second;
    const Arguments args({words.begin() + 1, words.end()}, command.options);
    if (args.count() < command.fewest || args.count() > command.most) {
      throw WrongUsage(words[0] + " takes " + command.needed);
    }
    return command.run(args);
  });
}

}  // namespace trawl::bench
