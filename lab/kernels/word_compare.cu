#include <algorithm>

#include "base/with_constant.hpp"
#include "lab/kernels/warp_io.cuh"
#include "lab/matchers/packed/word_compare.hpp"
#include "match/warp.hpp"

namespace trawl::gpu {

namespace {

using matchers::WordFilter;
using matchers::WordFilterKind;
using Table = matchers::WordCompare;

constexpr unsigned kThreads = 256;
constexpr unsigned kUnit = 32 * WordFilter::kStarts;  // starts of a warp that loads 16 characters a lane
constexpr unsigned kUnits = 4;                        // loaded at once
constexpr unsigned kChunk = kUnits * kUnit;
constexpr unsigned kChunkGroups = kChunk / kGroupEnds;
static_assert(kChunk % kGroupEnds == 0 && kGroupEnds == 2 * kUnit);
static_assert(kChunk + 8 <= kTextPadding, "the last chunk reads after the text");

// A part of the pattern begins at a start; the match is at [start - offset, start + shift].
struct Starts {
  std::uint64_t begin, end;  // those that can be of a match
  std::uint64_t shift;       // from a start to the match's end
};

// Bit i says whether start `at` + i lies in [begin, end).
__device__ inline std::uint32_t starts_inside(const Starts& starts, std::uint64_t at) {
  const auto before = [&](std::uint64_t border) {  // the bits of starts before it
    return (1u << (border > at ? min(border - at, std::uint64_t{WordFilter::kStarts}) : 0)) - 1;
  };
  return before(starts.end) & ~before(starts.begin);
}

template <WordFilterKind kKind>
__device__ inline std::uint32_t matches(const SearchedText& text, const WordFilter& filter, const Starts& starts,
                                        const Table& table, std::uint64_t at,
                                        const std::uint32_t (&words)[WordFilter::kWords]) {
  std::uint32_t candidates = matchers::begins<kKind>(filter, words);
  if (candidates == 0) {
    return 0;
  }
  candidates &= starts_inside(starts, at);
  if constexpr (kKind != WordFilterKind::sums) {
    return candidates;
  }
  std::uint32_t found = 0;
  for (; candidates != 0; candidates &= candidates - 1) {
    const unsigned i = __ffs(candidates) - 1;
    if (table.pattern.occurs(DeviceCharacters<std::uint64_t>{text.characters, text.size}, at + i - filter.offset)) {
      found |= 1u << i;
    }
  }
  return found;
}

template <WordFilterKind kKind>
__global__ void __launch_bounds__(kThreads)
    word_compare_kernel(SearchedText text, WordFilter filter, Starts starts, const Table* table, EndsView out) {
  // Shorter patterns are found in almost every chunk of DNA, so that a test of the whole chunk does not save work.
  constexpr bool kPretest = kKind == WordFilterKind::sums;
  const unsigned lane = threadIdx.x % 32;
  const std::uint64_t warps = std::uint64_t{gridDim.x} * (kThreads / 32);
  const std::uint64_t chunks = (starts.end + kChunk - 1) / kChunk;
  for (std::uint64_t chunk = std::uint64_t{blockIdx.x} * (kThreads / 32) + threadIdx.x / 32; chunk < chunks;
       chunk += warps) {
    const std::uint8_t* from = text.characters + chunk * kChunk;
    uint4 loaded[kUnits + 1];  // of the last, only the first 8 characters of lane 0
#pragma unroll
    for (unsigned u = 0; u < kUnits; ++u) {
      loaded[u] = __ldcs(reinterpret_cast<const uint4*>(from + u * kUnit) + lane);
    }
    loaded[kUnits] = make_uint4(0, 0, 0, 0);
    if (lane == 0) {
      const uint2 next = *reinterpret_cast<const uint2*>(from + kChunk);
      loaded[kUnits].x = next.x;
      loaded[kUnits].y = next.y;
    }
    // A lane's words, and the two words of the lane after it; after lane 31 comes lane 0 of the next unit.
    std::uint32_t words[kUnits][WordFilter::kWords];
    [[maybe_unused]] bool any = false;
#pragma unroll
    for (unsigned u = 0; u < kUnits; ++u) {
      words[u][0] = loaded[u].x, words[u][1] = loaded[u].y, words[u][2] = loaded[u].z, words[u][3] = loaded[u].w;
      words[u][4] = __shfl_sync(match::kAllLanes, lane == 0 ? loaded[u + 1].x : loaded[u].x, (lane + 1) % 32);
      words[u][5] = __shfl_sync(match::kAllLanes, lane == 0 ? loaded[u + 1].y : loaded[u].y, (lane + 1) % 32);
      if constexpr (kPretest) {
        any |= matchers::begins_anywhere<kKind>(filter, words[u]);
      }
    }
    if constexpr (kPretest) {
      if (!__any_sync(match::kAllLanes, any)) {
        continue;
      }
      // The rare rest compares again. Without this the compiler would keep the results of all comparisons until here.
#pragma unroll
      for (unsigned u = 0; u < kUnits; ++u) {
#pragma unroll
        for (std::uint32_t& word : words[u]) {
          asm volatile("" : "+r"(word));
        }
      }
    }
#pragma unroll
    for (unsigned g = 0; g < kChunkGroups; ++g) {
      const std::uint64_t at = chunk * kChunk + g * kGroupEnds + lane * WordFilter::kStarts;
      const std::uint32_t here = matches<kKind>(text, filter, starts, *table, at, words[2 * g]) |
                                 matches<kKind>(text, filter, starts, *table, at + kUnit, words[2 * g + 1]) << 16;
      if (!__any_sync(match::kAllLanes, here != 0)) {
        continue;
      }
      // Lanes 0 to 15 get the words of the first unit, whose lanes 2l and 2l + 1 have half a word each.
      const std::uint32_t low = __shfl_sync(match::kAllLanes, here, 2 * lane % 32);
      const std::uint32_t high = __shfl_sync(match::kAllLanes, here, 2 * lane % 32 + 1);
      const std::uint32_t word = lane < 16 ? (low & 0xFFFFu) | high << 16 : low >> 16 | (high & 0xFFFF0000u);
      write_group(out, chunk * kChunkGroups + g, word);
    }
  }
}

class WordCompareSearch : public DeviceSearch {
 public:
  explicit WordCompareSearch(const Table& table)
      : kernel_(with_constant<2>(
            static_cast<unsigned>(matchers::word_filter_kind(table.pattern.m)),
            []<class Kind>(Kind) { return &word_compare_kernel<static_cast<WordFilterKind>(Kind::value)>; })),
        filter_(table.filter),
        m_(table.pattern.m),
        table_(1) {
    copy_table(&table, matchers::table_bytes(table), table_.data());
  }

  GpuWork reserve(const SearchedText& text, DeviceEnds::State& ends) override {
    ends.groups.reserve(tiles(starts(text)).groups());
    return {TableMemory::global, WordFilter::kStarts, kThreads, blocks(starts(text))};
  }

  void enqueue(const SearchedText& text, DeviceEnds::State& ends, const Stream& stream) override {
    reserve(text, ends);
    const Starts from = starts(text);
    const EndsView out = ends.view();
    ends.groups.clear(tiles(from).groups(), stream);
    if (from.end > from.begin) {
      kernel_<<<blocks(from), kThreads, 0, stream>>>(text, filter_, from, table_.data(), out);
      check_launch("word_compare_kernel");
    }
    ends.groups.make_list(tiles(from), out, stream);
  }

 private:
  Starts starts(const SearchedText& text) const {
    const std::uint64_t first_window = matchers::first_window(text.first, m_);
    const std::uint64_t windows = text.size >= m_ ? text.size - m_ + 1 : 0;  // they begin at 0 to windows - 1
    return {first_window + filter_.offset, std::max(first_window, windows) + filter_.offset, m_ - 1 - filter_.offset};
  }

  static EndTiles tiles(const Starts& starts) {
    return {starts.shift, (starts.end + kChunk - 1) / kChunk * kChunkGroups, kGroupEnds, 1};
  }

  unsigned blocks(const Starts& starts) {
    const unsigned at_once = resident_blocks(reinterpret_cast<const void*>(kernel_), kThreads);
    const std::uint64_t block = kThreads / 32 * kChunk;
    return static_cast<unsigned>(std::clamp<std::uint64_t>((starts.end + block - 1) / block, 1, std::max(at_once, 1u)));
  }

  decltype(&word_compare_kernel<WordFilterKind::sums>) kernel_;
  WordFilter filter_;
  std::uint32_t m_;
  DeviceBuffer<Table> table_;
};

}  // namespace

std::unique_ptr<DeviceSearch> own_search(const matchers::WordCompare& table) {
  return std::make_unique<WordCompareSearch>(table);
}

}  // namespace trawl::gpu
