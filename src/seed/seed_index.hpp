// The seed index: all positions of the reference, ordered by the q-gram that starts at each of them.
//
// A table of 4^q offsets leads to the positions. A key is a base-4 number, with the first base as its most significant
// digit. So all positions of a shorter seed are neighbours too, and one index serves seeds of every length up to q. A
// q-gram may be cut short by an ambiguous base or by the end of a contig. The rest of its key is then filled with A. So
// the position is still found for the seeds that fit. A seed that does not fit is a candidate that verification
// rejects.
//
//   with: const sequence::Reference reference = reference_of("GATTACATTGATTACACC")
//   const SeedIndex index(reference, 8, 1);
//   const std::uint32_t key = 0b1000'1111'0001'0011;                   // GATTACAT
//   for (const SeedIndex::Shard& shard : index.shards()) {
//     index.find(shard, key, 7).size() == 2                            // GATTACA
//     shard.begin + index.find(shard, key, 8)[0] == sequence::kContigGap
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sequence/huge_array.hpp"
#include "sequence/reference.hpp"

namespace trawl::seed {

/// The codes of 64 letters, with the first one at the top of `first`.
struct PackedCodes {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};
PackedCodes codes_of(const sequence::PlaneBlock& block);

class SeedIndex {
 public:
  /// A part of the coordinate space, small enough for positions of 32 bits.
  struct Shard {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    sequence::HugeArray<std::uint32_t> offsets;    // 4^q + 1 indices into `positions`
    sequence::HugeArray<std::uint32_t> positions;  // relative to begin
  };

  static constexpr std::uint64_t kShardPositions = (std::uint64_t{1} << 32) - 64;
  static constexpr unsigned kMinQ = 8;
  static constexpr unsigned kMaxQ = 15;

  /// The q for which a list has about ten positions on average: log4 of the reference's size minus one, from 10 on. A
  /// larger table costs more time to build than it saves (docs/record/map.md). Each shard has a table: above one
  /// shard q stays 14.
  static unsigned suggest_q(std::uint64_t bases);

  /// `q`: from kMinQ to kMaxQ. `shard_positions`: positions per shard, at most 2^32 - 64; only tests change it.
  SeedIndex(const sequence::Reference& reference, unsigned q, unsigned threads,
            std::uint64_t shard_positions = kShardPositions);

  /// An index from arrays that were made before. The shards must cover the reference in ascending order, with begins
  /// that are multiples of 64, and their offsets must have 4^q + 1 values. What the arrays contain is not checked here:
  /// see find().
  SeedIndex(unsigned q, std::vector<Shard> shards) : q_(q), shards_(std::move(shards)) {}

  unsigned q() const { return q_; }
  const std::vector<Shard>& shards() const { return shards_; }

  /// The positions where the first `length` (1 to q) bases of `key` start, ascending if length is q. The key holds q
  /// bases; those after `length` are ignored. Throws Error if the offsets lie outside the positions: a saved index that
  /// is damaged.
  std::span<const std::uint32_t> find(const Shard& shard, std::uint32_t key, unsigned length) const {
    const auto [first, last] = range(key, length);
    const std::size_t begin = shard.offsets[first];
    const std::size_t end = shard.offsets[last];
    if (begin > end || end > shard.positions.size()) [[unlikely]] {
      fail_damaged();
    }
    return {shard.positions.data() + begin, end - begin};
  }

  /// find().size(). If the index is damaged, any number.
  std::uint32_t count(const Shard& shard, std::uint32_t key, unsigned length) const {
    const auto [first, last] = range(key, length);
    return shard.offsets[last] - shard.offsets[first];
  }

  /// Prefetches the table's entry for a key of full length.
  static void prefetch(const Shard& shard, std::uint32_t key) { __builtin_prefetch(shard.offsets.data() + key); }

  /// Throws Error: the arrays of a saved index are damaged.
  [[noreturn]] static void fail_damaged();

 private:
  // The keys that begin with the first `length` bases of `key`: from first to the one before last.
  std::pair<std::size_t, std::size_t> range(std::uint32_t key, unsigned length) const {
    const unsigned shift = 2 * (q_ - length);
    const std::size_t first = static_cast<std::size_t>(key >> shift) << shift;
    return {first, first + (std::size_t{1} << shift)};
  }

  unsigned q_;
  std::vector<Shard> shards_;
};

}  // namespace trawl::seed
