// How often each size or each number occurred.
//
//   Histogram sizes(187, 520);      // at most 64 bins, here of 10: 180-189, 190-199, ..., 520-529
//   sizes.add(184);
//   sizes.bins()[0].size == 184.5
//   sizes.bins()[0].count == 1
//
//   CountBins loci;                 // of 0, 1, 2, 3, 4, 5, 6-10, 11-20, 21-50, 51-100, 101-1000, 1001+
//   loci.add(7);
//   loci.json(2).find("\"6-10\": 1") != std::string::npos
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace trawl::io {

/// Bins of equal width.
class Histogram {
 public:
  Histogram() = default;
  /// Bins for the sizes from `min` to `max`, and a few beside them; all other sizes are only counted. A bin's width is
  /// 1, 2 or 5 times a power of ten, and its first size a multiple of it.
  Histogram(std::uint64_t min, std::uint64_t max);

  void add(std::uint64_t size);
  /// Both must have the same bins.
  Histogram& operator+=(const Histogram& other);

  /// The sizes in the middle of the bins, and how often these sizes occurred.
  struct Bin {
    double size;
    std::uint64_t count;
  };
  std::vector<Bin> bins() const;

  /// For a message to another process.
  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.min_, self.width_, self.counts_, self.smaller_, self.larger_);
  }

  std::string json(int depth) const;

 private:
  static constexpr std::uint64_t kMostBins = 64;

  std::uint64_t min_ = 0;
  std::uint64_t width_ = 1;
  std::vector<std::uint64_t> counts_;  // none: all sizes are "larger"
  std::uint64_t smaller_ = 0;
  std::uint64_t larger_ = 0;
};

/// Bins for numbers of which most are small and a few are very large.
class CountBins {
 public:
  void add(std::uint64_t number);
  CountBins& operator+=(const CountBins& other);

  /// The names of the bins, and how often their numbers occurred.
  struct Bin {
    std::string name;
    std::uint64_t count;
  };
  std::vector<Bin> bins() const;

  std::string json(int depth) const;

 private:
  static constexpr std::array<std::uint64_t, 11> kLargest = {0, 1, 2, 3, 4, 5, 10, 20, 50, 100, 1000};

  std::array<std::uint64_t, kLargest.size() + 1> counts_{};
};

}  // namespace trawl::io
