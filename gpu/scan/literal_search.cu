#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

#include "gpu/device/device_memory.hpp"
#include "gpu/scan/hit_list.hpp"
#include "gpu/scan/literal_plan.hpp"
#include "gpu/scan/literal_text.hpp"
#include "match/warp.hpp"

namespace trawl::gpu {

namespace {

using Different = scan::LiteralGroup::Different;

constexpr unsigned kThreads = 1024;
constexpr unsigned kLargestStep = LiteralPlan::kLargestStep;
// Grams of a thread that are looked up before those that pass are shared out among the lanes of its warp.
constexpr unsigned kGramsATurn = 16;

// Words [first, last) of 64 positions.
struct WordRange {
  std::uint64_t first;
  std::uint64_t last;
};

// A gram's code on the device: bits 0 to 15 are the high bits of its letters, bits 16 to 31 the low bits.
__host__ __device__ inline std::uint32_t hash(std::uint32_t code) {
  code *= 0x9E3779B1u;
  code ^= code >> 15;
  return code * 0x85EBCA6Bu;
}

// The bit of a gram in the bitmap in global memory: another one for grams that share a bit in shared memory.
__host__ __device__ inline std::uint32_t global_bit(std::uint32_t hashed, unsigned bits) {
  return (hashed * 0x9E3779B1u) >> (32 - bits);
}

// 96 positions of the text, and the codes of the grams that begin in the first 64.
struct Letters {
  std::uint32_t high[3];
  std::uint32_t low[3];

  __device__ explicit Letters(const sequence::PlaneBlock* planes) {
    const sequence::PlaneBlock a = planes[0];
    const sequence::PlaneBlock b = planes[1];
    high[0] = static_cast<std::uint32_t>(a.high), high[1] = static_cast<std::uint32_t>(a.high >> 32);
    low[0] = static_cast<std::uint32_t>(a.low), low[1] = static_cast<std::uint32_t>(a.low >> 32);
    high[2] = static_cast<std::uint32_t>(b.high), low[2] = static_cast<std::uint32_t>(b.low);
  }
  __device__ std::uint32_t code_at(unsigned at, std::uint32_t mask) const {
    const std::uint32_t h = __funnelshift_r(at < 32 ? high[0] : high[1], at < 32 ? high[1] : high[2], at % 32);
    const std::uint32_t l = __funnelshift_r(at < 32 ? low[0] : low[1], at < 32 ? low[1] : low[2], at % 32);
    return __byte_perm(h, l, 0x5410) & mask;
  }
};

struct GroupView {
  unsigned gram;
  std::uint32_t mask;    // of the code
  unsigned shared_bits;  // 0: no bitmap in shared memory
  unsigned global_bits;
  unsigned bucket_bits;
  const std::uint32_t* shared_bitmap;
  const std::uint32_t* global_bitmap;
  const std::uint32_t* buckets;
  const std::uint32_t* hashes;   // of the entries, ascending
  const std::uint32_t* entries;  // literal times kLargestStep, plus letters after the gram
  const Different* literals;
  const sequence::PlaneBlock* blocks;
  const std::uint32_t* ids;
};

__device__ inline bool test(const std::uint32_t* bitmap, std::uint32_t h) { return (bitmap[h / 32] >> (h % 32)) & 1; }

// Compares the literals whose gram has this hash with the text where the gram begins at `at`.
__device__ inline void check_literals(const GroupView& group, const LiteralTextView& text, const scan::Region& region,
                                      std::uint32_t hashed, std::uint64_t at, const HitsView& out) {
  const std::uint32_t bucket = hashed >> (32 - group.bucket_bits);
  for (std::uint32_t e = group.buckets[bucket]; e < group.buckets[bucket + 1]; ++e) {
    if (group.hashes[e] != hashed) {
      continue;
    }
    const std::uint32_t index = group.entries[e] / kLargestStep;
    const Different literal = group.literals[index];
    const std::uint64_t end = at + group.gram - 1 + group.entries[e] % kLargestStep;
    if (end < region.begin || end >= region.end || end + 1 < literal.length) {
      continue;
    }
    const std::uint64_t begin = end + 1 - literal.length;
    bool occurs = true;
    for (std::uint32_t i = 0; i < literal.length && occurs; i += 64) {
      const sequence::PlaneBlock here = text.planes_at(begin + i);
      const sequence::PlaneBlock pattern = group.blocks[literal.block + i / 64];
      const std::uint64_t differs =
          (here.high ^ pattern.high) | (here.low ^ pattern.low) | text.ambiguous_at(begin + i);
      const std::uint32_t left = literal.length - i;
      occurs = (left >= 64 ? differs : differs << (64 - left)) == 0;
    }
    if (occurs) {
      for (std::uint32_t i = literal.ids; i < group.literals[index + 1].ids; ++i) {
        const unsigned long long slot = atomicAdd(out.count, 1ull);
        if (slot < out.capacity) {
          out.hits[slot] = {end, group.ids[i], 0};
        }
      }
    }
  }
}

// What a warp's lanes share out: the grams that passed the first bitmap, each as lane * kGramsATurn + its number.
struct Queue {
  std::uint16_t grams[match::kWarpLanes * kGramsATurn];
};

// Puts the grams whose bits are set into the queue; returns their number in the whole warp.
__device__ inline unsigned enqueue(Queue& queue, std::uint32_t passed) {
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  unsigned before = __popc(passed);
  for (unsigned step = 1; step < match::kWarpLanes; step *= 2) {
    const unsigned other = __shfl_up_sync(match::kAllLanes, before, step);
    before += lane >= step ? other : 0;
  }
  const unsigned all = __shfl_sync(match::kAllLanes, before, match::kWarpLanes - 1);
  before -= __popc(passed);
  for (; passed != 0; passed &= passed - 1) {
    queue.grams[before++] = static_cast<std::uint16_t>(lane * kGramsATurn + __ffs(static_cast<int>(passed)) - 1);
  }
  __syncwarp();
  return all;
}

// The lanes of a warp take neighbouring words of 64 positions; `words` are those of the reference where grams begin.
template <unsigned kStep, bool kShared>
__global__ void __launch_bounds__(kThreads)
    literal_kernel(LiteralTextView text, GroupView group, scan::Region region, WordRange words, HitsView out) {
  extern __shared__ __align__(16) std::uint8_t shared[];
  auto* const bitmap = reinterpret_cast<std::uint32_t*>(shared + kThreads / match::kWarpLanes * sizeof(Queue));
  if constexpr (kShared) {
    const auto* from = reinterpret_cast<const uint4*>(group.shared_bitmap);
    auto* to = reinterpret_cast<uint4*>(bitmap);
    for (unsigned i = threadIdx.x; i < (1u << group.shared_bits) / 128; i += kThreads) {
      to[i] = from[i];
    }
    __syncthreads();
  }
  constexpr unsigned kGrams = 64 / kStep;  // that begin in a word
  constexpr unsigned kTurn = kGrams < kGramsATurn ? kGrams : kGramsATurn;
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  const unsigned warp = threadIdx.x / match::kWarpLanes;
  Queue& queue = reinterpret_cast<Queue*>(shared)[warp];
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kThreads;
  for (std::uint64_t first = words.first + std::uint64_t{blockIdx.x} * kThreads + warp * match::kWarpLanes;
       first < words.last; first += stride) {
    const bool valid = first + lane < words.last;
    const Letters letters(text.planes + (valid ? first + lane : first) - text.first);
#pragma unroll
    for (unsigned turn = 0; turn < kGrams; turn += kTurn) {
      std::uint32_t passed = 0;  // bit n: the gram that begins at (turn + n) * kStep
#pragma unroll
      for (unsigned n = 0; n < kTurn; ++n) {
        const std::uint32_t hashed = hash(letters.code_at((turn + n) * kStep, group.mask));
        const std::uint32_t h = kShared ? hashed >> (32 - group.shared_bits) : global_bit(hashed, group.global_bits);
        passed |= (((kShared ? bitmap : group.global_bitmap)[h / 32] >> (h % 32)) & 1) << n;
      }
      const unsigned all = enqueue(queue, valid ? passed : 0);
      for (unsigned i = lane; i < all; i += match::kWarpLanes) {
        const std::uint64_t word = first + queue.grams[i] / kGramsATurn;
        const unsigned at = (turn + queue.grams[i] % kGramsATurn) * kStep;
        const std::uint32_t hashed = hash(Letters(text.planes + word - text.first).code_at(at, group.mask));
        if (!kShared || test(group.global_bitmap, global_bit(hashed, group.global_bits))) {
          check_literals(group, text, region, hashed, word * 64 + at, out);
        }
      }
      __syncwarp();
    }
    // There is no room for more hits: the region will be searched again in smaller parts.
    if (__any_sync(match::kAllLanes, *static_cast<volatile unsigned long long*>(out.count) > out.capacity) != 0) {
      return;
    }
  }
}

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
    hashes[i * step + after] = hash(code);
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
  DeviceGroup(const scan::LiteralGroup& group, const Stream& stream)
      : plan_(group),
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

  void launch(const LiteralTextView& text, const scan::Region& region, const HitsView& out,
              const Stream& stream) const {
    plan_.shared_bits > 0 ? launch_step<kLargestStep, true>(text, region, out, stream)
                          : launch_step<kLargestStep, false>(text, region, out, stream);
  }

 private:
  // For steps of up to kStep.
  template <unsigned kStep, bool kShared>
  void launch_step(const LiteralTextView& text, const scan::Region& region, const HitsView& out,
                   const Stream& stream) const {
    if constexpr (kStep > 1) {
      if (plan_.step < kStep) {
        return launch_step<kStep / 2, kShared>(text, region, out, stream);
      }
    }
    const std::uint32_t half = (1u << plan_.gram) - 1;
    const GroupView group{plan_.gram,        half | half << 16,     plan_.shared_bits,     plan_.global_bits,
                          plan_.bucket_bits, shared_bitmap_.data(), global_bitmap_.data(), buckets_.data(),
                          hashes_.data(),    entries_.data(),       literals_.data(),      blocks_.data(),
                          ids_.data()};
    const std::size_t shared =
        kThreads / match::kWarpLanes * sizeof(Queue) + (kShared ? (std::size_t{1} << plan_.shared_bits) / 8 : 0);
    const auto* kernel = reinterpret_cast<const void*>(literal_kernel<kStep, kShared>);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "cudaFuncSetAttribute");
    // A literal that ends in the region has a gram that begins at most kMostReach letters before its end.
    constexpr std::uint64_t kMostReach = LiteralPlan::kLongestGram + kLargestStep;
    const WordRange words{std::max(text.first, (region.begin - std::min(region.begin, kMostReach)) / 64),
                          std::min(text.last, (region.end + 63) / 64)};
    if (words.first >= words.last) {
      return;
    }
    const std::uint64_t resident = resident_blocks(kernel, kThreads, shared);
    const auto grid = static_cast<unsigned>(std::min<std::uint64_t>(resident, grid_of(words.last - words.first)));
    literal_kernel<kStep, kShared><<<grid, kThreads, shared, stream>>>(text, group, region, words, out);
    check_launch("literal_kernel");
  }

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
  std::uint64_t literals = 0;
  std::uint64_t longest = 0;
  HitList hits;
  Stream stream;

  void launch(const LiteralText& text, const scan::Region& region, std::size_t room) {
    const HitsView out = hits.start(room, stream);
    for (const DeviceGroup& group : groups) {
      group.launch(text.state().view(), region, out, stream);
    }
  }
};

std::uint64_t LiteralSearch::bytes_of(const std::vector<scan::LiteralGroup>& groups) {
  std::uint64_t bytes = 0;
  for (const scan::LiteralGroup& group : groups) {
    bytes += LiteralPlan(group).bytes() + group.literals.size() * sizeof(Different) +
             group.blocks.size() * sizeof(sequence::PlaneBlock) +
             group.ids.size() * (sizeof(std::uint32_t) + sizeof(scan::Hit));
  }
  return bytes;
}

LiteralSearch::LiteralSearch(const std::vector<scan::LiteralGroup>& groups, std::size_t room)
    : state_(std::make_unique<State>()) {
  for (const scan::LiteralGroup& group : groups) {
    state_->groups.emplace_back(group, state_->stream);
    state_->literals += group.ids.size();
    state_->longest = std::max<std::uint64_t>(state_->longest, group.longest);
  }
  state_->hits = HitList(std::max<std::size_t>(room, state_->literals));
}

LiteralSearch::~LiteralSearch() = default;

std::uint64_t LiteralSearch::longest() const { return state_->longest; }

bool LiteralSearch::run(const LiteralText& text, const scan::Region& region, std::size_t most,
                        std::vector<scan::Hit>& hits) {
  const std::size_t room = std::min<std::size_t>(std::max<std::uint64_t>(most, state_->literals), state_->hits.size());
  state_->launch(text, region, room);
  return state_->hits.fetch(room, state_->stream, hits);
}

std::vector<double> LiteralSearch::time(const LiteralText& text, const scan::Region& region, unsigned repeats) {
  return time_runs(state_->stream, repeats, [&] { state_->launch(text, region, state_->hits.size()); });
}

}  // namespace trawl::gpu
