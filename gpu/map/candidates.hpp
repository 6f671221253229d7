// From seed hits to candidates: the diagonals on which a seed's whole stretch matches, each found once.
#pragma once

#include <cstdint>

#include "gpu/map/choose_seeds.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "gpu/map/seed_table.hpp"

namespace trawl::gpu {

/// A strand and a diagonal: the position of the read's first base if no gap is before the seed. It may be negative.
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

/// Hits that are looked for in the seeds together.
inline constexpr std::uint64_t kHitTile = 256;

/// Item t is a tile of hits: the seed that holds its first hit; one item more than there are tiles. `ends[i]`: hits of
/// seeds 0 to i.
struct FindTileSeeds {
  const std::uint64_t* ends;
  std::uint64_t seed_count;
  std::uint64_t* tile_seeds;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t t) const {
    const std::uint64_t* all = ends;
    tile_seeds[t] = first_where(seed_count, [all, t](std::uint64_t i) { return all[i] > t * kHitTile; });
  }
};

/// Item h is a hit. A hit on a diagonal where an earlier seed's stretch matches too is that seed's. Where that stretch
/// begins before the part, this one has no such hit; but the part before has the whole diagonal, for the overlap is
/// longer than any alignment.
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
