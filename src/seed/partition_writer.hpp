// Distributes ascending positions, each with the low bits of its key, to partitions of one array, in 32 bits for both:
// an entry has the step from the position before it in its partition, and the low bits. Where a step is too wide for
// that, and at the first entry of a writer in a partition, a jump says the position. So no array of low bits is needed
// beside the positions. Each partition gets whole cache lines, written past the cache: else each line would first be
// read, and half of the time go into that.
//
//   std::vector<std::uint32_t> entries(200);
//   PartitionWriter writer({0, 100}, 0, 14, entries.data());   // from 0 on: partition 0; from 100 on: partition 1
//   writer.put(1, 7, 3);
//   writer.put(1, 9, 5);
//   const std::vector<PartitionWriter::Jump> jumps = writer.finish();   // now it is written
//   jumps.size() == 1
//   jumps[0].position == 7
//   entries[101] == (2 << 14 | 5)
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace trawl::seed {

class PartitionWriter {
 public:
  /// The entry with the index `at` is `position`.
  struct Jump {
    std::uint32_t at;
    std::uint32_t position;
  };

  /// `cursors`: where the first entry of each partition goes. `low_bits`: from 1 to 31. No position lies before
  /// `first`, and none 2^31 or more after it. Several writers may write to the same array at the same time, each to its
  /// own places. The array must begin at a multiple of 16 (it is faster at one of 64).
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

  /// Writes what is not written yet, and gives all jumps. Call it once, at the end.
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

  struct alignas(64) Line {
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
  std::vector<Line> lines_;
  std::vector<Jump> jumps_;
};

}  // namespace trawl::seed
