// Looks up many literals at once on the device (scan/find/literal_table.hpp has the idea): each thread takes 64
// positions of the text, looks up their grams in a bitmap in shared memory, those that pass in a larger one in global
// memory, and compares the literals of the rest. If the literals are parts of queries, the places where they occur are
// checked, and the ends of the queries are the hits.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <optional>

#include "gpu/scan/literal_kernel.cuh"

namespace trawl::gpu {

namespace {

using Different = scan::LiteralGroup::Different;

constexpr unsigned kThreads = 256;
constexpr unsigned kLargestStep = LiteralPlan::kLargestStep;

// The grams of the literals: one thread for each literal.
__global__ void make_entries(const Different* literals, const sequence::PlaneBlock* blocks, std::uint32_t count,
                             unsigned gram, unsigned step, std::uint32_t* hashes, std::uint32_t* entries) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) {
    return;
  }
  const Different literal = literals[i];
  for (unsigned after = 0; after < step; ++after) {
    std::uint32_t code = 0;
    for (unsigned g = 0; g < gram; ++g) {
      const std::uint32_t at = literal.length - after - gram + g;
      const sequence::PlaneBlock& block = blocks[literal.block + at / 64];
      code |= static_cast<std::uint32_t>((block.high >> (at % 64)) & 1) << g;
      code |= static_cast<std::uint32_t>((block.low >> (at % 64)) & 1) << (16 + g);
    }
    hashes[i * step + after] = hash_gram(code);
    entries[i * step + after] = i * kLargestStep + after;
  }
}

__global__ void fill_tables(const std::uint32_t* hashes, std::uint32_t count, unsigned shared_bits,
                            std::uint32_t* shared_bitmap, unsigned global_bits, std::uint32_t* global_bitmap,
                            unsigned bucket_bits, std::uint32_t* buckets) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count) {
    return;
  }
  const std::uint32_t h = hashes[i];
  if (shared_bits > 0) {
    const std::uint32_t at = h >> (32 - shared_bits);
    atomicOr(&shared_bitmap[at / 32], 1u << (at % 32));
  }
  const std::uint32_t at = global_bit(h, global_bits);
  atomicOr(&global_bitmap[at / 32], 1u << (at % 32));
  // The hashes are sorted, so the first entry of a bucket writes its begin, and that of all empty ones before it.
  const std::uint32_t bucket = h >> (32 - bucket_bits);
  const std::uint32_t from = i == 0 ? 0 : (hashes[i - 1] >> (32 - bucket_bits)) + 1;
  for (std::uint32_t b = from; b <= bucket; ++b) {
    buckets[b] = i;
  }
  if (i + 1 == count) {
    for (std::uint32_t b = bucket + 1; b <= 1u << bucket_bits; ++b) {
      buckets[b] = count;
    }
  }
}

unsigned grid_of(std::uint64_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }

// A group's tables in device memory.
class DeviceGroup {
 public:
  DeviceGroup(const scan::LiteralGroup& group, const LiteralPlan& plan, const Stream& stream)
      : plan_(plan),
        shared_bitmap_(plan_.shared_bits == 0 ? 0 : (std::size_t{1} << plan_.shared_bits) / 32),
        global_bitmap_((std::size_t{1} << plan_.global_bits) / 32),
        buckets_((std::size_t{1} << plan_.bucket_bits) + 1),
        hashes_(plan_.entries),
        entries_(plan_.entries),
        literals_(group.literals, stream),
        blocks_(group.blocks, stream),
        ids_(group.ids, stream) {
    shared_bitmap_.clear(stream);
    global_bitmap_.clear(stream);
    const auto count = static_cast<std::uint32_t>(plan_.entries);
    DeviceBuffer<std::uint32_t> hashes(count), entries(count);
    make_entries<<<grid_of(group.size()), kThreads, 0, stream>>>(literals_.data(), blocks_.data(),
                                                                 static_cast<std::uint32_t>(group.size()), plan_.gram,
                                                                 plan_.step, hashes.data(), entries.data());
    check_launch("make_entries");
    std::size_t bytes = 0;
    const auto sort = [&](void* scratch) {
      check(cub::DeviceRadixSort::SortPairs(scratch, bytes, hashes.data(), hashes_.data(), entries.data(),
                                            entries_.data(), count, 0, 32, stream),
            "sort of the grams");
    };
    sort(nullptr);
    DeviceBuffer<std::uint8_t> scratch(bytes);
    sort(scratch.data());
    fill_tables<<<grid_of(count), kThreads, 0, stream>>>(hashes_.data(), count, plan_.shared_bits,
                                                         shared_bitmap_.data(), plan_.global_bits,
                                                         global_bitmap_.data(), plan_.bucket_bits, buckets_.data());
    check_launch("fill_tables");
    stream.synchronize();
  }

  LiteralGroupView view() const {
    const std::uint32_t half = (1u << plan_.gram) - 1;
    return {plan_.gram,        plan_.step,        half | half << 16,     plan_.shared_bits,
            plan_.global_bits, plan_.bucket_bits, shared_bitmap_.data(), global_bitmap_.data(),
            buckets_.data(),   hashes_.data(),    entries_.data(),       literals_.data(),
            blocks_.data(),    ids_.data()};
  }

 private:
  LiteralPlan plan_;
  DeviceBuffer<std::uint32_t> shared_bitmap_;
  DeviceBuffer<std::uint32_t> global_bitmap_;
  DeviceBuffer<std::uint32_t> buckets_;
  DeviceBuffer<std::uint32_t> hashes_;
  DeviceBuffer<std::uint32_t> entries_;
  DeviceBuffer<Different> literals_;
  DeviceBuffer<sequence::PlaneBlock> blocks_;
  DeviceBuffer<std::uint32_t> ids_;
};

// Literals that are whole queries: each one that occurs is a hit.
struct LiteralHits {
  static constexpr std::size_t kSharedBytes = 0;
  static constexpr bool kSplitWords = false;

  HitsView out;

  __device__ void start(void*) {}
  __device__ void take(const LiteralGroupView& group, const scan::TextView& text, const scan::Region& region,
                       GramEntries& entries) const {
    std::uint32_t index = 0;
    std::uint64_t end = 0;
    while (entries.next(group, text, region, index, end)) {
      for (std::uint32_t i = group.literals[index].ids; i < group.literals[index + 1].ids; ++i) {
        out.add(end, group.ids[i], 0);
      }
    }
  }
  __device__ void finish(const scan::TextView&) const {}
};

class LiteralSearch final : public HitSearch {
 public:
  LiteralSearch(const DevicePlan& plan, std::size_t room, std::size_t places)
      : HitSearch(room, plan.most_hits_of_literals(), plan.query_count) {
    for (const scan::LiteralGroup& group : plan.literals) {
      groups_.emplace_back(group, LiteralPlan(group, plan.places.has_value()), stream_);
    }
    if (!plan.places) {
      return;
    }
    queries_ = DeviceBuffer<scan::PlaceQuery>(plan.places->queries(), stream_);
    more_ = DeviceBuffer<sequence::PlaneBlock>(plan.places->more(), stream_);
    part_list_ = DeviceBuffer<scan::QueryPart>(plan.parts->all(), stream_);
    places_ = DeviceBuffer<PartPlace>(places);
    stream_.synchronize();
    scan::PlaceView view = plan.places->view();
    view.queries = queries_.data();
    view.more = more_.data();
    view.parts = part_list_.data();
    parts_ = {view, plan.query_count, {}, places_.data(), place_count_.data(), places};
    for (const scan::QueryPart& part : plan.parts->all()) {
      lead_ = std::max<std::uint64_t>(lead_, part.after + view.max_edits);
    }
  }

 private:
  void launch(const DeviceTexts& texts, const scan::Region& region, const HitsView& out) override {
    const scan::TextView text = texts.planes->view();
    if (!parts_) {
      for (const DeviceGroup& group : groups_) {
        launch_literal_kernel({text, group.view(), region, out, stream_}, LiteralHits{out});
      }
      return;
    }
    parts_->ends = region;
    place_count_.clear(stream_);
    const scan::Region of_parts{region.begin - std::min(region.begin, lead_), region.end};
    for (const DeviceGroup& group : groups_) {
      launch_parts({text, group.view(), of_parts, out, stream_}, *parts_);
    }
    launch_place_check(text, *parts_, out, stream_);
  }

  std::vector<DeviceGroup> groups_;
  // Of parts.
  std::optional<PartsView> parts_;
  std::uint64_t lead_ = 0;  // a part that occurs is at most this far before the end of a match
  DeviceBuffer<scan::PlaceQuery> queries_;
  DeviceBuffer<sequence::PlaneBlock> more_;
  DeviceBuffer<scan::QueryPart> part_list_;
  DeviceBuffer<PartPlace> places_;
  DeviceBuffer<unsigned long long> place_count_{1};
};

}  // namespace

std::unique_ptr<HitSearch> make_literal_search(const DevicePlan& plan, std::size_t room, std::size_t places) {
  return std::make_unique<LiteralSearch>(plan, room, places);
}

}  // namespace trawl::gpu
