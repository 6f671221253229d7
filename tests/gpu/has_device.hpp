// Tells whether this program's tests can run: they need a CUDA device.
#pragma once

#include "base/error.hpp"
#include "gpu/device/devices.hpp"
#include "tests/catch.hpp"

namespace trawl::tests {

/// Prints a warning if there is none.
inline bool has_device() {
  try {
    gpu::usable_devices(1);
    return true;
  } catch (const Error& error) {
    WARN("skipped: " << error.what());
    return false;
  }
}

}  // namespace trawl::tests
