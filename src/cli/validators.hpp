// Checks of option values that CLI11 lacks.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <string>

namespace trawl::cli {

/// A whole number from 0 to `most`. CLI11 by itself takes "" for 0, and -1 for 2^64 - 1.
inline CLI::Validator whole_number(std::uint64_t most = 999'999'999) {
  return CLI::Validator(
      [most](const std::string& text) {
        std::uint64_t number = 0;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data(), end, number);
        const bool good = read.ec == std::errc() && read.ptr == end && number <= most;
        return good ? std::string() : "'" + text + "' is not a whole number from 0 to " + std::to_string(most);
      },
      "");
}

/// Refuses "", as from a shell variable that is not set, where it would mean that the option is not given.
inline CLI::Validator not_empty() {
  return CLI::Validator([](const std::string& text) { return std::string(text.empty() ? "is empty" : ""); }, "");
}

}  // namespace trawl::cli
