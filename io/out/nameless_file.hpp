// A temporary file without a name: it goes with the program, however that ends. It lies where TMPDIR says, or in /tmp.
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
  /// `what`: what it is for, as messages say it. Throws IoError, as all functions do.
  explicit NamelessFile(std::string what);

  /// Appends.
  void write(std::string_view bytes);
  /// Reads up to `size` bytes from offset `at`; how many. Fewer only at the end.
  std::size_t read(std::uint64_t at, char* to, std::size_t size);
  /// Bytes.
  std::uint64_t size() const { return size_; }
  /// Empties the file.
  void clear();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::string what_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::uint64_t size_ = 0;
  bool is_read_ = false;  // the file's position may be any
};

}  // namespace trawl::io
