// How threads read the text, and how the matches of a warp are written as bytes, bits or a list.
#pragma once

#include <cstdint>

#include "lab/kernels/device_search.hpp"
#include "match/warp.hpp"

namespace trawl::gpu {

/// kCount characters (1, 2, 4, 8 or 16) in registers.
template <unsigned kCount>
struct Characters {
  static constexpr unsigned kWords = (kCount + 3) / 4;
  std::uint32_t words[kWords];

  /// `from` must be a multiple of kCount.
  __device__ void load(const std::uint8_t* from) {
    if constexpr (kCount == 16) {
      const uint4 v = *reinterpret_cast<const uint4*>(from);
      words[0] = v.x, words[1] = v.y, words[2] = v.z, words[3] = v.w;
    } else if constexpr (kCount == 8) {
      const uint2 v = *reinterpret_cast<const uint2*>(from);
      words[0] = v.x, words[1] = v.y;
    } else if constexpr (kCount == 4) {
      words[0] = *reinterpret_cast<const std::uint32_t*>(from);
    } else if constexpr (kCount == 2) {
      words[0] = *reinterpret_cast<const std::uint16_t*>(from);
    } else {
      words[0] = *from;
    }
  }
  /// `i` must be known when compiling.
  __device__ unsigned operator[](unsigned i) const { return (words[i / 4] >> (8 * (i % 4))) & 255; }
};

/// A text in device memory, or a tile of one in shared memory, in the form that scan() needs: for it, the tile is the
/// text.
template <class Place>
struct DeviceCharacters {
  const std::uint8_t* characters;
  Place length;

  __device__ std::uint64_t size() const { return length; }
  __device__ unsigned char operator[](std::uint64_t j) const { return characters[static_cast<Place>(j)]; }
};

/// How warps share out segments of a text: each takes `stretch` of them in a row, and all run at the same time.
struct Stretches {
  std::uint64_t stretch;
  unsigned blocks;

  /// For blocks of `warps` warps with `shared` bytes of shared memory.
  Stretches(std::uint64_t segments, const void* kernel, unsigned warps, std::size_t shared = 0)
      : stretch(
            divided_up(segments, std::uint64_t{resident_blocks(kernel, warps * match::kWarpLanes, shared)} * warps)),
        blocks(static_cast<unsigned>(divided_up(divided_up(segments, stretch), warps))) {}
};

/// Spreads four bits to four bytes of 0 or 1.
__device__ inline std::uint32_t spread_bits(std::uint32_t four) { return (four * 0x00204081u) & 0x01010101u; }
/// Spreads the lower 16 bits to 16 bytes.
__device__ inline uint4 spread_half(std::uint32_t bits) {
  return make_uint4(spread_bits(bits & 15), spread_bits((bits >> 4) & 15), spread_bits((bits >> 8) & 15),
                    spread_bits((bits >> 12) & 15));
}

/// Bit r of `ends` in lane l of the calling warp says whether a match ends at `begin` + l * kAlpha + r. Only lanes with
/// `valid` write. `begin` is a multiple of 32; `size` is the size of the text.
template <unsigned kAlpha>
__device__ inline void write_ends(const EndsView& out, std::uint64_t begin, unsigned ends, bool valid,
                                  std::uint64_t size) {
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  const std::uint64_t first = begin + lane * kAlpha;
  if (first >= size || !valid) {
    ends = 0;
  } else if (first + kAlpha > size) {
    ends &= (1u << (size - first)) - 1;
  }
  valid = valid && first < size;
  if (out.bytes != nullptr) {  // the buffer is padded, so whole vectors may be written at the end of the text
    if (valid) {
      if constexpr (kAlpha == 16) {
        *reinterpret_cast<uint4*>(out.bytes + first) = spread_half(ends);
      } else if constexpr (kAlpha == 8) {
        *reinterpret_cast<uint2*>(out.bytes + first) = make_uint2(spread_bits(ends & 15), spread_bits(ends >> 4));
      } else if constexpr (kAlpha == 4) {
        *reinterpret_cast<std::uint32_t*>(out.bytes + first) = spread_bits(ends);
      } else {
        for (unsigned r = 0; r < kAlpha; ++r) {
          out.bytes[first + r] = (ends >> r) & 1;
        }
      }
    }
  } else if (out.bits != nullptr) {
    std::uint32_t word = ends << (lane * kAlpha % 32);
#pragma unroll
    for (unsigned step = 1; step < 32 / kAlpha; step *= 2) {
      word |= __shfl_xor_sync(match::kAllLanes, word, step);
    }
    if (valid && lane * kAlpha % 32 == 0) {
      out.bits[first / 32] = word;
    }
  } else if (__any_sync(match::kAllLanes, ends != 0)) {
    while (ends != 0) {
      const unsigned r = __ffs(ends) - 1;
      ends &= ends - 1;
      const unsigned long long at = atomicAdd(out.count, 1ull);
      if (at < out.capacity) {
        out.list[at] = first + r;
      }
    }
  }
}

/// A table in shared memory. It maps a byte of misses, in which bit 7 - r is 0 if a match ends at character r, to 8
/// bytes: 1 for a match, otherwise 0.
struct MatchBytes {
  uint2 of[256];

  /// All threads of the block must call it; a barrier must follow.
  __device__ void fill() {
    for (unsigned misses = threadIdx.x; misses < 256; misses += blockDim.x) {
      const unsigned ends = __brev(~misses) >> 24;
      of[misses] = make_uint2(spread_bits(ends & 15), spread_bits(ends >> 4));
    }
  }
};

/// Like write_ends(), but bit kAlpha - 1 - r of `misses` is 0 if a match ends; higher bits may have any value.
template <unsigned kAlpha>
__device__ inline void write_misses(const EndsView& out, const MatchBytes& bytes, std::uint64_t begin, unsigned misses,
                                    bool valid, std::uint64_t size) {
  if constexpr (kAlpha >= 8) {
    if (out.bytes != nullptr && begin + kAlpha * match::kWarpLanes <= size) {
      if (valid) {
        std::uint8_t* at = out.bytes + begin + threadIdx.x % match::kWarpLanes * kAlpha;
        const uint2 last = bytes.of[misses & 255];
        if constexpr (kAlpha == 16) {
          const uint2 first = bytes.of[(misses >> 8) & 255];
          __stcs(reinterpret_cast<uint4*>(at), make_uint4(first.x, first.y, last.x, last.y));
        } else {
          __stcs(reinterpret_cast<uint2*>(at), last);
        }
      }
      return;
    }
  }
  write_ends<kAlpha>(out, begin, __brev(~misses) >> (32 - kAlpha), valid, size);
}

/// Writes a group of 32 words of bits (EndTiles) for a list; lane l has word l. Called by the whole warp.
__device__ inline void write_group(const EndsView& out, std::uint64_t group, std::uint32_t word) {
  const std::uint32_t found = __reduce_add_sync(match::kAllLanes, static_cast<unsigned>(__popc(word)));
  if (found != 0) {
    const unsigned lane = threadIdx.x % match::kWarpLanes;
    out.groups.bits[group * kGroupWords + lane] = word;
    if (lane == 0) {
      out.groups.counts[group] = found;
    }
  }
}

}  // namespace trawl::gpu
