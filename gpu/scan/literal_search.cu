#include "gpu/scan/literal_search.hpp"

#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "gpu/device/device_memory.hpp"
#include "gpu/scan/wu_manber_launch.hpp"
#include "matchers/made_text.hpp"

namespace trawl::gpu {

namespace {

using Different = scan::LiteralGroup::Different;

constexpr unsigned kThreads = 512;
// The bitmap in shared memory: two blocks of threads have room on a multiprocessor with 64 KiB or less each.
constexpr unsigned kLeastSharedBits = 16;
constexpr unsigned kMostSharedBits = 19;
// With more grams a bit, nearly every gram would pass.
constexpr unsigned kMostGramsOfSharedBits = 1;
// The bitmap in global memory stays in the level 2 cache up to 2^28 bits, 32 MiB.
constexpr unsigned kLeastGlobalBits = 16;
constexpr unsigned kMostGlobalBits = 28;
constexpr std::uint64_t kGlobalBitsAGram = 16;

// A gram's code on the device: bits 0 to 15 are the high bits of its letters, bits 16 to 31 the low bits.
__host__ __device__ inline std::uint32_t hash(std::uint32_t code) {
  code *= 0x9E3779B1u;
  code ^= code >> 15;
  return code * 0x85EBCA6Bu;
}

// 32-bit words w, w + 1 of a sequence of bits, from bit `shift` of w on.
__device__ inline std::uint32_t bits_at(std::uint32_t w, std::uint32_t next, unsigned shift) {
  return __funnelshift_r(w, next, shift);
}

__device__ inline std::uint32_t code_at(const std::uint32_t (&high)[3], const std::uint32_t (&low)[3], unsigned at,
                                        std::uint32_t mask) {
  const std::uint32_t h = bits_at(at < 32 ? high[0] : high[1], at < 32 ? high[1] : high[2], at % 32);
  const std::uint32_t l = bits_at(at < 32 ? low[0] : low[1], at < 32 ? low[1] : low[2], at % 32);
  return __byte_perm(h, l, 0x5410) & mask;
}

struct TextView {
  const sequence::PlaneBlock* planes;  // from word `first` of the reference on; the words up to `last` are there
  const std::uint64_t* ambiguous;
  std::uint64_t first;
  std::uint64_t last;

  __device__ sequence::PlaneBlock planes_at(std::uint64_t position) const {
    const std::uint64_t w = position / 64 - first;
    const unsigned shift = position % 64;
    const sequence::PlaneBlock a = planes[w];
    const sequence::PlaneBlock b = planes[w + 1];
    return {(a.high >> shift) | ((b.high << 1) << (63 - shift)), (a.low >> shift) | ((b.low << 1) << (63 - shift))};
  }
  __device__ std::uint64_t ambiguous_at(std::uint64_t position) const {
    const std::uint64_t w = position / 64 - first;
    const unsigned shift = position % 64;
    return (ambiguous[w] >> shift) | ((ambiguous[w + 1] << 1) << (63 - shift));
  }
};

struct GroupView {
  unsigned gram;
  std::uint32_t mask;  // of the code
  unsigned shared_bits;  // 0: no bitmap in shared memory
  unsigned global_bits;
  unsigned bucket_bits;
  const std::uint32_t* shared_bitmap;
  const std::uint32_t* global_bitmap;
  const std::uint32_t* buckets;
  const std::uint32_t* hashes;    // of the entries, ascending
  const std::uint32_t* entries;   // literal times kLargestStep, plus letters after the gram
  const Different* literals;
  const sequence::PlaneBlock* blocks;
  const std::uint32_t* ids;
};

__device__ inline bool test(const std::uint32_t* bitmap, std::uint32_t h) { return (bitmap[h / 32] >> (h % 32)) & 1; }

// Compares the literals whose gram has this hash with the text where the gram begins at `at`.
__device__ inline void check_literals(const GroupView& group, const TextView& text, const scan::Region& region,
                                      std::uint32_t hashed, std::uint64_t at, const HitsView& out) {
  const std::uint32_t bucket = hashed >> (32 - group.bucket_bits);
  for (std::uint32_t e = group.buckets[bucket]; e < group.buckets[bucket + 1]; ++e) {
    if (group.hashes[e] != hashed) {
      continue;
    }
    const std::uint32_t index = group.entries[e] / scan::LiteralGroup::kLargestStep;
    const Different literal = group.literals[index];
    const std::uint64_t end = at + group.gram - 1 + group.entries[e] % scan::LiteralGroup::kLargestStep;
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

// Each thread takes words of 64 positions; `words` are those of the reference where grams begin.
template <unsigned kStep>
__global__ void __launch_bounds__(kThreads)
    literal_kernel(TextView text, GroupView group, scan::Region region, BlockRange words, HitsView out) {
  extern __shared__ std::uint32_t shared_bitmap[];
  if (group.shared_bits > 0) {
    const auto* from = reinterpret_cast<const uint4*>(group.shared_bitmap);
    auto* to = reinterpret_cast<uint4*>(shared_bitmap);
    for (unsigned i = threadIdx.x; i < (1u << group.shared_bits) / 128; i += kThreads) {
      to[i] = from[i];
    }
    __syncthreads();
  }
  constexpr unsigned kGrams = 64 / kStep;  // that begin in a word
  const unsigned shared_shift = 32 - group.shared_bits;
  const std::uint64_t stride = std::uint64_t{gridDim.x} * kThreads;
  for (std::uint64_t word = words.first + std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; word < words.last;
       word += stride) {
    const sequence::PlaneBlock a = text.planes[word - text.first];
    const sequence::PlaneBlock b = text.planes[word - text.first + 1];
    const std::uint32_t high[3] = {static_cast<std::uint32_t>(a.high), static_cast<std::uint32_t>(a.high >> 32),
                                   static_cast<std::uint32_t>(b.high)};
    const std::uint32_t low[3] = {static_cast<std::uint32_t>(a.low), static_cast<std::uint32_t>(a.low >> 32),
                                  static_cast<std::uint32_t>(b.low)};
    // Bit n: the gram that begins at kStep n may be one of the group's.
    std::uint64_t passed = 0;
    if (group.shared_bits > 0) {
#pragma unroll
      for (unsigned n = 0; n < kGrams; ++n) {
        const std::uint32_t h = hash(code_at(high, low, n * kStep, group.mask)) >> shared_shift;
        passed |= static_cast<std::uint64_t>(test(shared_bitmap, h)) << n;
      }
    } else {
#pragma unroll 8
      for (unsigned n = 0; n < kGrams; ++n) {
        const std::uint32_t h = hash(code_at(high, low, n * kStep, group.mask)) >> (32 - group.global_bits);
        passed |= static_cast<std::uint64_t>(test(group.global_bitmap, h)) << n;
      }
    }
    while (passed != 0) {
      const unsigned at = (__ffsll(static_cast<long long>(passed)) - 1) * kStep;
      passed &= passed - 1;
      const std::uint32_t hashed = hash(code_at(high, low, at, group.mask));
      if (test(group.global_bitmap, hashed >> (32 - group.global_bits))) {
        check_literals(group, text, region, hashed, word * 64 + at, out);
      }
    }
    // There is no room for more hits: the region will be searched again in smaller parts.
    if (*static_cast<volatile unsigned long long*>(out.count) > out.capacity) {
      return;
    }
  }
}

__global__ void make_planes(sequence::PlaneBlock* planes, std::uint64_t words, std::uint64_t size, std::uint64_t seed) {
  const std::uint64_t w = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (w < words) {
    const char codes[4] = {0, 1, 2, 3};
    sequence::PlaneBlock block{0, 0};
    for (unsigned i = 0; i < 64 && w * 64 + i < size; ++i) {
      const std::uint64_t code = matchers::made_letter(codes, 4, seed, w * 64 + i);
      block.high |= (code >> 1) << i;
      block.low |= (code & 1) << i;
    }
    planes[w] = block;
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
    entries[i * step + after] = i * scan::LiteralGroup::kLargestStep + after;
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
  const std::uint32_t at = h >> (32 - global_bits);
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

// The sizes of a group's tables.
struct Sizes {
  std::uint64_t entries;
  unsigned shared_bits;
  unsigned global_bits;
  unsigned bucket_bits;

  explicit Sizes(const scan::LiteralGroup& group) : entries(group.size() * group.step) {
    const auto bits_for = [](std::uint64_t bits, unsigned least, unsigned most) {
      return std::clamp(static_cast<unsigned>(std::bit_width(bits - 1)), least, most);
    };
    shared_bits = entries > (std::uint64_t{kMostGramsOfSharedBits} << kMostSharedBits)
                      ? 0
                      : bits_for(entries * kGlobalBitsAGram, kLeastSharedBits, kMostSharedBits);
    global_bits = bits_for(entries * kGlobalBitsAGram, kLeastGlobalBits, kMostGlobalBits);
    bucket_bits = bits_for(entries, 8, 27);
  }
  std::uint64_t bytes() const {
    // Sorting needs a second copy of the hashes and the entries, and a little more.
    return (std::uint64_t{1} << shared_bits) / 8 + (std::uint64_t{1} << global_bits) / 8 +
           ((std::uint64_t{1} << bucket_bits) + 1) * 4 + entries * 4 * 4 + (std::uint64_t{256} << 10);
  }
};

// A group's tables in device memory.
class DeviceGroup {
 public:
  DeviceGroup(const scan::LiteralGroup& group, const Stream& stream)
      : gram_(group.gram),
        step_(group.step),
        sizes_(group),
        shared_bitmap_(sizes_.shared_bits == 0 ? 0 : (std::size_t{1} << sizes_.shared_bits) / 32),
        global_bitmap_((std::size_t{1} << sizes_.global_bits) / 32),
        buckets_((std::size_t{1} << sizes_.bucket_bits) + 1),
        hashes_(sizes_.entries),
        entries_(sizes_.entries),
        literals_(group.literals.size()),
        blocks_(group.blocks.size()),
        ids_(group.ids.size()) {
    literals_.copy_from(group.literals.data(), group.literals.size(), stream);
    blocks_.copy_from(group.blocks.data(), group.blocks.size(), stream);
    ids_.copy_from(group.ids.data(), group.ids.size(), stream);
    shared_bitmap_.clear(stream);
    global_bitmap_.clear(stream);
    const auto count = static_cast<std::uint32_t>(sizes_.entries);
    DeviceBuffer<std::uint32_t> hashes(count), entries(count);
    make_entries<<<grid_of(group.size()), kThreads, 0, stream>>>(literals_.data(), blocks_.data(),
                                                                 static_cast<std::uint32_t>(group.size()), gram_,
                                                                 step_, hashes.data(), entries.data());
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
    fill_tables<<<grid_of(count), kThreads, 0, stream>>>(hashes_.data(), count, sizes_.shared_bits,
                                                         shared_bitmap_.data(), sizes_.global_bits,
                                                         global_bitmap_.data(), sizes_.bucket_bits, buckets_.data());
    check_launch("fill_tables");
    stream.synchronize();
  }

  void launch(const TextView& text, const scan::Region& region, const HitsView& out, const Stream& stream) const {
    switch (step_) {
      case 1:
        return launch_step<1>(text, region, out, stream);
      case 2:
        return launch_step<2>(text, region, out, stream);
      default:
        return launch_step<4>(text, region, out, stream);
    }
  }

 private:
  template <unsigned kStep>
  void launch_step(const TextView& text, const scan::Region& region, const HitsView& out, const Stream& stream) const {
    const std::uint32_t half = (1u << gram_) - 1;
    const GroupView group{gram_,
                          half | half << 16,
                          sizes_.shared_bits,
                          sizes_.global_bits,
                          sizes_.bucket_bits,
                          shared_bitmap_.data(),
                          global_bitmap_.data(),
                          buckets_.data(),
                          hashes_.data(),
                          entries_.data(),
                          literals_.data(),
                          blocks_.data(),
                          ids_.data()};
    const std::size_t shared = sizes_.shared_bits == 0 ? 0 : (std::size_t{1} << sizes_.shared_bits) / 8;
    const auto* kernel = reinterpret_cast<const void*>(literal_kernel<kStep>);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "cudaFuncSetAttribute");
    // A literal that ends in the region has a gram that begins at most kMostReach letters before its end.
    constexpr std::uint64_t kMostReach = scan::LiteralGroup::kLongestGram + scan::LiteralGroup::kLargestStep;
    const BlockRange words{std::max(text.first, (region.begin - std::min(region.begin, kMostReach)) / 64),
                           std::min(text.last, (region.end + 63) / 64)};
    if (words.first >= words.last) {
      return;
    }
    const std::uint64_t resident = resident_blocks(kernel, kThreads, shared);
    const auto grid = static_cast<unsigned>(std::min<std::uint64_t>(resident, grid_of(words.last - words.first)));
    literal_kernel<kStep><<<grid, kThreads, shared, stream>>>(text, group, region, words, out);
    check_launch("literal_kernel");
  }

  unsigned gram_;
  unsigned step_;
  Sizes sizes_;
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

struct LiteralText::State {
  std::uint64_t first = 0;  // number of the first word
  std::uint64_t words = 0;  // words where grams may begin
  DeviceBuffer<sequence::PlaneBlock> planes;  // two more than `words`, so that whole words can be read after the end
  DeviceBuffer<std::uint64_t> ambiguous;

  TextView view() const { return {planes.data(), ambiguous.data(), first, first + words}; }
};

LiteralText::LiteralText(const sequence::Reference& reference, const scan::Region& region, std::uint64_t longest)
    : state_(std::make_unique<State>()) {
  const std::uint64_t all = reference.size() / 64;
  const std::uint64_t last = std::min(all, (region.end + 63) / 64);
  State& s = *state_;
  s.first = std::min(last, (region.begin - std::min(region.begin, longest + 64)) / 64);
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

LiteralText::LiteralText(std::uint64_t size, std::uint64_t seed) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.words = (size + 63) / 64;
  const Stream stream;
  s.planes = DeviceBuffer<sequence::PlaneBlock>(s.words + 2);
  s.ambiguous = DeviceBuffer<std::uint64_t>(s.words + 2);
  s.ambiguous.clear(stream);
  make_planes<<<grid_of(s.words + 2), kThreads, 0, stream>>>(s.planes.data(), s.words + 2, size, seed);
  check_launch("make_planes");
  stream.synchronize();
}

LiteralText::~LiteralText() = default;

struct LiteralSearch::State {
  std::vector<DeviceGroup> groups;
  std::uint64_t literals = 0;
  std::uint64_t longest = 0;
  DeviceBuffer<scan::Hit> hits;
  DeviceBuffer<unsigned long long> count{1};
  Stream stream;

  void launch(const LiteralText& text, const scan::Region& region, std::size_t room) {
    count.clear(stream);
    for (const DeviceGroup& group : groups) {
      group.launch(text.state().view(), region, {hits.data(), count.data(), room}, stream);
    }
  }
};

std::uint64_t LiteralSearch::bytes_of(const std::vector<scan::LiteralGroup>& groups) {
  std::uint64_t bytes = 0;
  for (const scan::LiteralGroup& group : groups) {
    bytes += Sizes(group).bytes() + group.literals.size() * sizeof(Different) +
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
  state_->hits = DeviceBuffer<scan::Hit>(std::max<std::size_t>(room, state_->literals));
}

LiteralSearch::~LiteralSearch() = default;

std::uint64_t LiteralSearch::longest() const { return state_->longest; }

bool LiteralSearch::run(const LiteralText& text, const scan::Region& region, std::size_t most,
                        std::vector<scan::Hit>& hits) {
  const std::size_t room = std::min<std::size_t>(std::max<std::uint64_t>(most, state_->literals), state_->hits.size());
  state_->launch(text, region, room);
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

std::vector<double> LiteralSearch::time(const LiteralText& text, const scan::Region& region, unsigned repeats) {
  return time_runs(state_->stream, repeats, [&] { state_->launch(text, region, state_->hits.size()); });
}

}  // namespace trawl::gpu
