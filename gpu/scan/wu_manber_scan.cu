#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/device/devices.hpp"
#include "gpu/scan/text_planes.hpp"
#include "gpu/scan/wu_manber_scan.hpp"
#include "match/wu_manber_warp.hpp"

namespace trawl::gpu {

namespace {

using match::DeviceWarp;
using Ops = match::WarpOps<DeviceWarp>;

constexpr unsigned kThreads = 128;
constexpr unsigned kWarps = kThreads / match::kWarpLanes;
// Warps a multiprocessor that keep it busy to the end.
constexpr std::uint64_t kWantedWarps = 64 * 2;

struct DeviceList {
  std::uint32_t id;
  std::uint32_t first;  // of its rows
  std::uint32_t length;
};

struct HitsView {
  scan::Hit* hits;
  unsigned long long* count;
  unsigned long long capacity;
};

struct SearchView {
  const DeviceList* lists;
  const std::uint8_t* rows;
  std::uint32_t list_count;
  std::uint32_t longest;
  std::uint32_t max_edits;
  std::uint32_t n_edits;
};

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

// Those with an end in the region.
template <unsigned kLevels>
__device__ void write_hits(const match::WuManberWarp<DeviceWarp, kLevels>& scan, const RowWiseTextView& text,
                           const SearchView& search, const DeviceList& list, std::uint64_t position, unsigned lane,
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
      if (text.n_counts.is_n != nullptr &&
          scan::n_makes_match(text.n_counts.in_window(at, list.length), list.length, search.n_edits)) {
        continue;
      }
      const unsigned long long slot = atomicAdd(out.count, 1ull);
      if (slot < out.capacity) {
        out.hits[slot] = {at, list.id, static_cast<std::uint16_t>(distance)};
      }
    }
  }
}

// Which rows a program has.
enum class RowKinds { edits, mismatches, mixed };

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

// A warp takes one list through one strip of the blocks [blocks.first, blocks.last), which hold the region.
template <unsigned kLevels, RowKinds kKinds>
__global__ void __launch_bounds__(kThreads)
    row_wise_kernel(RowWiseTextView text, SearchView search, scan::Region region, BlockRange blocks,
                    std::uint64_t strip, std::uint64_t tasks, HitsView out) {
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
      // There is no room: the region will be searched again, in parts.
      if (*static_cast<volatile unsigned long long*>(out.count) > out.capacity) {
        return;
      }
    }
  }
}

}  // namespace

struct RowWiseSearch::State {
  DeviceBuffer<DeviceList> lists;
  DeviceBuffer<std::uint8_t> rows;
  std::uint32_t longest = 0;
  std::uint32_t shortest = 0;
  std::uint32_t max_edits = 0;
  std::uint32_t n_edits = 0;
  RowKinds kinds = RowKinds::mixed;
  DeviceBuffer<scan::Hit> hits;
  DeviceBuffer<unsigned long long> count{1};
  Stream stream;
  std::uint64_t wanted_warps = kWantedWarps * multiprocessors();

  void launch(const RowWiseTextView& view, const scan::Region& region, const HitsView& out);
  template <unsigned kLevels>
  void launch_levels(const RowWiseTextView& view, const scan::Region& region, const HitsView& out);
  template <unsigned kLevels, RowKinds kKinds>
  void launch_kinds(const RowWiseTextView& view, const scan::Region& region, const HitsView& out);
};

template <unsigned kLevels>
void RowWiseSearch::State::launch_levels(const RowWiseTextView& view, const scan::Region& region, const HitsView& out) {
  // A program may have fewer edits than kLevels - 1; run_alike() needs more rows than levels.
  if (kinds == RowKinds::edits && shortest >= kLevels) {
    launch_kinds<kLevels, RowKinds::edits>(view, region, out);
  } else if (kinds == RowKinds::mismatches && shortest >= kLevels) {
    launch_kinds<kLevels, RowKinds::mismatches>(view, region, out);
  } else {
    launch_kinds<kLevels, RowKinds::mixed>(view, region, out);
  }
}

template <unsigned kLevels, RowKinds kKinds>
void RowWiseSearch::State::launch_kinds(const RowWiseTextView& view, const scan::Region& region, const HitsView& out) {
  const std::uint64_t list_count = lists.size();
  const BlockRange range{block_of(region.begin, view.step), block_of(region.end - 1, view.step) + 1};
  const std::uint64_t block_count = range.last - range.first;
  const std::uint64_t strips = std::max<std::uint64_t>(1, wanted_warps / list_count);
  const std::uint64_t strip = (block_count + strips - 1) / strips;
  const std::uint64_t tasks = (block_count + strip - 1) / strip * list_count;
  const std::size_t shared = kWarps * longest;
  const auto blocks = static_cast<unsigned>((tasks + kWarps - 1) / kWarps);
  row_wise_kernel<kLevels, kKinds><<<blocks, kThreads, shared, stream>>>(
      view, {lists.data(), rows.data(), static_cast<std::uint32_t>(list_count), longest, max_edits, n_edits}, region,
      range, strip, tasks, out);
  check_launch("row_wise_kernel");
}

void RowWiseSearch::State::launch(const RowWiseTextView& view, const scan::Region& region, const HitsView& out) {
  count.clear(stream);
  if (region.begin >= region.end || lists.size() == 0) {
    return;
  }
  // More levels than needed give the same hits, later.
  switch (max_edits) {
    case 0:
      return launch_levels<1>(view, region, out);
    case 1:
      return launch_levels<2>(view, region, out);
    case 2:
      return launch_levels<3>(view, region, out);
    case 3:
      return launch_levels<4>(view, region, out);
    case 4:
      return launch_levels<5>(view, region, out);
    case 5:
      return launch_levels<6>(view, region, out);
    case 6:
      return launch_levels<7>(view, region, out);
    default:
      return max_edits <= 8    ? launch_levels<9>(view, region, out)
             : max_edits <= 12 ? launch_levels<13>(view, region, out)
                               : launch_levels<17>(view, region, out);
  }
}

std::uint64_t RowWiseSearch::bytes_of(const scan::WuManberProgram& program) {
  std::uint64_t bytes = 0;
  for (const scan::ProgramList& list : program.lists()) {
    bytes += sizeof(DeviceList) + sizeof(scan::Hit) + list.length;
  }
  return bytes;
}

RowWiseSearch::RowWiseSearch(const scan::WuManberProgram& program, std::uint32_t n_edits, std::size_t room)
    : state_(std::make_unique<State>()) {
  std::vector<DeviceList> lists;
  std::vector<std::uint8_t> rows;
  bool all_edits = true;
  bool all_mismatches = true;
  state_->shortest = program.longest();
  for (const scan::ProgramList& list : program.lists()) {
    state_->shortest = std::min(state_->shortest, list.length);
    lists.push_back({list.id, static_cast<std::uint32_t>(rows.size()), list.length});
    for (std::uint32_t i = 0; i < list.length; ++i) {
      const scan::Row& row = program.rows(list)[i];
      rows.push_back(match::pack_row(row.set, row.kind));
      all_edits = all_edits && row.kind == match::RowKind::edits;
      all_mismatches = all_mismatches && row.kind == match::RowKind::mismatches;
    }
  }
  state_->kinds = all_edits ? RowKinds::edits : all_mismatches ? RowKinds::mismatches : RowKinds::mixed;
  state_->longest = program.longest();
  state_->max_edits = program.max_edits();
  state_->n_edits = n_edits;
  state_->lists = DeviceBuffer<DeviceList>(lists.size());
  state_->rows = DeviceBuffer<std::uint8_t>(rows.size());
  state_->hits = DeviceBuffer<scan::Hit>(std::max(room, lists.size()));
  state_->lists.copy_from(lists.data(), lists.size(), state_->stream);
  state_->rows.copy_from(rows.data(), rows.size(), state_->stream);
  state_->stream.synchronize();
}

RowWiseSearch::~RowWiseSearch() = default;

bool RowWiseSearch::run(const RowWiseText& text, const scan::Region& region, std::size_t most,
                        std::vector<scan::Hit>& hits) {
  const std::size_t room = std::min(std::max(most, state_->lists.size()), state_->hits.size());
  state_->launch(text.state().view(), region, {state_->hits.data(), state_->count.data(), room});
  unsigned long long count = 0;
  state_->count.copy_to(&count, 0, 1, state_->stream);
  state_->stream.synchronize();
  if (count > room) {
    return false;
  }
  const std::size_t before = hits.size();
  hits.resize(before + count);
  if (count > 0) {
    state_->hits.copy_to(hits.data() + before, 0, count, state_->stream);
    state_->stream.synchronize();
  }
  return true;
}

void RowWiseSearch::run(const RowWiseText& text, std::vector<scan::Hit>& hits) {
  const std::uint64_t size = text.state().size;
  for (std::uint64_t at = 0; at < size;) {
    at = scan::shrink_until_fits({at, size},
                                 [&](const scan::Region& region) { return run(text, region, SIZE_MAX, hits); });
  }
}

std::vector<double> RowWiseSearch::time(const RowWiseText& text, unsigned repeats) {
  std::vector<scan::Hit> all;
  run(text, all);
  const DeviceBuffer<scan::Hit> hits(all.size());
  const HitsView out{hits.data(), state_->count.data(), hits.size()};
  return time_runs(state_->stream, repeats, [&] { state_->launch(text.state().view(), {0, text.state().size}, out); });
}

}  // namespace trawl::gpu
