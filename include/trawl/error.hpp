// What the functions of the library throw: UsageError, Error, and the types derived from it. Every message says what is
// wrong and what to do.
//
//   try {
//     trawl::Scanner scanner({"GATTAC?"});
//   } catch (const trawl::UsageError& error) {
//     std::string(error.what()) == "pattern 1, GATTAC?: '?' is not an IUPAC letter"
//   }
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

#include "trawl/export.h"

namespace trawl::inline v0 {

/// The call is wrong: an option that does not exist, options that do not go together, a value out of range.
struct TRAWL_API UsageError : std::runtime_error {
  using runtime_error::runtime_error;
};
/// The input or the machine failed, for example its memory.
struct TRAWL_API Error : std::runtime_error {
  using runtime_error::runtime_error;
};
/// A file or a sequence has something that cannot be used. `line` counts from 1; 0: the error is not in one line.
struct TRAWL_API InputError : Error {
  InputError(const std::string& file, std::uint64_t line, const std::string& what)
      : Error(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what) {}
  explicit InputError(const std::string& message) : Error(message) {}
};
/// A file or a stream cannot be opened, read, written or renamed.
struct TRAWL_API IoError : Error {
  IoError(const std::string& file, const std::string& what) : Error(file + ": " + what) {}
};
/// A callback of the caller has returned false.
struct TRAWL_API Cancelled : Error {
  Cancelled() : Error("cancelled by the caller") {}
};

}  // namespace trawl::inline v0
