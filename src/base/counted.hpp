// Numbers with their words, for messages.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace trawl {

/// counted(1, "read") == "1 read"     counted(2, "read") == "2 reads"     counted(2, "locus", "loci") == "2 loci"
inline std::string counted(std::uint64_t number, const std::string& one, const std::string& many = "") {
  return std::to_string(number) + ' ' + (number == 1 ? one : many.empty() ? one + 's' : many);
}

/// seconds_text(12.34) == "12.3 s"
inline std::string seconds_text(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f s", seconds);
  return text;
}

}  // namespace trawl
