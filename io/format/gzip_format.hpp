// The fields of gzip members (RFC 1952) and of BGZF blocks, which are gzip members of limited size (SAM specification,
// section 4.1):
//
//   1f 8b 08 04  00 00 00 00  00 ff  06 00  42 43 02 00  1b 00    the head; its last two bytes: the block's size - 1
//   03 00                                                         the compressed data
//   00 00 00 00  00 00 00 00                                      the CRC-32 and the size of the text
//
//   const unsigned char bytes[] = {0x34, 0x12};
//   little_endian(bytes, 2) == 0x1234
//   crc32_of("123456789", 9) == 0xcbf43926
//   crc32_of("6789", 4, crc32_of("12345", 5)) == 0xcbf43926                     // piece by piece
//   joined_crc32(crc32_of("12345", 5), crc32_of("6789", 4), 4) == 0xcbf43926    // from two sums
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trawl::io {

inline constexpr std::string_view kGzipMagic = "\x1f\x8b";
inline constexpr unsigned kGzipDeflate = 8;  // the third byte: how the data are compressed

// Flags in the fourth byte.
inline constexpr unsigned kGzipHeaderSumFlag = 2;
inline constexpr unsigned kGzipExtraFlag = 4;
inline constexpr unsigned kGzipNameFlag = 8;
inline constexpr unsigned kGzipCommentFlag = 16;
inline constexpr unsigned kGzipUnknownFlags = 0xe0;

inline constexpr std::size_t kSmallestGzipMember = 18;  // a header of 10 bytes, no data, the sums
inline constexpr std::size_t kGzipSums = 8;             // bytes after the data
inline constexpr std::size_t kBgzfHead = 18;            // bytes before the data, as nearly all programs write them

/// The number in `bytes` <= 4 bytes at `p`, the lowest byte first.
inline std::uint32_t little_endian(const unsigned char* p, unsigned bytes) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) {
    value |= std::uint32_t{p[i]} << (8 * i);
  }
  return value;
}

/// Writes a number in this form. Returns the place after it.
inline char* put_little_endian(char* to, std::uint32_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    *to++ = static_cast<char>(value >> (8 * i));
  }
  return to;
}

/// The CRC-32, with the fastest library of the build. `before` is the sum of the bytes before.
std::uint32_t crc32_of(const void* bytes, std::size_t size, std::uint32_t before = 0);

/// The sum of two pieces, of which the second has `second_size` bytes. Takes the same short time for any size.
std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

}  // namespace trawl::io
