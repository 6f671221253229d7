#include "seed/seed_index.hpp"

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>

#include "base/bits.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"

namespace trawl::seed {

PackedCodes codes_of(const sequence::PlaneBlock& block) {
  const std::uint64_t high = reverse_bits(block.high);
  const std::uint64_t low = reverse_bits(block.low);
  return {spread_bits(high >> 32) << 1 | spread_bits(low >> 32), spread_bits(high) << 1 | spread_bits(low)};
}

namespace {

// The keys of a block with ambiguous bases in it or soon after it. `after`: the next block.
void find_keys(const sequence::Reference& reference, std::uint64_t block, std::uint64_t after, unsigned q,
               std::uint32_t* keys) {
  std::uint32_t key = 0;
  for (unsigned i = 64 + q - 1; i-- > 0;) {
    const std::uint64_t b = i < 64 ? block : after;
    const unsigned bit = i % 64;
    const auto& plane = reference.planes()[b];
    const auto code = static_cast<std::uint32_t>((plane.high >> bit & 1) << 1 | (plane.low >> bit & 1));
    key = (reference.ambiguous()[b] >> bit & 1) != 0 ? 0 : code << (2 * (q - 1)) | key >> 2;
    if (i < 64) {
      keys[i] = key;
    }
  }
}

// Calls visit(key, position) for every position of [begin, end) that has a base, from left to right. `begin` and `end`
// are multiples of 64; `q` is at most 17.
template <class Visit>
[[gnu::noinline]] void visit_keys(const sequence::Reference& reference, std::uint64_t begin, std::uint64_t end,
                                  unsigned q, Visit&& visit) {
  if (begin == end) {
    return;
  }
  const auto planes = reference.planes();
  const auto ambiguous = reference.ambiguous();
  const std::uint64_t last = planes.size() - 1;
  const std::uint64_t following = (std::uint64_t{1} << (q - 1)) - 1;
  const auto mask = static_cast<std::uint32_t>((std::uint64_t{1} << (2 * q)) - 1);
  const unsigned unused = 64 - 2 * (q + 15);  // bits of a word after 16 keys
  PackedCodes here = codes_of(planes[begin / 64]);
  for (std::uint64_t block = begin / 64; block < end / 64; ++block) {
    if (block % 1024 == 0) {
      Stop::look();
    }
    const std::uint64_t after = std::min(block + 1, last);  // the last block is in a gap
    const PackedCodes next = codes_of(planes[after]);
    const std::uint64_t position = block * 64;
    const std::uint64_t unclear = ambiguous[block];
    if (unclear == 0 && (ambiguous[after] & following) == 0) {
      const std::uint64_t words[4] = {here.first, here.first << 32 | here.second >> 32, here.second,
                                      here.second << 32 | next.first >> 32};
      for (unsigned w = 0; w < 4; ++w) {
        const std::uint64_t word = words[w] >> unused;
        for (unsigned i = 0; i < 16; ++i) {
          visit(static_cast<std::uint32_t>(word >> (30 - 2 * i)) & mask, position + 16 * w + i);
        }
      }
    } else if (unclear != ~std::uint64_t{0}) {
      std::uint32_t keys[64];
      find_keys(reference, block, after, q, keys);
      for (unsigned i = 0; i < 64; ++i) {
        if ((unclear >> i & 1) == 0) {
          visit(keys[i], position + i);
        }
      }
    }
    here = next;
  }
}

// Distributes ascending positions, each with the low bits of its key, to partitions of one array, in 32 bits for both:
// an entry has the step from the position before it in its partition, and the low bits. Where a step is too wide for
// that, and at the first entry of a writer in a partition, a jump says the position. So no array of low bits is needed
// beside the positions. Each partition gets whole cache lines, written past the cache: else each line would first be
// read, and half of the time go into that.
//
//   entries 100 to 199 are partition 1; its first positions are 7 with the bits 3, and 9 with the bits 5:
//   entry 100 is a jump to 7, with the bits 3; entry 101 is 2 << low_bits | 5
class PartitionWriter {
 public:
  // The entry with the index `at` is `position`.
  struct Jump {
    std::uint32_t at;
    std::uint32_t position;
  };

  // `cursors`: where the first entry of each partition goes. `low_bits`: from 1 to 31. No position lies before
  // `first`, and none 2^31 or more after it. Several writers may write to the same array at the same time, each to its
  // own places. The array must begin at a multiple of 16 (it is faster at one of 64).
  PartitionWriter(const std::vector<std::uint32_t>& cursors, std::uint32_t first, unsigned low_bits,
                  std::uint32_t* entries)
      : begins_(cursors),
        low_bits_(low_bits),
        wide_(std::uint32_t{1} << (32 - low_bits)),
        entries_(entries),
        lines_(cursors.size()) {
    partitions_.reserve(cursors.size());
    for (const std::uint32_t cursor : cursors) {
      partitions_.push_back({cursor, first - wide_});  // so the first step is wide
    }
  }

  void put(std::size_t partition, std::uint32_t position, std::uint32_t low) {
    Partition& to = partitions_[partition];
    const std::uint32_t at = to.cursor++;
    std::uint32_t step = position - to.last;
    to.last = position;
    if (step >= wide_) [[unlikely]] {
      jumps_.push_back({at, position});
      step = 0;
    }
    lines_[partition].entries[at % kLine] = step << low_bits_ | low;
    if (at % kLine == kLine - 1) {
      write_line(partition, at - (kLine - 1));
    }
  }

  // Writes what is not written yet, and gives all jumps. Call it once, at the end.
  std::vector<Jump> finish() {
    for (std::size_t p = 0; p < lines_.size(); ++p) {
      const std::uint32_t end = partitions_[p].cursor;
      copy(p, std::max(begins_[p], end / kLine * kLine), end);
    }
#ifdef __SSE2__
    _mm_sfence();
#endif
    return std::move(jumps_);
  }

 private:
  static constexpr std::uint32_t kLine = 16;

  struct alignas(64) CacheLine {
    std::uint32_t entries[kLine];
  };
  struct Partition {
    std::uint32_t cursor;
    std::uint32_t last;  // position
  };

  // Both addresses are multiples of 16.
  static void write_64_bytes(void* to, const void* from) {
#ifdef __SSE2__
    for (int i = 0; i < 4; ++i) {
      _mm_stream_si128(static_cast<__m128i*>(to) + i, _mm_load_si128(static_cast<const __m128i*>(from) + i));
    }
#else
    std::memcpy(to, from, 64);
#endif
  }

  void write_line(std::size_t p, std::uint32_t begin) {
    if (begin < begins_[p]) {  // the line begins with places that are not ours
      copy(p, begins_[p], begin + kLine);
      return;
    }
    write_64_bytes(entries_ + begin, lines_[p].entries);
  }

  void copy(std::size_t p, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t at = begin; at < end; ++at) {
      entries_[at] = lines_[p].entries[at % kLine];
    }
  }

  std::vector<std::uint32_t> begins_;
  unsigned low_bits_;
  std::uint32_t wide_;  // a step that is not too wide is smaller
  std::uint32_t* entries_;
  std::vector<Partition> partitions_;
  std::vector<CacheLine> lines_;
  std::vector<Jump> jumps_;
};

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
  tbb::parallel_for(std::size_t{0}, chunks, Stop::carry([&](std::size_t c) {
                      auto& counts = cursors[c];
                      visit_keys(reference, chunk_begin(c), chunk_begin(c + 1), q,
                                 [&](std::uint32_t key, std::uint64_t) { ++counts[key >> low_bits]; });
                    }));
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
  tbb::parallel_for(std::size_t{0}, chunks, Stop::carry([&](std::size_t c) {
                      PartitionWriter writer(cursors[c], static_cast<std::uint32_t>(chunk_begin(c) - shard.begin),
                                             low_bits, shard.positions.data());
                      visit_keys(reference, chunk_begin(c), chunk_begin(c + 1), q,
                                 [&](std::uint32_t key, std::uint64_t position) {
                                   writer.put(key >> low_bits, static_cast<std::uint32_t>(position - shard.begin),
                                              static_cast<std::uint32_t>(key & (low_keys - 1)));
                                 });
                      const auto of_chunk = writer.finish();
                      const std::lock_guard lock(mutex);
                      jumps.insert(jumps.end(), of_chunk.begin(), of_chunk.end());
                    }));
  tbb::parallel_sort(jumps, [](const auto& a, const auto& b) { return a.at < b.at; });

  const auto sort_some = Stop::carry([&](const tbb::blocked_range<std::size_t>& range) {
    const std::size_t keys = low_keys;  // in a register, whatever is written
    const unsigned bits = low_bits;
    std::vector<std::uint32_t> next(keys);
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
        ++next[entry & (keys - 1)];
      }
      std::uint32_t* offsets = shard.offsets.data() + p * keys;
      std::uint32_t sum = 0;
      for (std::size_t k = 0; k < keys; ++k) {
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
          position += entries[i] >> bits;
          positions[next[entries[i] & (keys - 1)]++] = position;
        }
      }
    }
  });
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, partitions), sort_some);
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
      "the seeds of the saved index are damaged; trawl index --check FILE says more, trawl index REF makes it again");
}

}  // namespace trawl::seed
