// Checks of option values that CLI11 lacks.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace trawl::cli {

/// A whole number of up to nine digits. CLI11 by itself takes "" for 0, and -1 for 2^64 - 1.
inline CLI::Validator whole_number() {
  return CLI::Validator(
      [](const std::string& text) {
        const bool good =
            !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
        return good ? std::string() : "'" + text + "' is no whole number from 0 to 999999999";
      },
      "");
}

}  // namespace trawl::cli
