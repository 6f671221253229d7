// How often each size or each number occurred, and how much lies where along the contigs of a reference.
//
//   Histogram sizes(187, 520);      // at most 64 bins, here of 10: 180-189, 190-199, ..., 520-529
//   sizes.add(184);
//   sizes.bins()[0].size == 184.5
//
//   CountBins loci;                 // of 0, 1, 2, 3, 4, 5, 6-10, 11-20, 21-50, 51-100, 101-1000, 1001+
//   loci.add(7);
//
//   ContigBins bins;
//   bins.add(0, 100, 200);                                        // contig 0, bases 100 to 199
//   bins.finish(std::vector<std::uint64_t>{5'000'000'000});       // the lengths of the contigs
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "sequence/reference.hpp"

namespace trawl::io {

/// Bins of equal width.
class Histogram {
 public:
  Histogram() = default;
  /// Bins for the sizes from `min` to `max`, and a few beside them; all other sizes are only counted. A bin's width is
  /// 1, 2 or 5 times a power of ten, and its first size a multiple of it.
  Histogram(std::uint64_t min, std::uint64_t max);

  void add(std::uint64_t size, std::uint64_t times = 1);
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
  void add(std::uint64_t number, std::uint64_t times = 1);

  /// The names of the bins, and how often their numbers occurred.
  struct Bin {
    std::string name;
    std::uint64_t count;
  };
  std::vector<Bin> bins() const;

  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.counts_);
  }

  std::string json(int depth) const;

 private:
  static constexpr std::array<std::uint64_t, 11> kLargest = {0, 1, 2, 3, 4, 5, 10, 20, 50, 100, 1000};

  std::array<std::uint64_t, kLargest.size() + 1> counts_{};
};

std::vector<std::uint64_t> lengths_of(const std::vector<sequence::Contig>& contigs);

/// How many bases are covered, or how many sites begin, along the contigs of a reference of any size. Bins are as wide
/// as needed, a power of two: at most kMostBins of them, and one more for each contig. So memory does not grow with the
/// reference, and the bins do not depend on the order in which they were filled.
class ContigBins {
 public:
  static constexpr std::uint64_t kMostBins = 16'384;

  ContigBins() = default;
  /// If the lengths are known, no bin is made that finish() would join with others.
  explicit ContigBins(std::span<const std::uint64_t> lengths) : shift_(shift_for(lengths)) {}

  /// Adds to each bin how many bases of [begin, end) lie in it.
  void add(std::size_t contig, std::uint64_t begin, std::uint64_t end, std::uint64_t times = 1);
  ContigBins& operator+=(const ContigBins& other);

  /// Gives each contig all its bins. Nothing is added afterwards.
  void finish(std::span<const std::uint64_t> lengths);

  std::uint64_t width() const { return std::uint64_t{1} << shift_; }
  /// After finish().
  const std::vector<std::uint64_t>& of(std::size_t contig) const { return contigs_[contig]; }

  /// For a message to another process.
  template <class Self>
  static auto members(Self& self) {
    return std::tie(self.shift_, self.bins_, self.contigs_);
  }

 private:
  static unsigned shift_for(std::span<const std::uint64_t> lengths);
  void widen(unsigned shift);
  void count_bins();

  unsigned shift_ = 0;
  std::uint64_t bins_ = 0;                           // of all contigs
  std::vector<std::vector<std::uint64_t>> contigs_;  // up to the last bin that is not empty
};

template <class T>
void add_members(T& sum, const T& more);

/// Adds counts: numbers, lists of them by index, and what has members().
template <class T>
void add_counts(T& sum, const T& more) {
  if constexpr (requires { sum += more; }) {
    sum += more;
  } else if constexpr (requires { T::members(sum); }) {
    add_members(sum, more);
  } else {
    if constexpr (requires { sum.resize(0); }) {
      sum.resize(std::max(sum.size(), more.size()));
    }
    std::transform(more.begin(), more.end(), sum.begin(), sum.begin(), std::plus<>());
  }
}

template <class T>
void add_members(T& sum, const T& more) {
  std::apply([&](auto&... to) { std::apply([&](auto&... from) { (add_counts(to, from), ...); }, T::members(more)); },
             T::members(sum));
}

}  // namespace trawl::io
