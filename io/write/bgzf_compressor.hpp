// Compresses the blocks of a BGZF file: gzip members of limited size, one after the other, and an empty one at the end
// (SAM specification, section 4.1).
//
//   BgzfCompressor compressor(default_compression_level());
//   char block[kBgzfBlock];
//   const std::size_t size = compressor.compress("GATTACA", block);      // at most kBgzfText bytes of text
//   std::string_view(block, 2) == "\x1f\x8b"
//   compressor.compress("", block) > 0                                   // a file ends with kBgzfEnd
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace trawl::io {

/// The most bytes of text in a block. The format allows a few more; htslib, too, writes blocks of this size.
inline constexpr std::size_t kBgzfText = 0xff00;
/// The most bytes of a block in the file.
inline constexpr std::size_t kBgzfBlock = 0x10000;
/// The block that ends a file. Readers without it report that the file is cut off.
inline constexpr std::string_view kBgzfEnd{
    "\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0\x42\x43\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0", 28};

/// 0: not compressed, 1: fastest, 9: smallest.
inline constexpr int kMostCompression = 9;

/// The fastest level whose BAM is at most 10% larger than that of samtools. It depends on the libraries that this
/// program was built with.
int default_compression_level();

/// One of the libraries.
class Deflater;

class BgzfCompressor {
 public:
  /// `level`: from 0 to kMostCompression. Throws std::bad_alloc.
  explicit BgzfCompressor(int level);
  ~BgzfCompressor();
  BgzfCompressor(BgzfCompressor&&) noexcept;

  /// Writes a block to `to`, which has room for kBgzfBlock bytes. Returns its size. `text`: at most kBgzfText bytes.
  std::size_t compress(std::string_view text, char* to);

 private:
  std::unique_ptr<Deflater> deflater_;  // none: level 0
};

}  // namespace trawl::io
