// Counts of loci of the reads that had several, to be found again by their bases: in a repeat, the same read comes
// again and again.
//
//   KnownReads known(reference, 100, 50000);
//   ReadHash hash(100);                    // of the bases of a read; the same for its reverse complement
//   known.add(hash.value(), position, 12);
//   known.find(hash.value(), other);       // 12 if the read at `other` has the same bases, or those of the other
//   strand
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sequence/alphabet.hpp"
#include "sequence/reference.hpp"

namespace trawl::mappability {

/// A hash of `length` bases that moves along a text base by base. A sequence and its reverse complement have the same.
class ReadHash {
 public:
  explicit ReadHash(std::uint32_t length) {
    for (std::uint32_t i = 1; i < length; ++i) {
      top_ *= kFactor;
    }
  }

  /// Adds a base after the others: a code from 0 to 4.
  void add(unsigned code) {
    forward_ = forward_ * kFactor + kValues[code];
    reverse_ = reverse_ * kInverse + kValues[complement(code)] * top_;
  }
  /// Removes the first of the bases; call it before add() if there are `length` bases already.
  void remove(unsigned code) {
    forward_ -= kValues[code] * top_;
    reverse_ -= kValues[complement(code)];
  }
  /// Of the last `length` bases.
  std::uint64_t value() const {
    std::uint64_t mixed = forward_ + reverse_;
    mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93;
    mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93;
    return mixed ^ (mixed >> 32);
  }

 private:
  static constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t kInverse = [] {  // kFactor * kInverse == 1; each step doubles the bits that are right
    std::uint64_t inverse = kFactor;
    for (int step = 0; step < 6; ++step) {
      inverse *= 2 - kFactor * inverse;
    }
    return inverse;
  }();
  static constexpr std::uint64_t kValues[5] = {0x3c8bfbb395c60474, 0x3193c18562a02b4c, 0x20323ed082572324,
                                               0x295549f54be24456, 0};
  static constexpr unsigned complement(unsigned code) { return code < 4 ? 3 - code : code; }

  std::uint64_t top_ = 1;  // kFactor to the power of length - 1
  std::uint64_t forward_ = 0;
  std::uint64_t reverse_ = 0;
};

/// A table of fixed size. All threads may use it at the same time. A read may take the place of another, which is then
/// forgotten. So a count may be missing, but never wrong.
class KnownReads {
 public:
  /// For reads of `length` bases; about so many will be asked for. `reference` must outlive it.
  KnownReads(const sequence::Reference& reference, std::uint32_t length, std::uint64_t reads);

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slot(hash)); }
  /// The number of loci of the read at `position`, if it is known. The read must have no ambiguous base.
  std::optional<std::uint64_t> find(std::uint64_t hash, std::uint64_t position) const;
  /// Keeps the number of loci of the read at `position`. The read must have no ambiguous base.
  void add(std::uint64_t hash, std::uint64_t position, std::uint64_t loci);

 private:
  // An entry: the position, the number of loci, and some bits of the hash, so that few other reads are compared. 0:
  // none.
  static constexpr unsigned kPositionBits = 36;
  static constexpr unsigned kLociBits = 18;
  static constexpr unsigned kHashBits = 64 - kPositionBits - kLociBits;
  static constexpr std::uint64_t kMostLoci = (std::uint64_t{1} << kLociBits) - 1;

  const std::atomic<std::uint64_t>& slot(std::uint64_t hash) const { return slots_[hash & (slots_.size() - 1)]; }
  bool same_bases(std::uint64_t a, std::uint64_t b) const;
  bool complementary(std::uint64_t a, std::uint64_t b) const;

  const sequence::Reference& reference_;
  std::uint32_t length_;
  std::vector<std::atomic<std::uint64_t>> slots_;
};

}  // namespace trawl::mappability
