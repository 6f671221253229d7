// What literal_search.cu and the files that compile its kernels share. Only .cu files include this.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/scan/hit_search.hpp"
#include "gpu/scan/literal_plan.hpp"
#include "scan/find/literal_group.hpp"
#include "scan/find/place_steps.hpp"

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

/// Adds a hit for each literal that occurs.
void launch_literals(const LiteralLaunch& launch);
/// Adds the places where parts occur to their list.
void launch_parts(const LiteralLaunch& launch, const PartsView& parts);
/// Adds the ends at the places of the list.
void launch_place_check(const scan::TextView& text, const PartsView& parts, const HitsView& out, const Stream& stream);

}  // namespace trawl::gpu
