// Makes the bit planes of a reference, striped for the row-wise scan.
#include <algorithm>
#include <vector>

#include "gpu/scan/row_text.hpp"
#include "sequence/text_window.hpp"

namespace trawl::gpu {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kWarps = kThreads / match::kWarpLanes;

// The words of a mixed block: its planes, the planes that it is made from, and the counts of N.
constexpr std::uint64_t kWordsOfBlock = match::kRowBlock / 64 + 2;
static_assert(RowText::kMostBlockBytes >=
              kPlainVectors * sizeof(uint4) + sizeof(BlockKind) + sizeof(std::uint32_t) +
                  kMixedWords * sizeof(std::uint32_t) +
                  kWordsOfBlock * (sizeof(sequence::PlaneBlock) + sizeof(std::uint64_t) + sizeof(std::uint32_t)));

using Ops = match::PlainOps<std::uint32_t>;

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
  to += block * kPlainVectors + lane;
  to[0] = make_uint4(high[0], high[1], high[2], high[3]);
  to[32] = make_uint4(high[4], high[5], high[6], high[7]);
  to[64] = make_uint4(low[0], low[1], low[2], low[3]);
  to[96] = make_uint4(low[4], low[5], low[6], low[7]);
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

RowText::RowText(const sequence::Reference& reference, bool ambiguous_matches, const BlockSteps& steps,
                 const BlockRange& range)
    : size_(reference.size()), steps_(steps), first_(range.first) {
  const std::uint64_t step = steps.step();
  const std::uint64_t blocks = range.last - range.first;
  const std::uint64_t first_word = range.first * step / 64;
  const std::uint64_t last_word = blocks == 0 ? 0 : ((range.last - 1) * step + match::kRowBlock) / 64 + 1;
  std::vector<BlockKind> kinds(blocks, BlockKind::plain);
  std::vector<std::uint32_t> slots(blocks);
  std::vector<std::uint64_t> mixed_blocks;
  scan::UniformText uniform(reference, ambiguous_matches, match::kRowBlock - step);
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const std::uint64_t begin = (range.first + b) * step;
    if (begin + match::kRowBlock <= reference.size() && is_plain(reference, begin)) {
      continue;
    }
    bool all_match = false;
    if (uniform.from(begin, match::kRowBlock, all_match) > 0) {
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
  const auto all = reference.planes();
  const DeviceBuffer<sequence::PlaneBlock> planes(
      blocks == 0 ? all.first(0) : all.subspan(first_word, std::min<std::uint64_t>(all.size(), last_word) - first_word),
      stream);
  plain_ = DeviceBuffer<uint4>(blocks * kPlainVectors);
  kinds_ = DeviceBuffer<BlockKind>(kinds, stream);
  mixed_slots_ = DeviceBuffer<std::uint32_t>(slots, stream);
  mixed_ = DeviceBuffer<std::uint32_t>(mixed, stream);
  if (scan::AmbiguousCounts counts;
      ambiguous_matches && blocks > 0 &&
      counts.load(reference, first_word, std::min<std::uint64_t>(reference.size() / 64 + 1, last_word))) {
    first_word_ = first_word;
    is_ambiguous_ = DeviceBuffer<std::uint64_t>(counts.is_ambiguous, stream);
    ambiguous_before_ = DeviceBuffer<std::uint32_t>(counts.before, stream);
    stream.synchronize();
  }
  if (blocks > 0) {
    stripe_plain<<<grid_of(blocks), kThreads, 0, stream>>>(planes.data(), planes.size(), range.first * step % 64, step,
                                                           plain_.data(), blocks);
    check_launch("stripe_plain");
  }
  if (!mixed.empty()) {
    stripe_mixed<<<grid_of(mixed_blocks.size()), kThreads, 0, stream>>>(mixed_.data(), mixed_blocks.size());
    check_launch("stripe_mixed");
  }
  stream.synchronize();
}

}  // namespace trawl::gpu
