// Loci, and how distances at end positions become loci.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sequence/reference.hpp"

namespace trawl::align {

/// A strand and a maximal run of consecutive end positions with D <= e: its leftmost end with the smallest D.
struct Locus {
  std::uint64_t end = 0;  // of the last aligned base, in the coordinate space
  std::uint16_t distance = 0;
  bool reverse = false;
};

/// D at one end position, found by some window.
struct EndDistance {
  std::uint64_t end = 0;
  std::uint16_t distance = 0;
};

/// Turns distances at end positions, which come window by window and overlap, into the loci of one strand.
///
///   builder.start(reference, e, reverse, loci);
///   builder.add(first_end, distances);   // ascending first_end; where windows overlap the smaller distance holds
///   builder.finish();
class LocusBuilder {
 public:
  void start(const sequence::Reference& reference, std::uint32_t max_edits, bool reverse, std::vector<Locus>& loci);
  void add(std::int64_t first_end, std::span<const std::uint16_t> distances);
  void finish() { flush(); }

 private:
  void flush();

  const sequence::Reference* reference_ = nullptr;
  std::vector<Locus>* loci_ = nullptr;
  std::uint16_t max_edits_ = 0;
  bool reverse_ = false;
  std::int64_t first_ = 0;             // end position of values_[0]
  std::vector<std::uint16_t> values_;  // of consecutive end positions
};

}  // namespace trawl::align
