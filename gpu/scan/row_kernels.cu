// The kernel of the row-wise scan. It is compiled for some numbers of levels and some kinds of rows at a time (the
// table at the end), so that no part takes long.
#include "gpu/scan/row_launch.hpp"
#include "match/wu_manber_warp.hpp"

namespace trawl::gpu {

namespace {

using match::DeviceWarp;
using Ops = match::WarpOps<DeviceWarp>;

constexpr unsigned kWarps = 4;  // of a block
constexpr unsigned kThreads = kWarps * match::kWarpLanes;

struct MixedBlockText {
  const std::uint32_t* planes;
  unsigned lane;

  __device__ void eq(unsigned set, std::uint32_t* out) const {
#pragma unroll
    for (unsigned t = 0; t < match::kRowWords; ++t) {
      out[t] = 0;
    }
    for (unsigned base = 0; base < 4; ++base) {
      if ((set >> base) & 1) {
#pragma unroll
        for (unsigned t = 0; t < match::kRowWords; ++t) {
          out[t] |= planes[(base * match::kRowWords + t) * match::kWarpLanes + lane];
        }
      }
    }
  }
};

// Writes the hits with an end in the region.
template <unsigned kLevels>
__device__ void write_hits(const match::WuManberWarp<DeviceWarp, kLevels>& scan, const RowTextView& text,
                           const RowSearchView& search, const DeviceList& list, std::uint64_t position, unsigned lane,
                           const scan::Region& region, const HitsView& out) {
#pragma unroll
  for (unsigned t = 0; t < match::kRowWords; ++t) {
    for (std::uint32_t left = scan.state[kLevels - 1][t]; left != 0; left &= left - 1) {
      const unsigned bit = __ffs(left) - 1;
      unsigned distance = kLevels - 1;
#pragma unroll
      for (unsigned d = kLevels; d-- > 0;) {
        if ((scan.state[d][t] >> bit) & 1) {
          distance = d;
        }
      }
      const std::uint64_t at = position + match::row_position(lane, t, bit);
      if (distance > search.max_edits || at < region.begin || at >= region.end) {
        continue;
      }
      if (text.ambiguous_counts.is_ambiguous != nullptr &&
          !search.limit.allows(text.ambiguous_counts.in_window(at, list.length), list.length)) {
        continue;
      }
      out.add(at, list.id, distance);
    }
  }
}

template <unsigned kLevels, RowKinds kKinds, class Text>
__device__ bool run_list(match::WuManberWarp<DeviceWarp, kLevels>& scan, const std::uint8_t* rows, unsigned length,
                         const Text& text) {
  if constexpr (kLevels == 1) {
    return scan.template run_alike<match::RowKind::exact>(DeviceWarp(), rows, length, text);
  } else if constexpr (kKinds == RowKinds::edits) {
    return scan.template run_alike<match::RowKind::edits>(DeviceWarp(), rows, length, text);
  } else if constexpr (kKinds == RowKinds::mismatches) {
    return scan.template run_alike<match::RowKind::mismatches>(DeviceWarp(), rows, length, text);
  } else {
    return scan.run(DeviceWarp(), rows, length, text);
  }
}

// A warp runs one list over one strip of the blocks [blocks.first, blocks.last), which cover the region.
template <unsigned kLevels, RowKinds kKinds>
__global__ void __launch_bounds__(kThreads)
    row_kernel(RowTextView text, RowSearchView search, scan::Region region, BlockRange blocks, std::uint64_t strip,
               std::uint64_t tasks, HitsView out) {
  extern __shared__ std::uint8_t shared[];
  const unsigned warp_number = threadIdx.x / match::kWarpLanes;
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  const std::uint64_t task = std::uint64_t{blockIdx.x} * kWarps + warp_number;
  if (task >= tasks) {
    return;
  }
  const DeviceList list = search.lists[task % search.list_count];
  std::uint8_t* const rows = shared + warp_number * search.longest;
  for (unsigned i = lane; i < list.length; i += match::kWarpLanes) {
    rows[i] = search.rows[list.first + i];
  }
  __syncwarp();
  const std::uint64_t first = blocks.first + task / search.list_count * strip;
  const std::uint64_t last = min(first + strip, blocks.last);
  match::WuManberWarp<DeviceWarp, kLevels> scan;
  for (std::uint64_t block = first; block < last; ++block) {
    const std::uint64_t loaded = block - text.first;
    const BlockKind kind = text.kinds[loaded];
    bool found = false;
    if (kind == BlockKind::plain) {
      const uint4* from = text.plain + loaded * kPlainVectors + lane;
      const uint4 a = from[0], b = from[32], c = from[64], d = from[96];
      const std::uint32_t high[match::kRowWords] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
      const std::uint32_t low[match::kRowWords] = {c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w};
      const match::PlainBlockText<std::uint32_t, Ops> planes{high, low};
      found = run_list<kLevels, kKinds>(scan, rows, list.length, planes);
    } else if (kind == BlockKind::mixed) {
      const MixedBlockText planes{text.mixed + std::uint64_t{text.mixed_slots[loaded]} * kMixedWords, lane};
      found = run_list<kLevels, kKinds>(scan, rows, list.length, planes);
    }
    if (found) {
      const std::uint64_t position = block * text.step;
      const std::uint64_t begin = block == 0 ? 0 : position + match::kRowBlock - text.step;
      write_hits(scan, text, search, list, position, lane, {max(begin, region.begin), region.end}, out);
      // There is no room for more hits: the region will be searched again in smaller parts.
      // All lanes leave or none: other lanes add to the count meanwhile.
      if (__any_sync(match::kAllLanes, out.is_full()) != 0) {
        return;
      }
    }
  }
}

}  // namespace

template <unsigned kLevels, RowKinds kKinds>
void launch_rows(const RowLaunch& l) {
  const auto blocks = static_cast<unsigned>((l.tasks + kWarps - 1) / kWarps);
  const std::size_t shared = kWarps * l.search.longest;
  row_kernel<kLevels, kKinds>
      <<<blocks, kThreads, shared, l.stream>>>(l.text, l.search, l.region, l.blocks, l.strip, l.tasks, l.out);
  check_launch("row_kernel");
}

// gpu/CMakeLists.txt compiles each part.
#define TRAWL_ROWS(levels, kinds) template void launch_rows<levels, RowKinds::kinds>(const RowLaunch& launch);
#define TRAWL_ROWS_OF_ALL_KINDS(levels) \
  TRAWL_ROWS(levels, edits) TRAWL_ROWS(levels, mismatches) TRAWL_ROWS(levels, mixed)
#if TRAWL_ROW_PART == 1
TRAWL_ROWS(1, edits)
TRAWL_ROWS_OF_ALL_KINDS(2)
TRAWL_ROWS_OF_ALL_KINDS(3)
TRAWL_ROWS_OF_ALL_KINDS(4)
TRAWL_ROWS_OF_ALL_KINDS(5)
TRAWL_ROWS_OF_ALL_KINDS(6)
TRAWL_ROWS_OF_ALL_KINDS(7)
#elif TRAWL_ROW_PART == 2
TRAWL_ROWS(9, edits)
TRAWL_ROWS(9, mixed)
TRAWL_ROWS(13, edits)
TRAWL_ROWS(13, mixed)
#elif TRAWL_ROW_PART == 3
TRAWL_ROWS(17, edits)
#else
TRAWL_ROWS(17, mixed)
#endif

}  // namespace trawl::gpu
