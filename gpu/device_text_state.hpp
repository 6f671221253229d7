// What device_text.hpp hides. Only gpu/*.cu include this.
#pragma once

#include "gpu/device_memory.hpp"
#include "gpu/device_text.hpp"

namespace trawl::gpu {

/// Where a kernel writes that a match ends; exactly one pointer is set.
struct EndsView {
  std::uint8_t* bytes = nullptr;
  std::uint32_t* bits = nullptr;  // bit j % 32 of word j / 32
  unsigned long long* list = nullptr;
  unsigned long long* count = nullptr;
  std::uint64_t capacity = 0;
};

struct DeviceEnds::State {
  Output output;
  std::uint64_t text_size;
  DeviceBuffer<std::uint8_t> bytes;
  DeviceBuffer<std::uint32_t> bits;
  DeviceBuffer<unsigned long long> list;
  DeviceBuffer<unsigned long long> list_count;

  EndsView view() { return {bytes.data(), bits.data(), list.data(), list_count.data(), list.size()}; }
  /// Before a run: a list begins empty.
  void reset(const Stream& stream) {
    if (output == Output::list) {
      list_count.clear(stream);
    }
  }
};

}  // namespace trawl::gpu
