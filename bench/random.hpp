// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea and Flood 2014).
#pragma once

#include <cstdint>

#include "bench/arguments.hpp"

namespace trawl::bench {

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * (1.0 / 9007199254740992.0); }

  /// In [0, n).
  std::uint64_t below(std::uint64_t n) { return next() % n; }

  /// In [first, last].
  std::uint64_t between(std::uint64_t first, std::uint64_t last) { return first + below(last - first + 1); }

  std::uint64_t between(Range range) { return between(range.first, range.last); }
  /// True with this probability.
  bool chance(double probability) { return unit() < probability; }

 private:
  std::uint64_t state_;
};

}  // namespace trawl::bench
