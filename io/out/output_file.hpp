// An output file that appears only when it is complete.
//
//   OutputFile file("out.bam");
//   ... write to file.descriptor() ...
//   file.commit();    // out.bam exists from here on; without commit() nothing is left
//
// The text goes to a temporary file beside the target, which commit() renames. "-" is the standard output; a target
// that exists and is not a regular file (a pipe, /dev/null) is written directly.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trawl::io {

class OutputFile {
 public:
  /// Opens for writing; throws IoError.
  explicit OutputFile(const std::string& path);
  /// Removes the temporary file unless committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// The open file.
  int descriptor() const { return descriptor_; }
  /// What messages call it: the path as given, or "standard output".
  const std::string& name() const { return name_; }
  /// The file being written: the temporary one, or the target itself; "-" for the standard output.
  const std::string& write_path() const { return write_path_; }
  /// Writes all of `bytes`; throws IoError.
  void write(std::string_view bytes);
  /// Closes the file and gives it its name; throws IoError.
  void commit();

 private:
  void open_temporary();

  std::string name_;
  std::string target_;
  std::string write_path_;
  int descriptor_ = -1;
  int slot_ = -1;  // in the registry of temporary files
};

/// Whether a path names no file of its own: the standard output ("-"), another open descriptor, a pipe or a device.
bool is_stream(const std::string& path);

/// Writes all of `bytes`, however many calls it takes; false, and errno, where that fails.
bool write_all(int descriptor, std::string_view bytes);

/// Remembers a temporary file for remove_temporaries(); -1 if there is no room left or the path is too long.
int register_temporary(const std::string& path);
void forget_temporary(int slot);

/// Removes every temporary file that is not committed. Async-signal-safe, for handlers of SIGINT and SIGTERM.
void remove_temporaries() noexcept;

}  // namespace trawl::io
