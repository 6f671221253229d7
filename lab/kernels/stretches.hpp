// Numbers that plans of kernels share (exact_plan.cpp, sets/set_plan.cpp).
#pragma once

#include <cstdint>

namespace trawl::gpu {

constexpr std::uint64_t divided_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// A stretch in bytes of 4 * an odd number: so threads that read in step meet different banks of the shared memory.
constexpr unsigned without_conflicts(std::uint64_t stretch) { return static_cast<unsigned>((stretch + 3) / 8 * 8 + 4); }

}  // namespace trawl::gpu
