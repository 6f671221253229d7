// The seed index: every position of the reference, in the order of the q-gram that starts there.
//
// A direct table of 4^q offsets leads to the positions. Keys are base-4 numbers, first base most significant, so all
// positions of a shorter seed are neighbours too, and one index serves seeds of any length up to q. Where a q-gram is
// cut short by an ambiguous base or a contig's end, the rest of its key counts as A: the position stays findable for
// the seeds that do fit, and a seed that does not fit is a candidate that verification rejects.
//
//   SeedIndex index(reference, SeedIndex::suggest_q(reference.bases()), threads);
//   for (const SeedIndex::Shard& shard : index.shards()) {
//     auto hits = index.find(shard, key, length);        // absolute position = shard.begin + hit
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sequence/huge_array.hpp"
#include "sequence/reference.hpp"

namespace trawl::seed {

class SeedIndex {
 public:
  /// A part of the coordinate space with positions of 32 bits.
  struct Shard {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    sequence::HugeArray<std::uint32_t> offsets;    // 4^q + 1, into positions
    sequence::HugeArray<std::uint32_t> positions;  // relative to begin
  };

  static constexpr unsigned kMinQ = 8;
  static constexpr unsigned kMaxQ = 15;

  /// The q that makes an average list about ten positions long: log4 of the reference's size less one, from 10 to
  /// kMaxQ. A table for longer ones takes longer to build than it saves (docs/performance.md).
  static unsigned suggest_q(std::uint64_t bases);

  /// `q` from kMinQ to kMaxQ. `shard_positions`: positions a shard, for tests; at most 2^32 - 64.
  SeedIndex(const sequence::Reference& reference, unsigned q, unsigned threads,
            std::uint64_t shard_positions = kShardPositions);

  unsigned q() const { return q_; }
  const std::vector<Shard>& shards() const { return shards_; }

  /// Positions where the `length` (1 to q) bases of `key` start, ascending if length is q. The key holds q bases;
  /// those behind `length` are ignored.
  std::span<const std::uint32_t> find(const Shard& shard, std::uint32_t key, unsigned length) const {
    const unsigned shift = 2 * (q_ - length);
    const std::size_t first = static_cast<std::size_t>(key >> shift) << shift;
    const std::size_t last = first + (std::size_t{1} << shift);
    const std::uint32_t* positions = shard.positions.data();
    return {positions + shard.offsets[first], positions + shard.offsets[last]};
  }

  /// Brings the table's entry for a key of full length near.
  static void prefetch(const Shard& shard, std::uint32_t key) { __builtin_prefetch(shard.offsets.data() + key); }

 private:
  static constexpr std::uint64_t kShardPositions = (std::uint64_t{1} << 32) - 64;

  unsigned q_;
  std::vector<Shard> shards_;
};

}  // namespace trawl::seed
