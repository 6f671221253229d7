// The part of a literal search's text that literal_search.hpp hides. Only .cu files include this.
#pragma once

#include <cstdint>

#include "gpu/device/device_memory.hpp"
#include "gpu/scan/literal_search.hpp"
#include "gpu/scan/text_view.hpp"

namespace trawl::gpu {

struct LiteralText::State {
  std::uint64_t first = 0;                    // number of the first word
  std::uint64_t words = 0;                    // words where grams may begin
  DeviceBuffer<sequence::PlaneBlock> planes;  // two more than `words`, so that whole words can be read after the end
  DeviceBuffer<std::uint64_t> ambiguous;

  LiteralTextView view() const { return {planes.data(), ambiguous.data(), first, first + words}; }
};

}  // namespace trawl::gpu
