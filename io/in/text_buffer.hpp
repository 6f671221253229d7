// A window on the text of a ByteSource, for parsers that search line ends with memchr. A byte order mark (UTF-8) at the
// start, which some editors write, is skipped.
//
//   TextBuffer text("reads.fq", 1);
//   while (text.begin() != text.end() || text.refill()) {
//     ... parse from begin() to end() ...
//     text.consume(n);
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/in/byte_source.hpp"

namespace trawl::io {

class TextBuffer {
 public:
  explicit TextBuffer(const std::string& path, unsigned threads = 1, std::size_t size = kDefaultSize);

  const char* begin() const { return buffer_.data() + begin_; }
  const char* end() const { return buffer_.data() + end_; }
  /// No text follows after end().
  bool at_end() const { return at_end_; }
  /// Moves begin() forward by `size` bytes.
  void consume(std::size_t size) { begin_ += size; }
  /// Reads more text after end(). Text before begin() is dropped, and the window may move. False if no text follows.
  bool refill();

  const std::string& name() const { return source_.name(); }
  /// Bytes of the file, counted before decompression, for the text before begin() without its last `unused` characters.
  /// For a compressed file this is an estimate, exact at the end.
  std::uint64_t consumed(std::size_t unused = 0) const;

  static constexpr std::size_t kDefaultSize = std::size_t{1} << 20;

 private:
  ByteSource source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::uint64_t text_size_ = 0;  // characters before end_, in the whole text
};

}  // namespace trawl::io
