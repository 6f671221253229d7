// Compares the oracles with textbook code on random cases.
#pragma once

#include <cstdint>

namespace trawl::bench {

/// Prints what differs. Returns the exit status: 0 if nothing does.
int self_test(std::uint64_t cases, std::uint64_t seed);

}  // namespace trawl::bench
