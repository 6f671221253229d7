// Checks of option values that CLI11 does not have, and kinds of options.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

namespace trawl::cli {

/// A whole number from `least` to `most`. CLI11 alone reads "" as 0, and -1 as 2^64 - 1.
inline CLI::Validator whole_number(std::uint64_t most = 999'999'999, std::uint64_t least = 0) {
  return CLI::Validator(
      [most, least](const std::string& text) {
        std::uint64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, number);
        const bool good = read.ec == std::errc() && read.ptr == end && number >= least && number <= most;
        return good ? std::string()
                    : "'" + text + "' is not a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most);
      },
      "");
}

/// Refuses "", which comes from a shell variable that is not set. Otherwise it would mean that the option is not given.
inline CLI::Validator not_empty() {
  return CLI::Validator([](const std::string& text) { return std::string(text.empty() ? "is empty" : ""); }, "");
}

/// Adds an option that takes one of these words.
inline void add_choice(CLI::App& command, const char* name, std::string& value, const char* description,
                       const std::vector<std::string>& words, const char* group) {
  std::string type;
  for (const std::string& word : words) {
    type += (type.empty() ? "" : "|") + word;
  }
  command.add_option(name, value, description)
      ->check(CLI::IsMember(words))
      ->type_name(type)
      ->capture_default_str()
      ->group(group);
}

/// Adds an option that takes a whole number from 0 to `most`.
template <class Number>
void add_number(CLI::App& command, const char* name, Number& value, const char* description, const char* group,
                std::uint64_t most = 999'999'999) {
  command.add_option(name, value, description)
      ->check(whole_number(most))
      ->type_name("N")
      ->capture_default_str()
      ->group(group);
}

}  // namespace trawl::cli
