// The CRC-32 of gzip (RFC 1952), with the fastest library of the build.
//
//   crc32_of("123456789", 9) == 0xcbf43926
//   crc32_of("6789", 4, crc32_of("12345", 5)) == 0xcbf43926                     // piece by piece
//   joined_crc32(crc32_of("12345", 5), crc32_of("6789", 4), 4) == 0xcbf43926    // from two sums
#pragma once

#include <cstddef>
#include <cstdint>

namespace trawl::io {

/// `before` is the sum of the bytes before.
std::uint32_t crc32_of(const void* bytes, std::size_t size, std::uint32_t before = 0);

/// The sum of two pieces, of which the second has `second_size` bytes. Takes the same short time for any size.
std::uint32_t joined_crc32(std::uint32_t first, std::uint32_t second, std::uint64_t second_size);

}  // namespace trawl::io
