#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <optional>

#include "gpu/device/device_memory.hpp"
#include "gpu/scan/literal_launch.hpp"
#include "gpu/scan/literal_text.hpp"

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
        literals_(group.literals.size()),
        blocks_(group.blocks.size()),
        ids_(group.ids.size()) {
    literals_.copy_from(group.literals.data(), group.literals.size(), stream);
    blocks_.copy_from(group.blocks.data(), group.blocks.size(), stream);
    ids_.copy_from(group.ids.data(), group.ids.size(), stream);
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

}  // namespace

struct LiteralSearch::State {
  std::vector<DeviceGroup> groups;
  std::uint64_t least_room = 0;
  std::uint64_t reach = 0;
  HitList hits;
  Stream stream;
  // Of parts.
  std::optional<PartsView> parts;
  std::uint64_t lead = 0;  // a part that occurs is at most this far before the end of a match
  DeviceBuffer<scan::PlaceCheck::Known> queries;
  DeviceBuffer<sequence::PlaneBlock> more;
  DeviceBuffer<scan::Part> part_list;
  DeviceBuffer<PartPlace> places;
  DeviceBuffer<unsigned long long> place_count{1};

  State(const std::vector<scan::LiteralGroup>& of, unsigned most_shared_bits) {
    for (const scan::LiteralGroup& group : of) {
      groups.emplace_back(group, LiteralPlan(group, most_shared_bits), stream);
    }
  }
  void launch(const LiteralText& text, const scan::Region& region, std::size_t room) {
    const HitsView out = hits.start(room, region, stream);
    const LiteralTextView view = text.state().view();
    if (!parts) {
      for (const DeviceGroup& group : groups) {
        launch_literals({view, group.view(), region, out, stream});
      }
      return;
    }
    parts->ends = region;
    place_count.clear(stream);
    const scan::Region of_parts{region.begin - std::min(region.begin, lead), region.end};
    for (const DeviceGroup& group : groups) {
      launch_parts({view, group.view(), of_parts, out, stream}, *parts);
    }
    launch_place_check(view, *parts, out, stream);
  }
};

namespace {

std::uint64_t table_bytes(const std::vector<scan::LiteralGroup>& groups, unsigned most_shared_bits) {
  std::uint64_t bytes = 0;
  for (const scan::LiteralGroup& group : groups) {
    bytes += LiteralPlan(group, most_shared_bits).bytes() + group.literals.size() * sizeof(Different) +
             group.blocks.size() * sizeof(sequence::PlaneBlock) + group.ids.size() * sizeof(std::uint32_t);
  }
  return bytes;
}

// The most hits with one end: of literals, and of queries with parts, whose places may be on several diagonals.
std::uint64_t most_hits(const std::vector<scan::LiteralGroup>& groups) {
  std::uint64_t hits = 0;
  for (const scan::LiteralGroup& group : groups) {
    hits += group.ids.size();
  }
  return hits;
}
std::uint64_t most_hits(const LiteralParts& parts) {
  const std::uint64_t diagonals = parts.no_gaps ? 1 : 2 * parts.tables.max_edits + 1;
  return parts.parts.size() / (parts.tables.max_edits + 1) * diagonals;
}

}  // namespace

LiteralText::LiteralText(const sequence::Reference& reference, const scan::Region& region, std::uint64_t reach)
    : state_(std::make_unique<State>()) {
  const std::uint64_t all = reference.size() / 64;
  const std::uint64_t last = std::min(all, (region.end + 63) / 64);
  State& s = *state_;
  s.first = std::min(last, (region.begin - std::min(region.begin, reach + 64)) / 64);
  s.words = last - s.first;
  const std::uint64_t copied = std::min(all, last + 2) - s.first;
  const Stream stream;
  s.planes = DeviceBuffer<sequence::PlaneBlock>(s.words + 2);
  s.ambiguous = DeviceBuffer<std::uint64_t>(s.words + 2);
  s.planes.clear(stream);
  s.ambiguous.fill(0xFF, stream);
  s.planes.copy_from(reference.planes().data() + s.first, copied, stream);
  s.ambiguous.copy_from(reference.ambiguous().data() + s.first, copied, stream);
  stream.synchronize();
}

LiteralText::~LiteralText() = default;

std::uint64_t LiteralSearch::bytes_of(const std::vector<scan::LiteralGroup>& groups) {
  return table_bytes(groups, LiteralPlan::kMostSharedBits) + most_hits(groups) * kBytesAHit;
}

std::uint64_t LiteralSearch::bytes_of(const std::vector<scan::LiteralGroup>& groups, const LiteralParts& parts) {
  return table_bytes(groups, LiteralPlan::kMostSharedBitsOfParts) + most_hits(parts) * kBytesAHit +
         parts.tables.queries.size() * sizeof(scan::PlaceCheck::Known) +
         parts.tables.more.size() * sizeof(sequence::PlaneBlock) + parts.parts.size_bytes();
}

LiteralSearch::LiteralSearch(const std::vector<scan::LiteralGroup>& groups, std::size_t room)
    : state_(std::make_unique<State>(groups, LiteralPlan::kMostSharedBits)) {
  for (const scan::LiteralGroup& group : groups) {
    state_->reach = std::max<std::uint64_t>(state_->reach, group.longest);
  }
  state_->least_room = most_hits(groups);
  std::uint64_t ids = 0;
  for (const scan::LiteralGroup& group : groups) {
    ids = std::max(ids, std::uint64_t{1} + *std::max_element(group.ids.begin(), group.ids.end()));
  }
  state_->hits = HitList(std::max<std::size_t>(room, state_->least_room), ids);
}

LiteralSearch::LiteralSearch(const std::vector<scan::LiteralGroup>& groups, const LiteralParts& parts, std::size_t room,
                             std::size_t places)
    : state_(std::make_unique<State>(groups, LiteralPlan::kMostSharedBitsOfParts)) {
  State& s = *state_;
  s.places = DeviceBuffer<PartPlace>(places);
  s.queries = DeviceBuffer<scan::PlaceCheck::Known>(parts.tables.queries.size());
  s.more = DeviceBuffer<sequence::PlaneBlock>(parts.tables.more.size());
  s.part_list = DeviceBuffer<scan::Part>(parts.parts.size());
  s.queries.copy_from(parts.tables.queries.data(), s.queries.size(), s.stream);
  s.more.copy_from(parts.tables.more.data(), s.more.size(), s.stream);
  s.part_list.copy_from(parts.parts.data(), s.part_list.size(), s.stream);
  s.stream.synchronize();
  std::uint64_t longest = 0;
  for (const scan::Part& part : parts.parts) {
    longest = std::max<std::uint64_t>(longest, parts.tables.queries[part.query].length);
    s.lead = std::max<std::uint64_t>(s.lead, part.after + parts.tables.max_edits);
  }
  s.parts = {{s.queries.data(), s.more.data(), s.part_list.data(), parts.tables.max_edits, parts.no_gaps},
             parts.first_id,
             {},
             s.places.data(),
             s.place_count.data(),
             places};
  s.reach = place_reach(longest);
  s.least_room = most_hits(parts);
  s.hits = HitList(std::max<std::size_t>(room, s.least_room), parts.tables.queries.size());
}

LiteralSearch::~LiteralSearch() = default;

std::uint64_t LiteralSearch::reach() const { return state_->reach; }

bool LiteralSearch::run(const LiteralText& text, const scan::Region& region, std::size_t most,
                        std::vector<scan::Hit>& hits) {
  return state_->hits.run(*state_, text, region, most, hits);
}

}  // namespace trawl::gpu
