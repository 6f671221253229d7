// The blocks of BGZF files as they are read (SAM specification, section 4.1). Unlike those that are written here, their
// headers may have other fields before or after the size.
//
//   const unsigned char head[] = {0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, 'B', 'C', 2, 0, 27, 0};
//   std::size_t data_at = 0;
//   bgzf_block_size(head, sizeof head, data_at) == 28
//   data_at == 18
#pragma once

#include <algorithm>
#include <cstddef>

#include "io/format/gzip_format.hpp"

namespace trawl::io {

inline constexpr std::size_t kLargestBgzfBlock = 65536;  // in the file, and of text

/// Size of the BGZF block whose header is at `p`, and where its compressed data begin. 0 if it is not a BGZF header.
/// `size` bytes can be read, and they contain the whole extra field.
inline std::size_t bgzf_block_size(const unsigned char* p, std::size_t size, std::size_t& data_at) {
  if (size < kSmallestGzipMember || p[2] != kGzipDeflate || p[3] != kGzipExtraFlag) {
    return 0;
  }
  const std::size_t extra_end = 12 + little_endian(p + 10, 2);
  for (std::size_t at = 12; at + 4 <= std::min(extra_end, size);) {
    const std::size_t length = little_endian(p + at + 2, 2);
    if (p[at] == 'B' && p[at + 1] == 'C' && length == 2 && at + 6 <= size) {
      const std::size_t block_size = little_endian(p + at + 4, 2) + std::size_t{1};
      data_at = extra_end;
      return block_size >= extra_end + kGzipSums ? block_size : 0;
    }
    at += 4 + length;
  }
  return 0;
}

}  // namespace trawl::io
