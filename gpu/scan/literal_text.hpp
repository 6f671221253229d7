// The part of a literal search's text that literal_search.hpp hides. Only gpu/*.cu include this.
#pragma once

#include <cstdint>

#include "gpu/device/device_memory.hpp"
#include "gpu/scan/literal_search.hpp"

namespace trawl::gpu {

/// What kernels see: words of 64 positions.
struct LiteralTextView {
  const sequence::PlaneBlock* planes;  // from word `first` of the reference on; the words up to `last` are there
  const std::uint64_t* ambiguous;
  std::uint64_t first;
  std::uint64_t last;

  __device__ sequence::PlaneBlock planes_at(std::uint64_t position) const {
    const std::uint64_t w = position / 64 - first;
    const unsigned shift = position % 64;
    const sequence::PlaneBlock a = planes[w];
    const sequence::PlaneBlock b = planes[w + 1];
    return {(a.high >> shift) | ((b.high << 1) << (63 - shift)), (a.low >> shift) | ((b.low << 1) << (63 - shift))};
  }
  __device__ std::uint64_t ambiguous_at(std::uint64_t position) const {
    const std::uint64_t w = position / 64 - first;
    const unsigned shift = position % 64;
    return (ambiguous[w] >> shift) | ((ambiguous[w + 1] << 1) << (63 - shift));
  }
};

struct LiteralText::State {
  std::uint64_t first = 0;                    // number of the first word
  std::uint64_t words = 0;                    // words where grams may begin
  DeviceBuffer<sequence::PlaneBlock> planes;  // two more than `words`, so that whole words can be read after the end
  DeviceBuffer<std::uint64_t> ambiguous;

  LiteralTextView view() const { return {planes.data(), ambiguous.data(), first, first + words}; }
};

}  // namespace trawl::gpu
