// Guides from the sites of their PAM (scan/find/guide_set.hpp has the idea). The sites of a warp are shared out among
// its lanes; so are the guides that their look-ups find, to be compared.
#include <algorithm>
#include <bit>

#include "gpu/scan/hit_search.hpp"
#include "gpu/scan/warp_work.cuh"
#include "match/warp.hpp"
#include "scan/find/guide_steps.hpp"

namespace trawl::gpu {

namespace {

using scan::Beside;
using scan::GuideTableView;
using scan::GuideView;
using scan::Side;
using scan::TextView;

constexpr unsigned kWarps = 8;  // of a block
constexpr unsigned kThreads = kWarps * match::kWarpLanes;
constexpr std::uint32_t kCosts = scan::GuideTable::kCosts;
constexpr std::uint32_t kNoEntry = ~0u;

// A guide that was found at a site, to be compared.
struct SiteGuide {
  std::uint64_t site;
  std::uint32_t guide;
  std::uint32_t look_up;
};

// What the lanes of a warp share out. The sites of a turn are those of 32 positions in each lane's word.
struct WarpWork {
  BitQueue<32> sites;
  WarpList<SiteGuide> pairs;
};

template <Side kSide>
__device__ void compare(const TextView& text, const GuideView& view, const scan::Region& region, const SiteGuide& pair,
                        const HitsView& out) {
  bool is_new = false, is_known = false;
  scan::compare_guide<kSide>(text, view, pair.site, pair.guide, [&](std::uint64_t end, std::uint32_t distance) {
    if (!is_known) {
      is_known = true;
      is_new = !scan::is_found_before(view, scan::letters_beside<kSide>(text, pair.site), pair.guide, pair.look_up);
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
__global__ void __launch_bounds__(kThreads) guide_kernel(TextView text, GuideView view, scan::Region region,
                                                         scan::WordRange words, unsigned at_once, HitsView out) {
  __shared__ WarpWork works[kWarps];
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  WarpWork& work = works[threadIdx.x / match::kWarpLanes];
  unsigned waiting = 0;  // pairs
  const auto compare_pair = [&](const SiteGuide& pair) { compare<kSide>(text, view, region, pair, out); };
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kWarps * at_once;
  const std::uint64_t warp = std::uint64_t{blockIdx.x} * kWarps + threadIdx.x / match::kWarpLanes;
  for (std::uint64_t first = words.first + warp * at_once; first < words.last; first += stride) {
    const bool has_word = lane < at_once && first + lane < words.last;
    const std::uint64_t sites = has_word ? scan::sites_in_word<kSide>(text, view, first + lane) : 0;
    for (unsigned turn = 0; turn < 64; turn += 32) {
      const unsigned all = work.sites.fill(static_cast<std::uint32_t>(sites >> turn));
      for (unsigned i = lane; i - lane < all; i += match::kWarpLanes) {
        const bool valid = i < all;
        std::uint64_t site = 0;
        Beside beside{};
        if (valid) {
          site = (first + work.sites.lane(i)) * 64 + turn + work.sites.bit(i);
          beside = scan::letters_beside<kSide>(text, site);
        }
        for (std::uint32_t l = 0; l < view.look_ups; ++l) {
          const GuideTableView& table = view.table(l);
          const std::uint32_t edits = view.look_up[l].edits;
          std::uint32_t entry = 0, last = 0;
          if (const std::uint32_t word = scan::word_of(view, beside, l); valid && table.may_have(word, edits)) {
            entry = table.starts[word];
            last = table.starts[word + 1];
          }
          // In each round, each lane has one entry of its word.
          while (__any_sync(match::kAllLanes, entry < last) != 0) {
            const std::uint32_t known = entry < last ? table.entries[entry++] : kNoEntry;
            const bool is_like = known != kNoEntry && known % kCosts <= edits;
            work.pairs.add(is_like, SiteGuide{site, known / kCosts, l}, waiting, compare_pair);
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
struct DeviceTable {
  DeviceBuffer<std::uint64_t> bitmaps;
  DeviceBuffer<std::uint32_t> starts, entries;

  DeviceTable(const scan::GuideTable& table, const Stream& stream)
      : bitmaps(table.bitmaps, stream), starts(table.starts, stream), entries(table.entries, stream) {}
  void put(GuideTableView& view) const {
    view.bitmaps = bitmaps.data();
    view.starts = starts.data();
    view.entries = entries.data();
  }
};

// A group of guides in device memory.
class DeviceGuides {
 public:
  DeviceGuides(const scan::GuideSet& set, const scan::GuideGroup& group, const Stream& stream)
      : near_(group.near_table, stream), far_(group.far_table, stream), guides_(group.guides, stream) {
    for (const Side side : {Side::right, Side::left}) {
      const auto s = static_cast<unsigned>(side);
      first_[s] = DeviceBuffer<std::uint32_t>(group.queries[s].first, stream);
      queries_[s] = DeviceBuffer<std::uint32_t>(group.queries[s].ids, stream);
      GuideView& view = views_[s];
      view = GuideView(set, group, side);
      near_.put(view.near);
      far_.put(view.far);
      view.guides = guides_.data();
      view.first_query = first_[s].data();
      view.queries = queries_[s].data();
    }
    stream.synchronize();
  }

  template <Side kSide>
  void launch(const TextView& text, const scan::Region& region, const HitsView& out, const Stream& stream) const {
    const GuideView& view = views_[static_cast<unsigned>(kSide)];
    const scan::WordRange words = scan::words_of_sites<kSide>(text, region, view);
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
  DeviceBuffer<scan::GuideGroup::GuidePlanes> guides_;
  DeviceBuffer<std::uint32_t> first_[2], queries_[2];  // by side
  GuideView views_[2];
};

class GuideSearch final : public HitSearch {
 public:
  GuideSearch(const DevicePlan& plan, std::size_t room)
      : HitSearch(room, plan.most_hits_of_guides(), plan.guides->has().size()) {
    for (const scan::GuideGroup& group : plan.guides->groups()) {
      groups_.emplace_back(*plan.guides, group, stream_);
    }
  }

 private:
  void launch(const DeviceTexts& texts, const scan::Region& region, const HitsView& out) override {
    for (const DeviceGuides& group : groups_) {
      group.launch<Side::right>(texts.planes->view(), region, out, stream_);
      group.launch<Side::left>(texts.planes->view(), region, out, stream_);
    }
  }

  std::vector<DeviceGuides> groups_;
};

}  // namespace

std::unique_ptr<HitSearch> make_guide_search(const DevicePlan& plan, std::size_t room) {
  return std::make_unique<GuideSearch>(plan, room);
}

}  // namespace trawl::gpu
