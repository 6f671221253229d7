#include "seed/seed_index.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::seed {

namespace {

// The index is sorted in two steps that stay in the cache. First, positions are put into partitions by the first q - 8
// bases of their q-gram. Then each partition is counted and sorted by the other 8 bases.
constexpr unsigned kLowBases = 8;
constexpr std::size_t kLowKeys = std::size_t{1} << (2 * kLowBases);

// Calls visit(key, position - shard.begin) for every position of [begin, end) with a base, from right to left.
// `begin` and `end` are multiples of 64.
template <class Visit>
void visit_keys(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t end, unsigned q,
                std::uint64_t shard_begin, Visit&& visit) {
  const unsigned top = 2 * (q - 1);
  std::uint32_t key = 0;
  const auto& planes = reference.planes();
  const auto& ambiguous = reference.ambiguous();
  const auto take = [&](std::uint64_t block, unsigned bit) {
    const std::uint32_t code =
        static_cast<std::uint32_t>(((planes[block].high >> bit) & 1) << 1 | ((planes[block].low >> bit) & 1));
    key = (code << top) | (key >> 2);
  };
  if (end < reference.size()) {
    for (unsigned bit = q; bit-- > 0;) {  // the bases after `end` that belong to the last q-grams
      if ((ambiguous[end / 64] >> bit) & 1) {
        key = 0;
      } else {
        take(end / 64, bit);
      }
    }
  }
  for (std::uint64_t block = end / 64; block-- > begin / 64;) {
    const std::uint32_t first = static_cast<std::uint32_t>(block * 64 - shard_begin);
    if (ambiguous[block] == 0) {
      for (unsigned bit = 64; bit-- > 0;) {
        take(block, bit);
        visit(key, first + bit);
      }
    } else if (ambiguous[block] == ~std::uint64_t{0}) {
      key = 0;
    } else {
      for (unsigned bit = 64; bit-- > 0;) {
        if ((ambiguous[block] >> bit) & 1) {
          key = 0;
        } else {
          take(block, bit);
          visit(key, first + bit);
        }
      }
    }
  }
}

void build_shard(const sequence::Reference& reference, unsigned q, unsigned threads, SeedIndex::Shard& shard) {
  const std::size_t partitions = std::size_t{1} << (2 * (q - kLowBases));
  const std::size_t chunks = std::max(1u, threads);
  const std::uint64_t blocks = (shard.end - shard.begin) / 64;
  const auto chunk_begin = [&](std::size_t c) { return shard.begin + blocks * c / chunks * 64; };

  // cursors[c][p]: where chunk c writes its next position in partition p. It writes backwards.
  std::vector<std::vector<std::uint32_t>> cursors(chunks, std::vector<std::uint32_t>(partitions, 0));
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
    auto& counts = cursors[c];
    visit_keys(reference, chunk_begin(c), chunk_begin(c + 1), q, shard.begin,
               [&](std::uint32_t key, std::uint32_t) { ++counts[key >> (2 * kLowBases)]; });
  });
  std::vector<std::uint32_t> partition_begin(partitions + 1, 0);
  std::uint32_t total = 0;
  for (std::size_t p = 0; p < partitions; ++p) {
    partition_begin[p] = total;
    for (std::size_t c = 0; c < chunks; ++c) {
      total += cursors[c][p];
      cursors[c][p] = total;
    }
  }
  partition_begin[partitions] = total;

  shard.positions = sequence::HugeArray<std::uint32_t>(total);
  shard.offsets = sequence::HugeArray<std::uint32_t>(partitions * kLowKeys + 1);
  sequence::HugeArray<std::uint16_t> low_keys(total);
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
    std::uint32_t* cursor = cursors[c].data();
    std::uint32_t* positions = shard.positions.data();
    std::uint16_t* lows = low_keys.data();
    visit_keys(reference, chunk_begin(c), chunk_begin(c + 1), q, shard.begin,
               [&](std::uint32_t key, std::uint32_t position) {
                 const std::uint32_t at = --cursor[key >> (2 * kLowBases)];
                 positions[at] = position;
                 lows[at] = static_cast<std::uint16_t>(key);
               });
  });

  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, partitions), [&](const tbb::blocked_range<std::size_t>& range) {
    std::vector<std::uint32_t> next(kLowKeys);
    std::vector<std::uint32_t> unsorted;
    for (std::size_t p = range.begin(); p < range.end(); ++p) {
      const std::uint32_t begin = partition_begin[p];
      const std::uint32_t count = partition_begin[p + 1] - begin;
      const std::uint16_t* lows = low_keys.data() + begin;
      std::uint32_t* positions = shard.positions.data() + begin;
      std::fill(next.begin(), next.end(), 0);
      for (std::uint32_t i = 0; i < count; ++i) {
        ++next[lows[i]];
      }
      std::uint32_t* offsets = shard.offsets.data() + p * kLowKeys;
      std::uint32_t sum = 0;
      for (std::size_t k = 0; k < kLowKeys; ++k) {
        const std::uint32_t here = next[k];
        next[k] = sum;
        offsets[k] = begin + sum;
        sum += here;
      }
      unsorted.assign(positions, positions + count);
      for (std::uint32_t i = 0; i < count; ++i) {
        positions[next[lows[i]]++] = unsorted[i];
      }
    }
  });
  shard.offsets[partitions * kLowKeys] = total;
}

}  // namespace

unsigned SeedIndex::suggest_q(std::uint64_t bases) {
  const double log4 = std::log2(static_cast<double>(std::max<std::uint64_t>(bases, 4))) / 2;
  return std::clamp(static_cast<unsigned>(log4) - 1, 10u, kMaxQ);
}

SeedIndex::SeedIndex(const sequence::Reference& reference, unsigned q, unsigned threads, std::uint64_t shard_positions)
    : q_(q) {
  shard_positions = std::max<std::uint64_t>(64, shard_positions / 64 * 64);
  tbb::task_arena arena(static_cast<int>(std::max(1u, threads)));
  arena.execute([&] {
    for (std::uint64_t begin = 0; begin < reference.size(); begin += shard_positions) {
      shards_.emplace_back();
      shards_.back().begin = begin;
      shards_.back().end = std::min(reference.size(), begin + shard_positions);
      build_shard(reference, q_, threads, shards_.back());
    }
  });
}

void SeedIndex::fail_damaged() {
  throw Error(
      "the seeds of the saved index are damaged; trawl index --check FILE tells more, trawl index REF makes it again");
}

}  // namespace trawl::seed
