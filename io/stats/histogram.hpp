// How often each size occurred, in bins of equal width.
//
//   Histogram sizes(180, 520);      // at most 64 bins, here of 10: 180-189, 190-199, ..., 520-529
//   sizes.add(350);
//   sizes.json(2)                   // {"first": 180, "bin": 10, "counts": [...], "smaller": 0, "larger": 0}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/packer.hpp"

namespace trawl::io {

class Histogram {
 public:
  Histogram() = default;
  /// Bins for the sizes from `min` to `max`; all other sizes are only counted. A bin's width is 1, 2 or 5 times a power
  /// of ten.
  Histogram(std::uint64_t min, std::uint64_t max);

  void add(std::uint64_t size);
  /// Both must have the same bins.
  Histogram& operator+=(const Histogram& other);

  /// The counts in a message for another process. unpack() replaces those of a histogram with the same bins.
  void pack(Packer& to) const { to.numbers(counts_).number(smaller_).number(larger_); }
  void unpack(Unpacker& from);

  std::string json(int depth) const;

 private:
  static constexpr std::uint64_t kMostBins = 64;

  std::uint64_t min_ = 0;
  std::uint64_t width_ = 1;
  std::vector<std::uint64_t> counts_;  // none: all sizes are "larger"
  std::uint64_t smaller_ = 0;
  std::uint64_t larger_ = 0;
};

}  // namespace trawl::io
