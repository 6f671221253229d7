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
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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
  /// Writes all of `bytes` behind what was written or reserved before; throws IoError.
  void write(std::string_view bytes);

  /// Whether reserve() and write_at() can be used: only for files that are made here.
  bool can_reserve() const { return write_path_ != target_; }
  /// The place of the next `size` bytes, to be written in any order.
  std::uint64_t reserve(std::size_t size) { return std::exchange(position_, position_ + size); }
  /// Writes to a place that was reserved; for several threads at a time. Throws IoError.
  void write_at(std::uint64_t place, std::string_view bytes);

  /// Closes the file and gives it its name; throws IoError.
  void commit();

 private:
  void open_temporary();
  bool write_mapped(std::uint64_t place, std::string_view bytes);

  std::string name_;
  std::string target_;
  std::string write_path_;
  int descriptor_ = -1;
  std::uint64_t position_ = 0;  // of the next byte, in files that are made here
  bool can_map_ = false;
  int slot_ = -1;  // in the registry of temporary files
};

/// Remembers a temporary file for remove_temporaries(); -1 if there is no room left or the path is too long.
int register_temporary(const std::string& path);
void forget_temporary(int slot);

/// Removes every temporary file that is not committed. Async-signal-safe, for handlers of SIGINT and SIGTERM.
void remove_temporaries() noexcept;

}  // namespace trawl::io
