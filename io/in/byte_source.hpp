// Sequential bytes of a plain, gzip or BGZF file, or of the standard input ("-").
//
//   ByteSource source("reads.fq.gz");
//   char block[65536];
//   while (const std::size_t n = source.read(block, sizeof block)) { ... }
//
// A file that ends too early is an error, never a short result: in the middle of a gzip member, in a BGZF block, or
// at a block border before the BGZF end marker. So is anything but zeros behind the gzip data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace trawl::io {

class ByteSource {
 public:
  /// Opens `path`; throws IoError. `threads` > 1 inflates BGZF blocks in parallel.
  explicit ByteSource(const std::string& path, unsigned threads = 1);
  ~ByteSource();
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;

  /// Reads up to `size` bytes; fewer only at the end, 0 at the end. Throws IoError or InputError.
  std::size_t read(char* to, std::size_t size);

  /// What messages call it: the path, or "standard input".
  const std::string& name() const;
  /// Bytes of the file, compressed as it is, consumed so far.
  std::uint64_t consumed() const;

  class Backend;

 private:
  std::unique_ptr<Backend> backend_;
  std::string name_;
};

/// Size in bytes, compressed as it is; nothing if it is no regular file. "-" is the standard input.
std::optional<std::uint64_t> file_size(const std::string& path);

/// "standard input" for "-", else the path.
std::string display_name(const std::string& path);

}  // namespace trawl::io
