// A text on the device, and what a matcher says of each of its positions. No CUDA header is needed to use this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device/devices.hpp"

namespace trawl::gpu {

/// Bytes read plus bytes written per second of a device-to-device copy of `bytes`, the best of several.
double copy_bandwidth(std::uint64_t bytes);

class DeviceText {
 public:
  explicit DeviceText(std::string_view text);
  /// made_letter(alphabet, seed, j) at every position (see matchers/made_text.hpp), made on the device.
  DeviceText(std::uint64_t size, std::string_view alphabet, std::uint64_t seed);
  ~DeviceText();
  DeviceText(const DeviceText&) = delete;
  DeviceText& operator=(const DeviceText&) = delete;

  std::uint64_t size() const;
  const std::uint8_t* data() const;  // device memory
  /// Waits until it is written, as the constructors do.
  void write(std::uint64_t position, std::string_view text);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How a matcher gives its result.
enum class Output {
  bytes,  // a byte a position: 1 where a match ends, as the papers have it
  bits,   // a bit a position
  list,   // the positions where a match ends, in any order
};

/// What two results over one text have in common only if they are the same, whatever their output.
struct EndsDigest {
  std::uint64_t count = 0;  // positions where a match ends
  std::uint64_t hash = 0;   // the sum of matchers::mixed() of them
  bool operator==(const EndsDigest&) const = default;
};

/// The result of a matcher over a text; device memory, not initialised.
class DeviceEnds {
 public:
  /// `list_capacity`: positions that a list can hold; more are counted, not kept.
  DeviceEnds(std::uint64_t text_size, Output output, std::uint64_t list_capacity = 0);
  ~DeviceEnds();
  DeviceEnds(const DeviceEnds&) = delete;
  DeviceEnds& operator=(const DeviceEnds&) = delete;

  Output output() const;
  /// Whether a match ends at each of the positions [first, first + count): 0 or 1, whatever the output. Throws Error
  /// for a list that did not fit.
  std::vector<std::uint8_t> fetch(std::uint64_t first, std::uint64_t count) const;
  /// Positions where a match ends; for a list also those that did not fit.
  std::uint64_t count() const;
  /// Throws as fetch() does.
  EndsDigest digest() const;

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace trawl::gpu
