#include <algorithm>
#include <bit>

#include "gpu/device/device_memory.hpp"
#include "gpu/scan/bit_queue.cuh"
#include "gpu/scan/guide_search.hpp"
#include "gpu/scan/guide_steps.hpp"
#include "gpu/scan/hit_list.hpp"
#include "gpu/scan/literal_text.hpp"
#include "gpu/scan/warp_list.cuh"
#include "match/warp.hpp"

namespace trawl::gpu {

namespace {

constexpr unsigned kWarps = 8;  // of a block
constexpr unsigned kThreads = kWarps * match::kWarpLanes;
constexpr std::uint32_t kCosts = scan::GuideTable::kCosts;
constexpr std::uint32_t kNoEntry = ~0u;

// A guide that was found at a site, to be compared.
struct Pair {
  std::uint64_t site;
  std::uint32_t guide;
  std::uint32_t look_up;
};

// What the lanes of a warp share out. The sites of a turn are those of 32 positions in each lane's word.
struct WarpWork {
  BitQueue<32> sites;
  WarpList<Pair> pairs;
};

template <Side kSide>
__device__ void compare(const LiteralTextView& text, const GuideView& view, const scan::Region& region,
                        const Pair& pair, const HitsView& out) {
  bool is_new = false, is_known = false;
  compare_guide<kSide>(text, view, pair.site, pair.guide, [&](std::uint64_t end, std::uint32_t distance) {
    if (!is_known) {
      is_known = true;
      is_new = !is_found_before(view, letters_beside<kSide>(text, pair.site), pair.guide, pair.look_up);
    }
    if (is_new && end >= region.begin && end < region.end) {
      for (std::uint32_t i = view.first_query[pair.guide]; i < view.first_query[pair.guide + 1]; ++i) {
        out.add(end, view.queries[i], distance);
      }
    }
  });
}

// The first `at_once` lanes of a warp (at most 32) take neighbouring words of 64 positions; `words` are those of the
// reference where sites are looked for.
template <Side kSide>
__global__ void __launch_bounds__(kThreads) guide_kernel(LiteralTextView text, GuideView view, scan::Region region,
                                                         WordRange words, unsigned at_once, HitsView out) {
  __shared__ WarpWork works[kWarps];
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  WarpWork& work = works[threadIdx.x / match::kWarpLanes];
  unsigned waiting = 0;  // pairs
  const auto compare_pair = [&](const Pair& pair) { compare<kSide>(text, view, region, pair, out); };
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kWarps * at_once;
  const std::uint64_t warp = std::uint64_t{blockIdx.x} * kWarps + threadIdx.x / match::kWarpLanes;
  for (std::uint64_t first = words.first + warp * at_once; first < words.last; first += stride) {
    const bool has_word = lane < at_once && first + lane < words.last;
    const std::uint64_t sites = has_word ? sites_in_word<kSide>(text, view, first + lane) : 0;
    for (unsigned turn = 0; turn < 64; turn += 32) {
      const unsigned all = work.sites.fill(static_cast<std::uint32_t>(sites >> turn));
      for (unsigned i = lane; i - lane < all; i += match::kWarpLanes) {
        const bool valid = i < all;
        std::uint64_t site = 0;
        Beside beside{};
        if (valid) {
          site = (first + work.sites.lane(i)) * 64 + turn + work.sites.bit(i);
          beside = letters_beside<kSide>(text, site);
        }
        for (std::uint32_t l = 0; l < view.look_ups; ++l) {
          const GuideTableView& table = view.table(l);
          const std::uint32_t edits = view.look_up[l].edits;
          std::uint32_t entry = 0, last = 0;
          if (const std::uint32_t word = word_of(view, beside, l); valid && table.may_have(word, edits)) {
            entry = table.starts[word];
            last = table.starts[word + 1];
          }
          // In each round, each lane has one entry of its word.
          while (__any_sync(match::kAllLanes, entry < last) != 0) {
            const std::uint32_t known = entry < last ? table.entries[entry++] : kNoEntry;
            const bool is_like = known != kNoEntry && known % kCosts <= edits;
            work.pairs.add(is_like, Pair{site, known / kCosts, l}, waiting, compare_pair);
          }
        }
      }
      __syncwarp();
    }
    // There is no room for more hits: the region will be searched again in smaller parts.
    if (__any_sync(match::kAllLanes, out.is_full()) != 0) {
      return;
    }
  }
  work.pairs.finish(waiting, compare_pair);
}

// The tables of one half in device memory.
class DeviceTable {
 public:
  DeviceTable(const scan::GuideTable& table, const Stream& stream)
      : bitmaps_(table.bitmaps.size() * GuideTableView::words_of(table.gram)),
        starts_(table.starts.size()),
        entries_(table.entries.size()) {
    std::size_t first = 0;
    for (const auto& bitmap : table.bitmaps) {
      bitmaps_.copy_from(bitmap.data(), first, bitmap.size(), stream);
      first += bitmap.size();
    }
    starts_.copy_from(table.starts.data(), starts_.size(), stream);
    entries_.copy_from(table.entries.data(), entries_.size(), stream);
  }
  static std::uint64_t bytes(const scan::GuideTable& table) {
    return table.bitmaps.size() * GuideTableView::words_of(table.gram) * 8 + table.starts.size() * 4 +
           table.entries.size() * 4;
  }
  void put(GuideTableView& view) const {
    view.bitmaps = bitmaps_.data();
    view.starts = starts_.data();
    view.entries = entries_.data();
  }

 private:
  DeviceBuffer<std::uint64_t> bitmaps_;
  DeviceBuffer<std::uint32_t> starts_;
  DeviceBuffer<std::uint32_t> entries_;
};

// A group of guides in device memory.
class DeviceGuides {
 public:
  DeviceGuides(const scan::GuideSet& set, const scan::GuideGroup& group, const Stream& stream)
      : near_(group.near_table, stream), far_(group.far_table, stream), guides_(group.guides.size()) {
    guides_.copy_from(group.guides.data(), guides_.size(), stream);
    const GuideIds ids(group);
    for (const Side side : {Side::right, Side::left}) {
      const auto s = static_cast<unsigned>(side);
      first_[s] = DeviceBuffer<std::uint32_t>(ids.first[s].size());
      queries_[s] = DeviceBuffer<std::uint32_t>(ids.queries[s].size());
      first_[s].copy_from(ids.first[s].data(), ids.first[s].size(), stream);
      queries_[s].copy_from(ids.queries[s].data(), ids.queries[s].size(), stream);
      GuideView& view = views_[s];
      view = guide_view(set, group, side);
      near_.put(view.near);
      far_.put(view.far);
      view.guides = guides_.data();
      view.first_query = first_[s].data();
      view.queries = queries_[s].data();
    }
    stream.synchronize();
  }

  template <Side kSide>
  void launch(const LiteralTextView& text, const scan::Region& region, const HitsView& out,
              const Stream& stream) const {
    const GuideView& view = views_[static_cast<unsigned>(kSide)];
    const WordRange words = words_of_sites<kSide>(text, region, view);
    if (queries_[static_cast<unsigned>(kSide)].size() == 0 || words.first >= words.last) {
      return;
    }
    const unsigned resident = resident_blocks(reinterpret_cast<const void*>(guide_kernel<kSide>), kThreads);
    // In a short region each warp has few words, so that all multiprocessors have work.
    const std::uint64_t count = words.last - words.first;
    const std::uint64_t of_warp = std::bit_floor(count / (std::uint64_t{resident} * kWarps) | 1);
    const auto at_once = static_cast<unsigned>(std::min<std::uint64_t>(match::kWarpLanes, of_warp));
    const std::uint64_t of_block = std::uint64_t{kWarps} * at_once;
    const std::uint64_t wanted = (count + of_block - 1) / of_block;
    guide_kernel<kSide><<<static_cast<unsigned>(std::min<std::uint64_t>(resident, wanted)), kThreads, 0, stream>>>(
        text, view, region, words, at_once, out);
    check_launch("guide_kernel");
  }

 private:
  DeviceTable near_, far_;
  DeviceBuffer<scan::GuideGroup::Guide> guides_;
  DeviceBuffer<std::uint32_t> first_[2], queries_[2];  // by side
  GuideView views_[2];
};

}  // namespace

struct GuideSearch::State {
  std::vector<DeviceGuides> groups;
  std::uint64_t least_room = 0;
  HitList hits;
  Stream stream;

  void launch(const LiteralText& text, const scan::Region& region, std::size_t room) {
    const HitsView out = hits.start(room, region, stream);
    for (const DeviceGuides& group : groups) {
      group.launch<Side::right>(text.state().view(), region, out, stream);
      group.launch<Side::left>(text.state().view(), region, out, stream);
    }
  }
};

std::uint64_t GuideSearch::reach() { return kGuideReach; }

std::uint64_t GuideSearch::most_hits_of_an_end(const scan::GuideSet& guides) {
  const std::uint64_t sites = guides.no_gaps() ? 1 : 2 * guides.max_edits() + 1;
  std::uint64_t hits = 0;
  for (const auto& group : guides.groups()) {
    for (std::size_t g = 0; g < group.guides.size(); ++g) {
      hits += group.right_queries[g].size() * sites + group.left_queries[g].size();
    }
  }
  return hits;
}

std::uint64_t GuideSearch::bytes_of(const scan::GuideSet& guides) {
  std::uint64_t bytes = most_hits_of_an_end(guides) * kBytesAHit;
  for (const auto& group : guides.groups()) {
    bytes += DeviceTable::bytes(group.near_table) + DeviceTable::bytes(group.far_table) +
             group.guides.size() * sizeof(scan::GuideGroup::Guide);
    const GuideIds ids(group);
    for (const auto* of_side : {&ids.first[0], &ids.first[1], &ids.queries[0], &ids.queries[1]}) {
      bytes += of_side->size() * sizeof(std::uint32_t);
    }
  }
  return bytes;
}

GuideSearch::GuideSearch(const scan::GuideSet& guides, std::size_t room) : state_(std::make_unique<State>()) {
  for (const auto& group : guides.groups()) {
    state_->groups.emplace_back(guides, group, state_->stream);
  }
  state_->least_room = most_hits_of_an_end(guides);
  state_->hits = HitList(std::max<std::size_t>(room, state_->least_room), guides.has().size());
}

GuideSearch::~GuideSearch() = default;

bool GuideSearch::run(const LiteralText& text, const scan::Region& region, std::size_t most,
                      std::vector<scan::Hit>& hits) {
  return state_->hits.run(*state_, text, region, most, hits);
}

}  // namespace trawl::gpu
