// From seed hits to candidates: the diagonals on which the whole stretch of a seed matches. Each diagonal is found
// once.
#pragma once

#include <cstdint>

#include "gpu/map/choose_seeds.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "gpu/map/seed_table.hpp"

namespace trawl::gpu {

/// A strand and a diagonal. The diagonal is the position of the read's first base if there is no gap before the seed.
/// It may be negative.
struct Candidate {
  static constexpr unsigned kPositionBits = 41;

  TRAWL_HOST_DEVICE static std::uint64_t pack(std::uint64_t strand, std::int64_t diagonal) {
    return strand << kPositionBits | static_cast<std::uint64_t>(diagonal + kMaxDeviceRead);
  }
  TRAWL_HOST_DEVICE static std::uint64_t strand(std::uint64_t packed) { return packed >> kPositionBits; }
  TRAWL_HOST_DEVICE static std::int64_t diagonal(std::uint64_t packed) {
    return static_cast<std::int64_t>(packed & ((std::uint64_t{1} << kPositionBits) - 1)) - kMaxDeviceRead;
  }
};

/// Number of hits in a tile; the seeds of its hits are searched together.
inline constexpr std::uint64_t kHitTile = 256;

/// Item t is a tile of hits: finds the seed of its first hit. There is one item more than tiles. `ends[i]`: number of
/// hits of seeds 0 to i.
struct FindTileSeeds {
  const std::uint64_t* ends;
  std::uint64_t seed_count;
  std::uint64_t* tile_seeds;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t t) const {
    const std::uint64_t* all = ends;
    tile_seeds[t] = first_where(seed_count, [all, t](std::uint64_t i) { return all[i] > t * kHitTile; });
  }
};

/// Item h is a hit. If the stretch of an earlier seed also matches on its diagonal, the hit belongs to that seed and is
/// dropped. If that stretch begins before this part of the index, this part does not have the earlier seed's hit. But
/// then the part before has the whole diagonal, because parts overlap by more than the longest alignment.
struct KeepCandidates {
  ReferenceView reference;
  ReadsView reads;
  PartView part;
  const DeviceSeed* seeds;
  std::uint32_t seeds_a_strand;
  const std::uint64_t* ends;
  const std::uint64_t* tile_seeds;
  std::uint64_t* candidates;
  std::uint32_t* candidate_count;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t h) const {
    std::uint64_t i = tile_seeds[h / kHitTile];
    const std::uint64_t* all = ends + i;
    const std::uint64_t last = tile_seeds[h / kHitTile + 1];
    i += first_where(last - i, [all, h](std::uint64_t k) { return all[k] > h; });
    const DeviceSeed seed = seeds[i];
    const std::uint64_t hit = h - (i == 0 ? 0 : ends[i - 1]);
    const std::uint64_t s = i / seeds_a_strand;
    const Block* strand = reads.strand(s);
    const std::int64_t diagonal = static_cast<std::int64_t>(part.begin + part.positions[seed.first + hit]) - seed.begin;
    if (!stretch_matches(strand, diagonal, seed)) {
      return;
    }
    for (std::uint64_t earlier = s * seeds_a_strand; earlier < i; ++earlier) {
      if (stretch_matches(strand, diagonal, seeds[earlier])) {
        return;
      }
    }
    candidates[claim(candidate_count)] = Candidate::pack(s, diagonal);
  }

 private:
  TRAWL_HOST_DEVICE bool stretch_matches(const Block* strand, std::int64_t diagonal, const DeviceSeed& seed) const {
    for (std::uint32_t w = seed.stretch_begin / 32; 32 * w < seed.stretch_end; ++w) {
      if ((differences(reference, strand, diagonal, w) & range_bits(seed.stretch_begin, seed.stretch_end, w)) != 0) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace trawl::gpu
