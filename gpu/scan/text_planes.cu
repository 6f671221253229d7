// Makes the bit planes of a reference, striped for the row-wise scan.
#include <algorithm>
#include <vector>

#include "base/made_text.hpp"
#include "gpu/scan/text_planes.hpp"
#include "scan/find/dead_text.hpp"
#include "sequence/text_window.hpp"

namespace trawl::gpu {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWarps = kThreads / match::kWarpLanes;

// The step from block to block, for matches up to `reach` long. It is a multiple of 32, so that lanes load whole halves
// of words.
std::uint64_t step_for(std::uint64_t reach) { return match::kRowBlock - (reach + 31) / 32 * 32; }

// The words of a mixed block: its planes, the planes that it is made from, and the counts of N.
constexpr std::uint64_t kWordsOfBlock = match::kRowBlock / 64 + 2;
static_assert(ScanText::kMostBlockBytes >=
              kPlainVectors * sizeof(uint4) + sizeof(BlockKind) + sizeof(std::uint32_t) +
                  kMixedWords * sizeof(std::uint32_t) +
                  kWordsOfBlock * (sizeof(sequence::PlaneBlock) + sizeof(std::uint64_t) + sizeof(std::uint32_t)));

using Ops = match::PlainOps<std::uint32_t>;

__device__ void store_plain(uint4* block, unsigned lane, const std::uint32_t* high, const std::uint32_t* low) {
  block[lane] = make_uint4(high[0], high[1], high[2], high[3]);
  block[32 + lane] = make_uint4(high[4], high[5], high[6], high[7]);
  block[64 + lane] = make_uint4(low[0], low[1], low[2], low[3]);
  block[96 + lane] = make_uint4(low[4], low[5], low[6], low[7]);
}

// One warp per block. The first block begins at position `begin` of the planes.
__global__ void stripe_plain(const sequence::PlaneBlock* planes, std::uint64_t words, std::uint64_t begin,
                             std::uint64_t step, uint4* to, std::uint64_t blocks) {
  const std::uint64_t block = std::uint64_t{blockIdx.x} * kWarps + threadIdx.x / match::kWarpLanes;
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  if (block >= blocks) {
    return;
  }
  std::uint32_t high[match::kRowWords];
  std::uint32_t low[match::kRowWords];
#pragma unroll
  for (unsigned v = 0; v < match::kRowWords; ++v) {
    const std::uint64_t position = begin + block * step + (v * match::kWarpLanes + lane) * 32;
    const sequence::PlaneBlock both = position / 64 < words ? planes[position / 64] : sequence::PlaneBlock{};
    high[v] = static_cast<std::uint32_t>(both.high >> (position % 64));
    low[v] = static_cast<std::uint32_t>(both.low >> (position % 64));
  }
  match::stripe_eight(Ops(), high);
  match::stripe_eight(Ops(), low);
  store_plain(to + block * kPlainVectors, lane, high, low);
}

// One warp per slot; works in place.
__global__ void stripe_mixed(std::uint32_t* mixed, std::uint64_t slots) {
  const std::uint64_t slot = std::uint64_t{blockIdx.x} * kWarps + threadIdx.x / match::kWarpLanes;
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  if (slot >= slots) {
    return;
  }
  for (unsigned base = 0; base < 4; ++base) {
    std::uint32_t* plane = mixed + slot * kMixedWords + base * match::kRowWords * match::kWarpLanes;
    std::uint32_t words[match::kRowWords];
#pragma unroll
    for (unsigned v = 0; v < match::kRowWords; ++v) {
      words[v] = plane[v * match::kWarpLanes + lane];
    }
    match::stripe_eight(Ops(), words);
#pragma unroll
    for (unsigned t = 0; t < match::kRowWords; ++t) {
      plane[t * match::kWarpLanes + lane] = words[t];
    }
  }
}

__global__ void make_plain(std::uint64_t seed, std::uint64_t step, uint4* to, std::uint64_t blocks) {
  const std::uint64_t block = std::uint64_t{blockIdx.x} * kWarps + threadIdx.x / match::kWarpLanes;
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  if (block >= blocks) {
    return;
  }
  std::uint32_t high[match::kRowWords] = {};
  std::uint32_t low[match::kRowWords] = {};
  const char codes[4] = {0, 1, 2, 3};
#pragma unroll
  for (unsigned t = 0; t < match::kRowWords; ++t) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      const std::uint32_t code = made_letter(codes, 4, seed, block * step + match::row_position(lane, t, bit));
      high[t] |= (code >> 1) << bit;
      low[t] |= (code & 1) << bit;
    }
  }
  store_plain(to + block * kPlainVectors, lane, high, low);
}

bool is_plain(const sequence::Reference& reference, std::uint64_t begin) {
  for (std::uint64_t b = begin / 64; b * 64 < begin + match::kRowBlock; ++b) {
    if (reference.block_has_ambiguous(b)) {
      return false;
    }
  }
  return true;
}

unsigned grid_of(std::uint64_t warps) { return static_cast<unsigned>((warps + kWarps - 1) / kWarps); }

}  // namespace

BlockRange ScanText::all_blocks(std::uint64_t size, std::uint64_t reach) {
  const std::uint64_t step = step_for(reach);
  return {0, (size + step - 1) / step};
}

BlockRange ScanText::blocks_of(const scan::Region& region, std::uint64_t reach) {
  const std::uint64_t step = step_for(reach);
  return {block_of(region.begin, step), block_of(region.end - 1, step) + 1};
}

scan::Region ScanText::ends_of(const BlockRange& blocks, std::uint64_t reach) {
  const std::uint64_t step = step_for(reach);
  const auto begin_of = [&](std::uint64_t block) { return block == 0 ? 0 : block * step + match::kRowBlock - step; };
  return {begin_of(blocks.first), begin_of(blocks.last)};
}

ScanText::ScanText(const sequence::Reference& reference, bool ambiguous_matches, std::uint64_t reach,
                   const BlockRange& range)
    : state_(std::make_unique<State>()) {
  const std::uint64_t step = step_for(reach);
  const std::uint64_t blocks = range.last - range.first;
  const std::uint64_t first_word = range.first * step / 64;
  const std::uint64_t last_word = blocks == 0 ? 0 : ((range.last - 1) * step + match::kRowBlock) / 64 + 1;
  state_->size = reference.size();
  state_->step = step;
  state_->first = range.first;
  std::vector<BlockKind> kinds(blocks, BlockKind::plain);
  std::vector<std::uint32_t> slots(blocks);
  std::vector<std::uint64_t> mixed_blocks;
  scan::DeadText dead(reference, ambiguous_matches, reach);
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const std::uint64_t begin = (range.first + b) * step;
    if (begin + match::kRowBlock <= reference.size() && is_plain(reference, begin)) {
      continue;
    }
    bool all_match = false;
    if (dead.from(begin, match::kRowBlock, all_match) > 0) {
      kinds[b] = BlockKind::dead;
      continue;
    }
    kinds[b] = BlockKind::mixed;
    slots[b] = static_cast<std::uint32_t>(mixed_blocks.size());
    mixed_blocks.push_back(b);
  }
  std::vector<std::uint32_t> mixed(mixed_blocks.size() * kMixedWords);
  sequence::TextWindow window;
  for (std::size_t s = 0; s < mixed_blocks.size(); ++s) {
    window.load(reference, static_cast<std::int64_t>((range.first + mixed_blocks[s]) * step), match::kRowBlock,
                ambiguous_matches);
    for (unsigned base = 0; base < 4; ++base) {
      for (unsigned word = 0; word < match::kRowWords * match::kWarpLanes; ++word) {
        mixed[s * kMixedWords + base * match::kRowWords * match::kWarpLanes + word] =
            static_cast<std::uint32_t>(window.bits(base, word * 32));
      }
    }
  }
  const Stream stream;
  DeviceBuffer<sequence::PlaneBlock> planes(
      blocks == 0 ? 0 : std::min<std::uint64_t>(reference.planes().size(), last_word) - first_word);
  planes.copy_from(reference.planes().data() + first_word, planes.size(), stream);
  state_->plain = DeviceBuffer<uint4>(blocks * kPlainVectors);
  state_->kinds = DeviceBuffer<BlockKind>(blocks);
  state_->kinds.copy_from(kinds.data(), blocks, stream);
  state_->mixed_slots = DeviceBuffer<std::uint32_t>(blocks);
  state_->mixed_slots.copy_from(slots.data(), blocks, stream);
  state_->mixed = DeviceBuffer<std::uint32_t>(mixed.size());
  if (ambiguous_matches && blocks > 0) {
    const scan::AmbiguousCounts counts = scan::make_ambiguous_counts(reference);
    if (!counts.is_ambiguous.empty()) {
      const std::uint64_t words = std::min<std::uint64_t>(counts.is_ambiguous.size(), last_word) - first_word;
      state_->first_word = first_word;
      state_->is_ambiguous = DeviceBuffer<std::uint64_t>(words);
      state_->ambiguous_before = DeviceBuffer<std::uint32_t>(words);
      state_->is_ambiguous.copy_from(counts.is_ambiguous.data() + first_word, words, stream);
      state_->ambiguous_before.copy_from(counts.before.data() + first_word, words, stream);
      stream.synchronize();
    }
  }
  if (blocks > 0) {
    stripe_plain<<<grid_of(blocks), kThreads, 0, stream>>>(planes.data(), planes.size(), range.first * step % 64, step,
                                                           state_->plain.data(), blocks);
    check_launch("stripe_plain");
  }
  if (!mixed.empty()) {
    state_->mixed.copy_from(mixed.data(), mixed.size(), stream);
    stripe_mixed<<<grid_of(mixed_blocks.size()), kThreads, 0, stream>>>(state_->mixed.data(), mixed_blocks.size());
    check_launch("stripe_mixed");
  }
  stream.synchronize();
}

ScanText::ScanText(std::uint64_t size, std::uint64_t seed, std::uint64_t reach) : state_(std::make_unique<State>()) {
  const std::uint64_t step = step_for(reach);
  const std::uint64_t blocks = all_blocks(size, reach).last;
  state_->size = size;
  state_->step = step;
  const Stream stream;
  state_->plain = DeviceBuffer<uint4>(blocks * kPlainVectors);
  state_->kinds = DeviceBuffer<BlockKind>(blocks);
  state_->kinds.clear(stream);
  static_assert(static_cast<int>(BlockKind::plain) == 0);
  make_plain<<<grid_of(blocks), kThreads, 0, stream>>>(seed, step, state_->plain.data(), blocks);
  check_launch("make_plain");
  stream.synchronize();
}

ScanText::~ScanText() = default;

}  // namespace trawl::gpu
