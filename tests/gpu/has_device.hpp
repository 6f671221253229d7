// Whether the tests of this program can run: they need a CUDA device.
#pragma once

#include <string>

#include "gpu/device_text.hpp"
#include "tests/catch.hpp"

namespace trawl::tests {

/// Warns where there is none.
inline bool has_device() {
  std::string why;
  if (gpu::devices(why).empty()) {
    WARN("skipped: no CUDA device can be used here: " << why);
    return false;
  }
  return true;
}

}  // namespace trawl::tests
