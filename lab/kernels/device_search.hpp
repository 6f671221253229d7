// A matcher with its table on the device: what the kernels have in common for those who run them. Only .cu files include
// this.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/device/device_memory.hpp"
#include "lab/kernels/device_text_state.hpp"
#include "lab/kernels/gpu_matchers.hpp"

namespace trawl::gpu {

/// Number of bytes after a text that kernels may read; their values mean nothing.
inline constexpr std::uint64_t kTextPadding = 4096;

/// A text in device memory, or a piece of one.
struct SearchedText {
  const std::uint8_t* characters;  // a multiple of 16, with kTextPadding bytes after them
  std::uint64_t size;
  std::uint64_t first;  // report ends from here on; a multiple of 32
};

class DeviceSearch {
 public:
  virtual ~DeviceSearch() = default;

  /// What enqueue() does for a text of this size.
  virtual GpuWork chosen(std::uint64_t size) = 0;
  /// Allocates what enqueue() needs beside the result; may wait for the device.
  virtual void reserve(const SearchedText& text, DeviceEnds::State& ends) = 0;
  /// Enqueues a search: the ends in [text.first, text.size) go to `ends`, by their position in the text. Bytes and bits
  /// before text.first have any value. After ends.reset(). The text is not empty.
  virtual void enqueue(const SearchedText& text, DeviceEnds::State& ends, const Stream& stream) = 0;

  double prepare_seconds = 0;

 protected:
  /// Copies a table's used bytes to the device and waits; adds the time to prepare_seconds.
  void copy_table(const void* table, std::size_t bytes, void* to);
};

}  // namespace trawl::gpu
