// A temporary file without a name. It is gone when the program ends, also after a crash. It is made in TMPDIR, or in
// /tmp.
//
//   NamelessFile file("SAM records");
//   file.write("text");
//   char buffer[4];
//   file.read(0, buffer, 4) == 4
//   std::string_view(buffer, 4) == "text"
//
// A text; what does not fit in memory waits in such a file:
//
//   HeldText text(1 << 26);
//   text.append("chr1\t0\t20\n");
//   std::string all;
//   text.read([&](std::string_view some) { all += some; });   // in order, some at a time
//   all == "chr1\t0\t20\n"
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace trawl::io {

class NamelessFile {
 public:
  /// `what`: the content, as named in messages. `directory`: where it is, if not where temporary files are made. Throws
  /// IoError, like all functions here.
  explicit NamelessFile(std::string what, std::string directory = {});
  ~NamelessFile();
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;

  /// Appends `bytes`.
  void write(std::string_view bytes);
  /// Reads up to `size` bytes from offset `at`; returns how many. Fewer only at the end. Several threads may read at
  /// the same time.
  std::size_t read(std::uint64_t at, char* to, std::size_t size) const;
  /// Size in bytes.
  std::uint64_t size() const { return size_; }
  /// Empties the file.
  void clear();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string what_;
  std::string directory_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Text that waits until it may be written.
class HeldText {
 public:
  /// `most_bytes`: about how many are held in memory.
  explicit HeldText(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Throws IoError if the temporary file fails, like read().
  void append(std::string_view text);
  void read(const std::function<void(std::string_view)>& take) const;
  std::uint64_t size() const { return spilled() + text_.size(); }

 private:
  std::uint64_t spilled() const { return file_ ? file_->size() : 0; }

  std::size_t most_bytes_;
  std::unique_ptr<NamelessFile> file_;  // the start of the text
  std::string text_;
};

/// Where temporary files are made: TMPDIR, or /tmp.
std::string temporary_directory();

/// Throws the IoError of a temporary file, from errno; ("cannot write", "SAM records") gives "/tmp: cannot write a
/// temporary file for SAM records: No space left on device; make room there, or set TMPDIR to a directory that takes
/// one". `directory`: where the file is; empty: in temporary_directory().
[[noreturn]] void fail_temporary(const char* what, const std::string& content, const std::string& directory = {});

}  // namespace trawl::io
