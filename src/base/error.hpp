// The types of errors. main() turns each into a message and an exit status:
//
//   UsageError   -> "trawl map: WHAT"                              status 2
//   InputError   -> "trawl map: FILE:LINE: WHAT, and what to do"   status 1
//   Error        -> "trawl map: WHAT"                              status 1
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace trawl {

/// The input or the machine failed (exit status 1).
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The command line is wrong (exit status 2).
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file contains something that cannot be used. `line` counts from 1; 0 means that the error is not in one line.
class InputError : public Error {
 public:
  InputError(const std::string& file, std::uint64_t line, const std::string& what)
      : Error(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + what) {}
  /// From the whole message, which another process has made.
  explicit InputError(const std::string& message) : Error(message) {}
};

/// A file or a stream cannot be opened, read, written or renamed.
class IoError : public Error {
 public:
  IoError(const std::string& file, const std::string& what) : Error(file + ": " + what) {}
};

}  // namespace trawl
