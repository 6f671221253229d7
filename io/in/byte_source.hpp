// The text of a plain, gzip or BGZF file, or of the standard input ("-"), from start to end. A byte order mark (UTF-8)
// at the start is left out. text_blocks.hpp gives the same text to several threads.
//
//   ByteSource source("reads.fq.gz");
//   char block[65536];
//   while (const std::size_t n = source.read(block, sizeof block)) { ... }
//
// A file that ends too early is an error, never a short result. Examples: it ends inside a gzip member, inside a BGZF
// block, or between two blocks without the BGZF end marker. Bytes other than zeros after the gzip data are an error,
// too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace trawl::io {

class ByteSource {
 public:
  /// Opens `path`. Throws IoError. `threads` > 1 reads and decompresses ahead.
  explicit ByteSource(const std::string& path, unsigned threads = 1);
  ~ByteSource();
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;

  /// Reads up to `size` bytes; fewer only at the end of the file, where it returns 0. Throws IoError or InputError.
  std::size_t read(char* to, std::size_t size);

  /// The name in messages: the path, or "standard input".
  const std::string& name() const;
  /// Bytes of the file for the text read so far, counted before decompression. For a compressed file this is an
  /// estimate, exact at the end.
  std::uint64_t consumed() const;

  class Backend;

 private:
  std::unique_ptr<Backend> backend_;
  std::string name_;
};

/// Size in bytes, counted before decompression. Nothing if it is not a regular file. "-" is the standard input.
std::optional<std::uint64_t> file_size(const std::string& path);

/// "standard input" for "-", else the path.
std::string display_name(const std::string& path);

}  // namespace trawl::io
