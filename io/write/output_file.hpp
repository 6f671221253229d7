// An output file that appears only when it is complete.
//
//   OutputFile file("out.txt");
//   file.write("chr1\n");
//   file.commit();    // now out.txt exists; without commit() no file is left
//
// The text goes to a file without a name in the target's directory, and commit() gives it its name: a killed program
// leaves nothing. Where the file system cannot make such files (NFS) it is a temporary file (.out.bam.PID.tmp) that
// commit() renames. "-" is the standard output. A target that exists and is not a regular file (a pipe, /dev/null) is
// written directly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trawl::io {

/// Bytes of text that are collected before they are written.
inline constexpr std::size_t kWriteSize = std::size_t{1} << 20;
/// The same where they may be compressed: enough work for several threads.
inline constexpr std::size_t kCompressSize = std::size_t{4} << 20;

class OutputFile {
 public:
  /// Opens the file for writing. Throws IoError.
  explicit OutputFile(const std::string& path);
  /// Deletes the file unless it was committed.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// The open file.
  int descriptor() const { return descriptor_; }
  /// The name in messages: the path as given, or "standard output".
  const std::string& name() const { return name_; }
  /// A path under which the file can be opened until commit(), for libraries that want one: /proc/self/fd/N, the
  /// temporary file, or the target itself; "-" for the standard output.
  const std::string& write_path() const { return write_path_; }
  /// Writes all of `bytes`. Throws IoError.
  void write(std::string_view bytes);

  /// Whether take_place() can be used: not for streams.
  bool has_places() const { return write_path_ != target_; }
  /// Sets the next `size` bytes of the file aside for write_at(), and returns where they are. What is written next
  /// comes after them. Throws IoError.
  std::uint64_t take_place(std::size_t size);
  /// Writes all of `bytes` to a place. Several threads may call it at the same time. Throws IoError.
  void write_at(std::uint64_t place, std::string_view bytes) const;

  /// Deletes the file that commit() would replace. Throws IoError.
  void remove_old();
  /// Closes the file and gives it its final name. Throws IoError.
  void commit();

 private:
  bool open_nameless();
  void open_temporary();
  template <class Make>
  bool make_temporary(const Make& make);
  void name_file();

  std::string name_;
  std::string target_;
  std::string write_path_;
  int descriptor_ = -1;
  bool is_nameless_ = false;
  int slot_ = -1;  // in the registry of temporary files
};

/// Whether commit() has begun to give a file its name. Async-signal-safe.
bool has_committed() noexcept;

/// Adds a temporary file to those that remove_temporaries() deletes; -1 if there is no room or the path is too long.
int register_temporary(const std::string& path);
void forget_temporary(int slot);

/// Deletes every temporary file that is not committed. Async-signal-safe, for handlers of SIGINT and SIGTERM.
void remove_temporaries() noexcept;

}  // namespace trawl::io
