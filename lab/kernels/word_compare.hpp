// The kernel of lab/matchers/packed/word_compare.hpp. Only .cu files include this.
#pragma once

#include <memory>

#include "lab/kernels/device_search.hpp"
#include "lab/matchers/packed/word_compare.hpp"

namespace trawl::gpu {

std::unique_ptr<DeviceSearch> own_search(const matchers::WordCompare::Table& table);

}  // namespace trawl::gpu
