// The MD5 of several messages at the same time, one in each lane of a SIMD vector. One MD5 alone cannot use more than a
// part of a core: each of its steps waits for the one before.
//
//   std::string text(kMd5Block, '\0');                         // the empty message with its padding
//   text[0] = '\x80';
//   Md5States states;
//   states.begin(0);                                           // lane 0 begins a message
//   md5_blocks(states, text.data(), 0, 1);                     // a block of each lane; here of all the same
//   states.digest(0) == "d41d8cd98f00b204e9800998ecf8427e"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace trawl::io {

inline constexpr std::size_t kMostMd5Lanes = 16;
inline constexpr std::size_t kMd5Block = 64;  // bytes

struct Md5States {
  alignas(64) std::array<std::array<std::uint32_t, kMostMd5Lanes>, 4> words{};  // [word][lane]

  void begin(std::size_t lane);
  /// As hexadecimal text.
  std::string digest(std::size_t lane) const;
};

/// The number of lanes that this machine has, at most kMostMd5Lanes.
std::size_t md5_lanes();

/// Adds `blocks` blocks to the message of each lane: those from `text` + lane * `stride` on.
void md5_blocks(Md5States& states, const char* text, std::size_t stride, std::size_t blocks);

/// The number of blocks of a message of `size` bytes with its padding (RFC 1321, section 3.1).
constexpr std::uint64_t md5_message_blocks(std::uint64_t size) { return (size + 8) / kMd5Block + 1; }

}  // namespace trawl::io
