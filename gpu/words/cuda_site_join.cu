// For each choice of parts (words/word_choices.hpp) the words are sorted by the bases that must match. Then a warp
// takes 32 neighbouring words, one a lane, and compares them with all words of their runs.
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <limits>
#include <string>
#include <vector>

#include "gpu/device/device_memory.hpp"
#include "gpu/device/devices.hpp"
#include "gpu/words/cuda_site_join.hpp"
#include "words/word_choices.hpp"

namespace trawl::gpu {

namespace {

using words::GuideWord;
using words::PairScores;
using words::SiteSums;

constexpr unsigned kLanes = 32;
constexpr unsigned kWarps = 8;  // of a block
constexpr unsigned kThreads = kWarps * kLanes;
constexpr std::uint64_t kBases = 0xfffffff0fffffff0;  // of a GuideWord
constexpr std::uint32_t kMostKeyBases = 16;           // that are sorted by; more are only compared

// A choice, by bits of GuideWord::differing().
struct DeviceChoice {
  std::uint32_t key = 0;  // bases that must match
  std::uint32_t part[words::WordPairs::kMost] = {};
  std::uint32_t parts = 0;
  std::uint32_t most = 0;
  words::Bases sorted[2 * kMostKeyBases] = {};  // stretches of the key
  std::uint32_t stretches = 0;
  std::uint32_t key_size = 0;

  __device__ std::uint32_t key_of(std::uint64_t word) const {
    std::uint32_t low = 0, high = 0, at = 0;
    for (std::uint32_t s = 0; s < stretches; ++s) {
      const std::uint32_t size = sorted[s].end - sorted[s].begin;
      const std::uint32_t mask = (1u << size) - 1;
      low |= (static_cast<std::uint32_t>(word >> (4 + sorted[s].begin)) & mask) << at;
      high |= (static_cast<std::uint32_t>(word >> (36 + sorted[s].begin)) & mask) << at;
      at += size;
    }
    return low | high << key_size;
  }
  __device__ bool allows(std::uint32_t differing) const {
    bool allowed = (differing & key) == 0;
    for (std::uint32_t p = 0; p < parts; ++p) {
      allowed &= (differing & part[p]) != 0;
    }
    return allowed;
  }
};

DeviceChoice device_choice(const words::WordChoice& choice) {
  DeviceChoice made;
  made.most = choice.pairs.most;
  for (const words::Bases& some : choice.key) {
    made.key |= static_cast<std::uint32_t>(sequence::low_ones(some.end - some.begin) << some.begin);
    const std::uint32_t size = std::min(some.end - some.begin, kMostKeyBases - 1 - made.key_size);
    made.sorted[made.stretches] = {some.begin, some.begin + size};
    made.stretches += size > 0 ? 1 : 0;
    made.key_size += size;
  }
  // The parts are bits of the rest, whose bases are in order.
  made.parts = choice.pairs.parts;
  std::uint32_t at = 0;
  for (const words::Bases& some : choice.rest) {
    for (std::uint32_t base = some.begin; base < some.end; ++base, ++at) {
      for (std::uint32_t p = 0; p < made.parts; ++p) {
        made.part[p] |= (choice.pairs.part[p] >> at & 1) << base;
      }
    }
  }
  return made;
}

// The words, sorted by the keys of a choice.
struct SortedView {
  const std::uint32_t* keys;
  const std::uint32_t* numbers;  // of the words
  const std::uint64_t* words;
  std::uint32_t size;

  // The first one whose key is not less, or is more.
  __device__ std::uint32_t bound(std::uint32_t key, bool after) const {
    std::uint32_t first = 0, count = size;
    while (count > 0) {
      const std::uint32_t half = count / 2;
      const std::uint32_t middle = keys[first + half];
      const bool is_before = middle < key || (after && middle == key);
      first = is_before ? first + half + 1 : first;
      count = is_before ? count - half - 1 : half;
    }
    return first;
  }
};

struct JoinView {
  const std::uint32_t* sites;   // by word
  const std::uint32_t* places;  // by word; of those that are asked for
  const PairScores* scores;     // null: there are none
  SiteSums* sums;
};

__global__ void key_kernel(const std::uint64_t* words, std::uint32_t size, DeviceChoice choice, std::uint32_t* keys,
                           std::uint32_t* numbers) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < size;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    keys[i] = choice.key_of(words[i]);
    numbers[i] = static_cast<std::uint32_t>(i);
  }
}

__global__ void gather_kernel(const std::uint64_t* words, const std::uint32_t* numbers, std::uint32_t size,
                              std::uint64_t* sorted) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < size;
       i += std::uint64_t{gridDim.x} * blockDim.x) {
    sorted[i] = words[numbers[i]];
  }
}

__global__ void __launch_bounds__(kThreads) join_kernel(SortedView sorted, DeviceChoice choice, JoinView view) {
  constexpr unsigned kTile = 64;
  __shared__ uint2 tiles[kWarps][kTile];
  const unsigned lane = threadIdx.x % kLanes;
  uint2* const tile = tiles[threadIdx.x / kLanes];
  const std::uint64_t first = (blockIdx.x * std::uint64_t{kWarps} + threadIdx.x / kLanes) * kLanes;
  if (first >= sorted.size) {
    return;
  }
  const auto self = static_cast<std::uint32_t>(first + lane);
  const std::uint64_t guide = self < sorted.size ? sorted.words[self] : 0;
  const bool is_asked = (guide & GuideWord::kAsked) != 0;
  if (__ballot_sync(~0u, is_asked) == 0) {
    return;
  }
  const auto last = static_cast<std::uint32_t>(min(first + kLanes, std::uint64_t{sorted.size}) - 1);
  const std::uint32_t begin = sorted.bound(sorted.keys[first], false), end = sorted.bound(sorted.keys[last], true);
  const auto low = static_cast<std::uint32_t>(guide & kBases),
             high = static_cast<std::uint32_t>((guide & kBases) >> 32);
  // A lane without a guide takes part in nothing.
  const int most = is_asked ? static_cast<int>(choice.most) : -1;
  SiteSums sums{};
  for (std::uint32_t from = begin; from < end; from += kTile) {
    __syncwarp();
    for (unsigned i = lane; i < kTile; i += kLanes) {
      const std::uint64_t word = from + i < end ? sorted.words[from + i] & kBases : 0;
      tile[i] = make_uint2(static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32));
    }
    __syncwarp();
    const unsigned count = min(kTile, end - from);
#pragma unroll 4
    for (unsigned i = 0; i < count; ++i) {
      const uint2 other = tile[i];
      const std::uint32_t differing = (low ^ other.x) | (high ^ other.y);
      if (__popc(differing) <= most) {
        if (choice.allows(differing >> 4) && from + i != self) {
          const std::uint64_t site = sorted.words[from + i];
          const std::uint32_t sites = view.sites[sorted.numbers[from + i]];
          sums.sites[__popc(differing)] += sites;
          if (view.scores != nullptr) {
            const words::ScoreSums scores = words::score_pair(*view.scores, guide, site);
            sums.scores.cfd += sites * scores.cfd;
            sums.scores.mit += sites * scores.mit;
          }
        }
      }
    }
  }
  // No other lane counts for this word.
  if (is_asked) {
    SiteSums& all = view.sums[view.places[sorted.numbers[self]]];
    for (unsigned m = 0; m <= words::SiteRule::kMostMismatches; ++m) {
      all.sites[m] += sums.sites[m];
    }
    all.scores.cfd += sums.scores.cfd;
    all.scores.mit += sums.scores.mit;
  }
}

// One block for each site with ambiguous bases.
__global__ void ambiguous_kernel(SortedView sorted, DeviceChoice choice, JoinView view, const words::GuideSite* sites) {
  const words::GuideSite site = sites[blockIdx.x];
  if ((site.ambiguous & choice.key) != 0) {
    return;
  }
  const std::uint32_t key = choice.key_of(site.word);
  const std::uint32_t end = sorted.bound(key, true);
  for (std::uint32_t i = sorted.bound(key, false) + threadIdx.x; i < end; i += blockDim.x) {
    const std::uint64_t guide = sorted.words[i];
    const std::uint32_t differing = GuideWord::differing(guide, site.word) | site.ambiguous;
    const unsigned mismatches = static_cast<unsigned>(__popc(differing));
    if ((guide & GuideWord::kAsked) != 0 && mismatches <= choice.most && choice.allows(differing)) {
      SiteSums& sums = view.sums[view.places[sorted.numbers[i]]];
      atomicAdd(&sums.sites[mismatches], 1u);
      atomicAdd(&sums.without_score, 1u);
    }
  }
}

// Bytes for a word, besides the sums.
constexpr std::uint64_t kOfWord = 8 + 4 + 4 + 4 * 4 + 8;

class CudaSiteJoin final : public words::SiteJoin {
 public:
  CudaSiteJoin(const words::SiteWords& words, const WorkOptions& options) : device_(devices_to_use(options).front()) {
    use(device_);
    const std::uint64_t memory = usable_memory(options);
    constexpr std::uint64_t kRoom = std::uint64_t{256} << 20;  // for sorting
    const std::uint64_t needed = words.size() * kOfWord + words.ambiguous().size() * sizeof(words::GuideSite) + kRoom;
    if (words.size() > std::numeric_limits<int>::max()) {
      throw Error("more than 2^31 different sites do not fit on a GPU; use --engine cpu");
    }
    if (needed + sizeof(SiteSums) > memory) {
      throw Error("the sites need " + std::to_string((needed >> 20) + 1) + " MB on the GPU, which allows " +
                  std::to_string(memory >> 20) + " MB; use --engine cpu");
    }
    most_asked_ = (memory - needed) / sizeof(SiteSums);
  }

  std::string description() const override { return "cuda (" + device_.name + ")"; }
  std::uint64_t most_asked() const override { return most_asked_; }

  void add(const words::SiteWords& words, std::span<SiteSums> sums,
           const std::function<void(double)>& progress) override {
    const words::SiteRule& rule = words.rule();
    const auto choices = words::best_word_choices(rule.length, rule.max_mismatches, words.asked(),
                                                  std::numeric_limits<double>::infinity());
    const auto size = static_cast<std::uint32_t>(words.size());
    if (size == 0) {
      return;
    }
    use(device_);
    const Stream stream;
    const DeviceBuffer<std::uint64_t> all(words.words(), stream);
    const DeviceBuffer<std::uint32_t> sites(words.sites(), stream);
    const DeviceBuffer<words::GuideSite> ambiguous(std::span(words.ambiguous()), stream);
    const PairScores host_scores = words::make_pair_scores();
    const DeviceBuffer<PairScores> scores(std::span(&host_scores, 1), stream);
    DeviceBuffer<SiteSums> device_sums(std::span<const SiteSums>(sums), stream);
    std::vector<std::uint32_t> host_places(size);
    tbb::parallel_for(std::uint32_t{0}, size,
                      [&](std::uint32_t i) { host_places[i] = static_cast<std::uint32_t>(words.place(i)); });
    const DeviceBuffer<std::uint32_t> places(std::span<const std::uint32_t>(host_places), stream);
    DeviceBuffer<std::uint32_t> keys(size), other_keys(size), numbers(size), other_numbers(size);
    DeviceBuffer<std::uint64_t> sorted(size);
    cub::DoubleBuffer<std::uint32_t> key_buffer(keys.data(), other_keys.data());
    cub::DoubleBuffer<std::uint32_t> number_buffer(numbers.data(), other_numbers.data());
    std::size_t for_sort = 0;
    check(cub::DeviceRadixSort::SortPairs(nullptr, for_sort, key_buffer, number_buffer, static_cast<int>(size), 0, 32,
                                          stream),
          "SortPairs");
    DeviceBuffer<char> room(for_sort);
    const unsigned blocks = 8 * multiprocessors();
    const JoinView view{sites.data(), places.data(), rule.has_scores() ? scores.data() : nullptr, device_sums.data()};
    for (std::size_t c = 0; c < choices.size(); ++c) {
      const DeviceChoice choice = device_choice(choices[c]);
      key_kernel<<<blocks, kThreads, 0, stream>>>(all.data(), size, choice, key_buffer.Current(),
                                                  number_buffer.Current());
      check_launch("key_kernel");
      check(cub::DeviceRadixSort::SortPairs(room.data(), for_sort, key_buffer, number_buffer, static_cast<int>(size), 0,
                                            static_cast<int>(2 * choice.key_size), stream),
            "SortPairs");
      gather_kernel<<<blocks, kThreads, 0, stream>>>(all.data(), number_buffer.Current(), size, sorted.data());
      check_launch("gather_kernel");
      const SortedView sorted_words{key_buffer.Current(), number_buffer.Current(), sorted.data(), size};
      join_kernel<<<(size + kThreads - 1) / kThreads, kThreads, 0, stream>>>(sorted_words, choice, view);
      check_launch("join_kernel");
      if (ambiguous.size() > 0) {
        ambiguous_kernel<<<static_cast<unsigned>(ambiguous.size()), kThreads, 0, stream>>>(sorted_words, choice, view,
                                                                                           ambiguous.data());
        check_launch("ambiguous_kernel");
      }
      stream.synchronize();
      progress(static_cast<double>(c + 1) / static_cast<double>(choices.size()));
    }
    device_sums.copy_to(sums.data(), 0, sums.size(), stream);
    stream.synchronize();
  }

 private:
  Device device_;
  std::uint64_t most_asked_ = 0;
};

}  // namespace

std::unique_ptr<words::SiteJoin> make_cuda_site_join(const words::SiteWords& words, const WorkOptions& options) {
  return std::make_unique<CudaSiteJoin>(words, options);
}

}  // namespace trawl::gpu
