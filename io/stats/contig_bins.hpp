// How many bases are covered, or how many sites begin, along the contigs of a reference of any size.
//
//   ContigBins bins;
//   bins.add(0, 100, 200);                                        // contig 0, bases 100 to 199
//   bins.finish(std::vector<std::uint64_t>{5'000'000'000});       // the lengths of the contigs
//   bins.width() == 524'288
//   bins.of(0)[0] == 100
//
// Bins are as wide as needed, a power of two: at most kMostBins of them, and one more for each contig. So memory does
// not grow with the reference, and the bins do not depend on the order in which they were filled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "sequence/reference.hpp"

namespace trawl::io {

std::vector<std::uint64_t> lengths_of(const std::vector<sequence::Contig>& contigs);

class ContigBins {
 public:
  static constexpr std::uint64_t kMostBins = 16'384;

  ContigBins() = default;
  /// If the lengths are known, no bin is made that finish() would join with others.
  explicit ContigBins(std::span<const std::uint64_t> lengths) : shift_(shift_for(lengths)) {}

  /// Adds to each bin how many bases of [begin, end) lie in it.
  void add(std::size_t contig, std::uint64_t begin, std::uint64_t end);
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

}  // namespace trawl::io
