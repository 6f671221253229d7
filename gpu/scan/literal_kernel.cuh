// The kernel that looks literals up. What it does with those that occur is a type: see LiteralHits in
// literal_search.cu and PartPlaces in literal_parts.cu.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "gpu/scan/hit_search.hpp"
#include "gpu/scan/warp_work.cuh"
#include "match/warp.hpp"
#include "scan/find/literal_group.hpp"
#include "scan/find/place_check.hpp"

namespace trawl::gpu {

inline constexpr unsigned kLiteralThreads = 1024;

/// A gram's code on the device: bits 0 to 15 are the high bits of its letters, bits 16 to 31 the low bits.
TRAWL_HOST_DEVICE inline std::uint32_t hash_gram(std::uint32_t code) {
  code *= 0x9E3779B1u;
  code ^= code >> 15;
  return code * 0x85EBCA6Bu;
}

/// The bit of a gram in the bitmap in global memory: another one for grams that share a bit in shared memory.
TRAWL_HOST_DEVICE inline std::uint32_t global_bit(std::uint32_t hashed, unsigned bits) {
  return (hashed * 0x9E3779B1u) >> (32 - bits);
}

/// The tables of a group of literals.
struct LiteralGroupView {
  unsigned gram;
  unsigned step;
  std::uint32_t mask;    // of the code
  unsigned shared_bits;  // 0: no bitmap in shared memory
  unsigned global_bits;
  unsigned bucket_bits;
  const std::uint32_t* shared_bitmap;
  const std::uint32_t* global_bitmap;
  const std::uint32_t* buckets;
  const std::uint32_t* hashes;   // of the entries, ascending
  const std::uint32_t* entries;  // literal times LiteralPlan::kLargestStep, plus letters after the gram
  const scan::LiteralGroup::Different* literals;
  const sequence::PlaneBlock* blocks;
  const std::uint32_t* ids;
};

/// A place where a part of a query occurs.
struct PartPlace {
  std::uint64_t end;
  std::uint32_t part;
};
static_assert(sizeof(PartPlace) == DevicePlan::kBytesAPlace);

/// The literals are parts of queries, and the places where they occur are checked.
struct PartsView {
  scan::PlaceView places;
  std::uint32_t first_id;  // of the first part
  scan::Region ends;       // the region of the ends
  // Places that are to be checked later. Those for which there is no room are checked at once.
  PartPlace* list;
  unsigned long long* count;
  unsigned long long capacity;
};

/// One launch, on `stream`.
struct LiteralLaunch {
  scan::TextView text;
  LiteralGroupView group;
  scan::Region region;  // of the ends of literals
  HitsView out;
  const Stream& stream;
};

/// Adds the places where parts occur to their list.
void launch_parts(const LiteralLaunch& launch, const PartsView& parts);
/// Adds the ends at the places of the list.
void launch_place_check(const scan::TextView& text, const PartsView& parts, const HitsView& out, const Stream& stream);

inline constexpr unsigned kLiteralWarps = kLiteralThreads / match::kWarpLanes;
// Grams of a thread that are looked up before those that pass are shared out among the lanes of its warp.
inline constexpr unsigned kGramsATurn = 16;

// 96 positions of the text, and the codes of the grams that begin in the first 64.
struct GramLetters {
  std::uint32_t high[3];
  std::uint32_t low[3];

  __device__ explicit GramLetters(const sequence::PlaneBlock* planes) {
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

__device__ inline bool has_bit(const std::uint32_t* bitmap, std::uint32_t h) {
  return (bitmap[h / 32] >> (h % 32)) & 1;
}

// The literals that may have a gram of the text.
struct GramEntries {
  std::uint32_t hashed = 0;
  std::uint64_t at = 0;  // where the gram begins
  std::uint32_t entry = 0, last = 0;

  // Moves to the next literal that occurs there and ends in the region: gives its index and its end.
  __device__ bool next(const LiteralGroupView& group, const scan::TextView& text, const scan::Region& region,
                       std::uint32_t& index, std::uint64_t& end) {
    while (entry < last) {
      const std::uint32_t e = entry++;
      if (group.hashes[e] != hashed) {
        continue;
      }
      index = group.entries[e] / LiteralPlan::kLargestStep;
      end = at + group.gram - 1 + group.entries[e] % LiteralPlan::kLargestStep;
      const scan::LiteralGroup::Different literal = group.literals[index];
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
        return true;
      }
    }
    return false;
  }
};

// The lanes of a warp take neighbouring words of 64 positions; `words` are those of the reference where grams begin.
// `user` gets the entries of 32 grams at a time, one per lane, some empty.
template <unsigned kStep, bool kShared, class User>
__global__ void __launch_bounds__(kLiteralThreads)
    literal_kernel(scan::TextView text, LiteralGroupView group, scan::Region region, scan::WordRange words, User user) {
  extern __shared__ __align__(16) std::uint8_t shared[];
  using Queue = BitQueue<kGramsATurn>;
  auto* const bitmap = reinterpret_cast<std::uint32_t*>(shared + kLiteralWarps * (sizeof(Queue) + User::kSharedBytes));
  if constexpr (kShared) {
    const auto* from = reinterpret_cast<const uint4*>(group.shared_bitmap);
    auto* to = reinterpret_cast<uint4*>(bitmap);
    for (unsigned i = threadIdx.x; i < (1u << group.shared_bits) / 128; i += kLiteralThreads) {
      to[i] = from[i];
    }
    __syncthreads();
  }
  constexpr unsigned kGrams = 64 / kStep;  // that begin in a word
  constexpr unsigned kTurn = kGrams < kGramsATurn ? kGrams : kGramsATurn;
  const unsigned lane = threadIdx.x % match::kWarpLanes;
  const unsigned warp = threadIdx.x / match::kWarpLanes;
  Queue& queue = reinterpret_cast<Queue*>(shared)[warp];
  user.start(shared + kLiteralWarps * sizeof(Queue) + warp * User::kSharedBytes);
  // Neighbouring pieces of work go to different blocks: if the region is small, all blocks have some.
  constexpr unsigned kPieces = User::kSplitWords ? kGrams / kTurn : 1;  // of 32 words
  const std::uint64_t pieces = (words.last - words.first + match::kWarpLanes - 1) / match::kWarpLanes * kPieces;
  for (std::uint64_t piece = std::uint64_t{warp} * gridDim.x + blockIdx.x; piece < pieces;
       piece += std::uint64_t{gridDim.x} * kLiteralWarps) {
    const std::uint64_t first = words.first + piece / kPieces * match::kWarpLanes;
    const bool valid = first + lane < words.last;
    const GramLetters letters(text.planes + (valid ? first + lane : first) - text.first);
    const unsigned first_turn = piece % kPieces * kTurn;
#pragma unroll
    for (unsigned turn = first_turn; turn < (User::kSplitWords ? first_turn + kTurn : kGrams); turn += kTurn) {
      std::uint32_t passed = 0;  // bit n: the gram that begins at (turn + n) * kStep
#pragma unroll
      for (unsigned n = 0; n < kTurn; ++n) {
        const std::uint32_t hashed = hash_gram(letters.code_at((turn + n) * kStep, group.mask));
        const std::uint32_t h = kShared ? hashed >> (32 - group.shared_bits) : global_bit(hashed, group.global_bits);
        passed |= (((kShared ? bitmap : group.global_bitmap)[h / 32] >> (h % 32)) & 1) << n;
      }
      const unsigned all = queue.fill(valid ? passed : 0);
      for (unsigned i = lane; i - lane < all; i += match::kWarpLanes) {
        GramEntries entries;
        if (i < all) {
          const std::uint64_t word = first + queue.lane(i);
          const unsigned at = (turn + queue.bit(i)) * kStep;
          entries.hashed = hash_gram(GramLetters(text.planes + word - text.first).code_at(at, group.mask));
          entries.at = word * 64 + at;
          if (!kShared || has_bit(group.global_bitmap, global_bit(entries.hashed, group.global_bits))) {
            const std::uint32_t bucket = entries.hashed >> (32 - group.bucket_bits);
            entries.entry = group.buckets[bucket];
            entries.last = group.buckets[bucket + 1];
          }
        }
        user.take(group, text, region, entries);
      }
      __syncwarp();
    }
    // There is no room for more hits: the region will be searched again in smaller parts.
    if (__any_sync(match::kAllLanes, user.out.is_full()) != 0) {
      return;
    }
  }
  user.finish(text);
}

// Launches the kernel for steps of up to kStep.
template <class User, unsigned kStep = LiteralPlan::kLargestStep>
void launch_literal_kernel(const LiteralLaunch& launch, const User& user) {
  if constexpr (kStep > 1) {
    if (launch.group.step < kStep) {
      return launch_literal_kernel<User, kStep / 2>(launch, user);
    }
  }
  const auto& [text, group, region, out, stream] = launch;
  const auto run = [&]<bool kShared>() {
    const std::size_t shared = kLiteralWarps * (sizeof(BitQueue<kGramsATurn>) + User::kSharedBytes) +
                               (kShared ? (std::size_t{1} << group.shared_bits) / 8 : 0);
    const auto* kernel = reinterpret_cast<const void*>(literal_kernel<kStep, kShared, User>);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
          "cudaFuncSetAttribute");
    // A literal that ends in the region has a gram that begins at most kMostReach letters before its end.
    constexpr std::uint64_t kMostReach = LiteralPlan::kLongestGram + LiteralPlan::kLargestStep;
    const scan::WordRange words{std::max(text.first, (region.begin - std::min(region.begin, kMostReach)) / 64),
                                std::min(text.last, (region.end + 63) / 64)};
    if (words.first >= words.last) {
      return;
    }
    const std::uint64_t resident = resident_blocks(kernel, kLiteralThreads, shared);
    const std::uint64_t wanted = (words.last - words.first + match::kWarpLanes - 1) / match::kWarpLanes;
    const auto grid = static_cast<unsigned>(std::min<std::uint64_t>(resident, wanted));
    literal_kernel<kStep, kShared, User><<<grid, kLiteralThreads, shared, stream>>>(text, group, region, words, user);
    check_launch("literal_kernel");
  };
  group.shared_bits > 0 ? run.template operator()<true>() : run.template operator()<false>();
}

}  // namespace trawl::gpu
