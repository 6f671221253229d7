// The seed index on the device: like seed/seed_index.hpp, for a part of the reference. Positions with the same key are
// in any order.
#pragma once

#include <cstdint>

#include "gpu/map/block.hpp"
#include "gpu/map/reference_view.hpp"

namespace trawl::gpu {

/// The q-grams that start in [begin, end); `end` - `begin` is below 2^32.
struct PartView {
  const std::uint32_t* table = nullptr;      // 4^q + 1 indexes into `positions`
  const std::uint32_t* positions = nullptr;  // relative to `begin`
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  unsigned q = 0;

  struct KeyHits {
    std::uint32_t first;  // index into `positions`
    std::uint32_t count;
  };
  /// Positions at which the first `length` <= q bases of `key` start. `key` has q bases.
  TRAWL_HOST_DEVICE KeyHits find(std::uint32_t key, unsigned length) const {
    const unsigned shift = 2 * (q - length);
    const std::uint32_t first = key >> shift << shift;
    const std::uint32_t begins = table[first];
    return {begins, table[first + (std::uint32_t{1} << shift)] - begins};
  }
};

/// The key of the q-gram at a position. Bases from the first ambiguous one on count as A. Returns false if the first
/// base is ambiguous.
TRAWL_HOST_DEVICE inline bool position_key(const ReferenceView& reference, std::uint64_t position, unsigned q,
                                           std::uint32_t& key) {
  const BaseBlock block = reference.at(static_cast<std::int64_t>(position));
  if (block.ambiguous & 1) {
    return false;
  }
  const std::uint32_t ambiguous = block.ambiguous & low_bits(q);
  const std::uint32_t clear = ambiguous == 0 ? ~std::uint32_t{0} : (ambiguous & (~ambiguous + 1)) - 1;
  key = gram_key(block.high & clear, block.low & clear, q);
  return true;
}

/// Item i is position begin + i: adds 1 to the count of its key, table[key + 1].
struct CountKeys {
  ReferenceView reference;
  std::uint64_t begin;
  unsigned q;
  std::uint32_t* table;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    std::uint32_t key = 0;
    if (position_key(reference, begin + i, q, key)) {
      fetch_add(table + key + 1, 1);
    }
  }
};

/// Item i is position begin + i. At the start table[key + 1] is where the positions of the key begin. Each position of
/// the key moves it by one, so at the end it is where they end, which is where those of the next key begin.
struct ScatterPositions {
  ReferenceView reference;
  std::uint64_t begin;
  unsigned q;
  std::uint32_t* table;
  std::uint32_t* positions;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    std::uint32_t key = 0;
    if (position_key(reference, begin + i, q, key)) {
      positions[fetch_add(table + key + 1, 1)] = static_cast<std::uint32_t>(i);
    }
  }
};

}  // namespace trawl::gpu
