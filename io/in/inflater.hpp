// Decompresses gzip data of any number of members. BGZF blocks can be decompressed in parallel.
//
//   Inflater inflater(descriptor, "reads.fq.gz", 4);
//   const std::size_t n = inflater.read(block, sizeof block);
//
// A BGZF file is a gzip file of many small members. Each has its compressed size in its header (SAM specification,
// section 4.1), and the last one is empty. This uses zlib and not htslib's bgzf: bgzf only warns about truncated gzip
// files, and about BGZF from a pipe without its end marker.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trawl::io {

/// Reads up to `size` bytes from a descriptor, fewer only at the end. Throws IoError.
std::size_t read_descriptor(int descriptor, const std::string& name, char* to, std::size_t size);

class Inflater {
 public:
  /// `start`: the bytes that were already read from the descriptor.
  Inflater(int descriptor, std::string name, unsigned threads, std::vector<char> start);
  ~Inflater();
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Reads up to `size` bytes, fewer only at the end.
  std::size_t read(char* to, std::size_t size);
  /// Compressed bytes of what read() has given so far. An estimate among BGZF blocks that are decompressed together.
  std::uint64_t consumed() const;

 private:
  struct Block {
    const unsigned char* data = nullptr;  // compressed
    std::size_t size = 0;
    std::size_t inflated_at = 0;  // in blocks_out_
    std::size_t inflated_size = 0;
    std::uint32_t crc = 0;
  };

  const unsigned char* input() const { return reinterpret_cast<const unsigned char*>(in_.data()) + in_begin_; }
  std::size_t available() const { return in_end_ - in_begin_; }
  bool need(std::size_t size);
  void skip_padding();
  void begin_member();
  void inflate_blocks();
  void inflate_range(const std::vector<Block>& blocks, std::size_t begin, std::size_t end);
  std::size_t inflate_member(char* to, std::size_t size);
  [[noreturn]] void fail_truncated(const std::string& what) const;
  [[noreturn]] void fail_damaged() const;

  int descriptor_;
  std::string name_;
  unsigned threads_;
  std::vector<char> in_;
  std::size_t in_begin_ = 0;
  std::size_t in_end_ = 0;
  std::uint64_t file_offset_ = 0;  // of in_end_
  bool file_at_end_ = false;

  bool done_ = false;
  bool in_member_ = false;           // inside a gzip member that is not a BGZF block
  bool end_marker_missing_ = false;  // the last member was a BGZF block with content
  z_stream stream_{};
  std::vector<char> blocks_out_;
  std::size_t blocks_begin_ = 0;
  std::size_t blocks_end_ = 0;
  std::size_t blocks_size_ = 0;  // compressed
};

}  // namespace trawl::io
