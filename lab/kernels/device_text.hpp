// A text on the device, and the result of a matcher for each of its positions. No CUDA header is needed to use this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device/devices.hpp"
#include "lab/matchers/matcher.hpp"

namespace trawl::gpu {

/// Copies `bytes` from device to device; returns bytes read plus bytes written per second, the best of several runs.
double copy_bandwidth(std::uint64_t bytes);

class DeviceText {
 public:
  /// `after`: what lies after the text in the device's memory, at most 4,096 bytes. It must not change any result, and
  /// tests show that.
  explicit DeviceText(std::string_view text, std::string_view after = {});
  ~DeviceText();
  DeviceText(const DeviceText&) = delete;
  DeviceText& operator=(const DeviceText&) = delete;

  std::uint64_t size() const;
  const std::uint8_t* data() const;  // device memory
  /// Waits until the text is written; the constructor also waits.
  void write(std::uint64_t position, std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

using matchers::EndsDigest;
using matchers::Output;

/// The result of a matcher for a text, in device memory, not initialised.
class DeviceEnds {
 public:
  /// `list_capacity`: the number of positions that a list can hold. Further positions are counted but not kept.
  DeviceEnds(std::uint64_t text_size, Output output, std::uint64_t list_capacity = 0);
  ~DeviceEnds();
  DeviceEnds(const DeviceEnds&) = delete;
  DeviceEnds& operator=(const DeviceEnds&) = delete;

  Output output() const;
  /// Number of positions where a match ends. For a list it also counts those that did not fit.
  std::uint64_t count() const;
  /// The list, ascending; with Output::list only (std::logic_error). An exact matcher writes it in this order; others
  /// do not, and it is sorted here. Throws Error if the list was too short.
  std::vector<std::uint64_t> list() const;
  /// Throws Error if the list was too short.
  EndsDigest digest() const;

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace trawl::gpu
