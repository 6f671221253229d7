// How much memory a program may use.
#pragma once

#include <cstdint>

namespace trawl {

/// The memory of the machine in bytes, or the limit of this process's control group (containers, batch systems) where
/// that is less.
std::uint64_t usable_memory();

}  // namespace trawl
