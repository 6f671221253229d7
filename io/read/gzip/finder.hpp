// Finds places in the middle of gzip data where inflating may begin.
//
//   with: const CompressedInput& input, std::uint64_t cut, std::uint64_t next_cut
//   const auto start = find_start(input, 8 * cut, 8 * next_cut);    // the first such place in this range
//
// Two kinds of places are found: the header of a gzip member, and a block with codes of its own that is not the last of
// its stream. Such a block starts at any bit, but its header is so redundant that other data hardly ever look like one.
// Nothing is certain: the place can lie inside of a stored block.
#pragma once

#include <cstdint>
#include <optional>

#include "io/read/gzip/input.hpp"

namespace trawl::io {

struct GzipStart {
  std::uint64_t bit = 0;   // counted from the start of the file
  bool is_member = false;  // a member's header; else a block

  bool operator==(const GzipStart&) const = default;
};

/// The first place in [first, last), in bits. Both, and all of the block's header, must lie in the input.
std::optional<GzipStart> find_start(const CompressedInput& input, std::uint64_t first, std::uint64_t last);

/// True if find_start() looks for a block that starts with these bits (if it is not damaged). At least 3 are needed.
constexpr bool is_findable_block(std::uint64_t bits) { return (bits & 7) == 4; }

/// Size of the header of an ordinary gzip member at the reader's position, which does not change. Nothing if the file
/// ends too early, if the header is damaged, or if it belongs to a BGZF block. `needs_input`: the input ends before the
/// file does, and must be longer to tell.
std::optional<std::uint64_t> member_header_size(BitReader reader, bool& needs_input);

}  // namespace trawl::io
