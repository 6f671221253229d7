// The kernel of matchers/packed/word_compare.hpp. Only gpu/*.cu include this.
#pragma once

#include <memory>

#include "gpu/matchers/device_search.hpp"
#include "matchers/packed/word_compare.hpp"

namespace trawl::gpu {

std::unique_ptr<DeviceSearch> own_search(const matchers::WordCompare::Table& table);

}  // namespace trawl::gpu
