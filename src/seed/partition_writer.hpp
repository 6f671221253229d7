// Distributes pairs of numbers to many places in memory. Each place gets whole cache lines, written past the cache:
// else each line would first be read, and half of the time go into that.
//
//   std::vector<std::uint32_t> cursors{0, 100};           // where the next pair of partition 0 and of partition 1 goes
//   std::vector<std::uint32_t> positions(200);
//   std::vector<std::uint16_t> lows(200);
//   PartitionWriter writer(cursors, positions.data(), lows.data());
//   writer.put(1, 7, 3);
//   writer.finish();                                      // now it is written
//   positions[100] == 7
//   lows[100] == 3
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
  /// Several writers may write to the same arrays at the same time, each to its own places. The arrays must begin at
  /// a multiple of 16 (it is faster at one of 64).
  PartitionWriter(std::vector<std::uint32_t> cursors, std::uint32_t* positions, std::uint16_t* lows)
      : begins_(cursors), cursors_(std::move(cursors)), positions_(positions), lows_(lows), lines_(cursors_.size()) {}

  void put(std::size_t partition, std::uint32_t position, std::uint16_t low) {
    const std::uint32_t at = cursors_[partition]++;
    Line& line = lines_[partition];
    line.positions[at % kLine] = position;
    line.lows[at % kLine] = low;
    if (at % kLine == kLine - 1) {
      write_line(partition, at - (kLine - 1));
    }
  }

  /// Writes what is not written yet. Call it once, at the end.
  void finish() {
    for (std::size_t p = 0; p < lines_.size(); ++p) {
      copy(p, std::max(begins_[p], cursors_[p] / kLine * kLine), cursors_[p]);
    }
#ifdef __SSE2__
    _mm_sfence();
#endif
  }

 private:
  static constexpr std::uint32_t kLine = 32;  // pairs

  struct alignas(64) Line {
    std::uint32_t positions[kLine];
    std::uint16_t lows[kLine];
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
    const Line& line = lines_[p];
    write_64_bytes(positions_ + begin, line.positions);
    write_64_bytes(positions_ + begin + 16, line.positions + 16);
    write_64_bytes(lows_ + begin, line.lows);
  }

  void copy(std::size_t p, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t at = begin; at < end; ++at) {
      positions_[at] = lines_[p].positions[at % kLine];
      lows_[at] = lines_[p].lows[at % kLine];
    }
  }

  std::vector<std::uint32_t> begins_;
  std::vector<std::uint32_t> cursors_;
  std::uint32_t* positions_;
  std::uint16_t* lows_;
  std::vector<Line> lines_;
};

}  // namespace trawl::seed
