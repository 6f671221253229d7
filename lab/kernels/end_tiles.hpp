// The order of the ends that a kernel writes as bits in groups (end_groups.hpp). No CUDA header is needed to use this.
//
//   tile 0: groups 0 to P-1      tile 1: groups P to 2P-1      ...          P = EndTiles::groups_per_tile
//   bit b of a tile (bit b % 32 of its word b / 32) is the end EndTiles::first + tile * tile_ends + b
#pragma once

#include <cstdint>

namespace trawl::gpu {

/// Words of 32 bits in a group: a warp writes a group at once.
inline constexpr unsigned kGroupWords = 32;
inline constexpr unsigned kGroupEnds = 32 * kGroupWords;

/// How the ends of a search are cut into tiles, and these into groups.
struct EndTiles {
  std::uint64_t first = 0;  // the end of bit 0 of tile 0
  std::uint64_t tiles = 0;
  std::uint64_t tile_ends = kGroupEnds;  // positions of a tile, at most groups_per_tile * kGroupEnds
  std::uint32_t groups_per_tile = 1;

  std::uint64_t groups() const { return tiles * groups_per_tile; }
};

}  // namespace trawl::gpu
