// A temporary file without a name. It is gone when the program ends, also after a crash. It is made in TMPDIR, or in
// /tmp.
//
//   NamelessFile file("SAM records");
//   file.write("text");
//   file.read(0, buffer, 4);       // "text"
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace trawl::io {

class NamelessFile {
 public:
  /// `what`: the content, as named in messages. Throws IoError, like all functions here.
  explicit NamelessFile(std::string what);

  /// Appends `bytes`.
  void write(std::string_view bytes);
  /// Reads up to `size` bytes from offset `at`; returns how many. Fewer only at the end.
  std::size_t read(std::uint64_t at, char* to, std::size_t size);
  /// Size in bytes.
  std::uint64_t size() const { return size_; }
  /// Empties the file.
  void clear();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string what_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::uint64_t size_ = 0;
  bool is_read_ = false;  // a read may have moved the position in the file
};

}  // namespace trawl::io
