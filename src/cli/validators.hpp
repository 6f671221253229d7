// Checks of option values that CLI11 lacks.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace trawl::cli {

/// A whole number of up to `digits` digits. CLI11 by itself takes "" for 0, and -1 for 2^64 - 1.
inline CLI::Validator whole_number(std::size_t digits = 9) {
  return CLI::Validator(
      [digits](const std::string& text) {
        const bool good =
            !text.empty() && text.size() <= digits && text.find_first_not_of("0123456789") == std::string::npos;
        return good ? std::string() : "'" + text + "' is no whole number from 0 to " + std::string(digits, '9');
      },
      "");
}

/// Refuses "", as from a shell variable that is not set, where it would mean that the option is not given.
inline CLI::Validator not_empty() {
  return CLI::Validator([](const std::string& text) { return std::string(text.empty() ? "is empty" : ""); }, "");
}

}  // namespace trawl::cli
