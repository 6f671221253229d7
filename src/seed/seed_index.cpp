#include "seed/seed_index.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "seed/partition_writer.hpp"
#include "seed/visit_keys.hpp"

namespace trawl::seed {

namespace {

// The index is sorted in two steps that stay in the cache. First, positions are put into partitions by the first bases
// of their q-gram. Then each partition is counted and sorted by the other bases: 7, or 8 where there would be too many
// partitions. Between the steps, an entry of a partition holds the step to its position and these bases
// (PartitionWriter), in the place where the position will be.
unsigned low_bases(unsigned q) { return q <= 12 ? 7 : 8; }

void build_shard(const sequence::Reference& reference, unsigned q, unsigned threads, SeedIndex::Shard& shard) {
  const unsigned low_bits = 2 * low_bases(q);
  const std::size_t low_keys = std::size_t{1} << low_bits;
  const std::size_t partitions = std::size_t{1} << (2 * q - low_bits);
  const std::size_t chunks = std::max(2u, threads);  // of at most 2^31 positions, as PartitionWriter wants it
  const std::uint64_t blocks = (shard.end - shard.begin) / 64;
  const auto chunk_begin = [&](std::size_t c) { return shard.begin + blocks * c / chunks * 64; };

  // cursors[c][p]: where chunk c writes its first position in partition p.
  std::vector<std::vector<std::uint32_t>> cursors(chunks, std::vector<std::uint32_t>(partitions, 0));
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
    auto& counts = cursors[c];
    visit_keys(reference, chunk_begin(c), chunk_begin(c + 1), q,
               [&](std::uint32_t key, std::uint64_t) { ++counts[key >> low_bits]; });
  });
  std::vector<std::uint32_t> partition_begin(partitions + 1, 0);
  std::uint32_t total = 0;
  for (std::size_t p = 0; p < partitions; ++p) {
    partition_begin[p] = total;
    for (std::size_t c = 0; c < chunks; ++c) {
      total += std::exchange(cursors[c][p], total);
    }
  }
  partition_begin[partitions] = total;

  shard.positions = sequence::HugeArray<std::uint32_t>(total);
  shard.offsets = sequence::HugeArray<std::uint32_t>(partitions * low_keys + 1);
  std::vector<PartitionWriter::Jump> jumps{{total, 0}};  // the last one ends the last partition
  std::mutex mutex;
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
    PartitionWriter writer(cursors[c], static_cast<std::uint32_t>(chunk_begin(c) - shard.begin), low_bits,
                           shard.positions.data());
    visit_keys(reference, chunk_begin(c), chunk_begin(c + 1), q, [&](std::uint32_t key, std::uint64_t position) {
      writer.put(key >> low_bits, static_cast<std::uint32_t>(position - shard.begin),
                 static_cast<std::uint32_t>(key & (low_keys - 1)));
    });
    const auto of_chunk = writer.finish();
    const std::lock_guard lock(mutex);
    jumps.insert(jumps.end(), of_chunk.begin(), of_chunk.end());
  });
  tbb::parallel_sort(jumps, [](const auto& a, const auto& b) { return a.at < b.at; });

  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, partitions), [&](const tbb::blocked_range<std::size_t>& range) {
    std::vector<std::uint32_t> next(low_keys);
    std::vector<std::uint32_t> entries;
    auto jump = std::lower_bound(jumps.begin(), jumps.end(), partition_begin[range.begin()],
                                 [](const auto& a, std::uint32_t at) { return a.at < at; });
    for (std::size_t p = range.begin(); p < range.end(); ++p) {
      const std::uint32_t begin = partition_begin[p];
      const std::uint32_t count = partition_begin[p + 1] - begin;
      std::uint32_t* positions = shard.positions.data() + begin;
      entries.assign(positions, positions + count);
      std::fill(next.begin(), next.end(), 0);
      for (const std::uint32_t entry : entries) {
        ++next[entry & (low_keys - 1)];
      }
      std::uint32_t* offsets = shard.offsets.data() + p * low_keys;
      std::uint32_t sum = 0;
      for (std::size_t k = 0; k < low_keys; ++k) {
        const std::uint32_t here = next[k];
        next[k] = sum;
        offsets[k] = begin + sum;
        sum += here;
      }
      std::uint32_t position = 0;
      for (std::uint32_t i = 0; i < count;) {
        if (jump->at == begin + i) {
          position = jump++->position;
        }
        const std::uint32_t stop = std::min(count, jump->at - begin);
        for (; i < stop; ++i) {
          position += entries[i] >> low_bits;
          positions[next[entries[i] & (low_keys - 1)]++] = position;
        }
      }
    }
  });
  shard.offsets[partitions * low_keys] = total;
}

}  // namespace

unsigned SeedIndex::suggest_q(std::uint64_t bases) {
  const auto of_a_table = static_cast<double>(std::clamp<std::uint64_t>(bases, 4, kShardPositions));
  return std::clamp(static_cast<unsigned>(std::log2(of_a_table) / 2) - 1, 10u, kMaxQ);
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
