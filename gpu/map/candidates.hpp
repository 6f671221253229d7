// Chooses seeds on the device, and finds candidates: the diagonals on which the whole stretch of a seed matches. Each
// diagonal is found once.
//
// Seeds are chosen with the dynamic programming of seed/seed_selection.hpp, one strand per item. The seeds
// can differ from those of the CPU: here a seed may begin at every base, and only hits in one part of the index count.
// Elements of a row of a strand's tables are `strands` elements apart, so that neighbouring threads read and write
// neighbouring memory.
#pragma once

#include <cstdint>

#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "gpu/map/seed_table.hpp"

namespace trawl::gpu {

/// What to search for a strand.
struct StrandPlan {
  std::uint16_t wanted = 0;  // number of disjoint seeds; 0: nothing can be found, or the strand is searched by a scan
  std::uint16_t length = 0;
};

/// A chosen seed, its hits in the part, and its stretch of the read.
struct DeviceSeed {
  std::uint32_t first = 0;  // hits: PartView::positions[first, first + count)
  std::uint32_t count = 0;
  std::uint16_t begin = 0;
  std::uint16_t stretch_begin = 0;
  std::uint16_t stretch_end = 0;
  std::uint16_t unused = 0;
};

/// The first ambiguous base in [from, to), or `to` if there is none.
TRAWL_HOST_DEVICE inline std::uint32_t next_ambiguous(const BaseBlock* strand, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t w = from / 32; 32 * w < to; ++w) {
    const std::uint32_t bits = strand[w].ambiguous & range_bits(from, to, w);
    if (bits != 0) {
      return 32 * w + lowest_bit(bits);
    }
  }
  return to;
}

TRAWL_HOST_DEVICE inline std::uint32_t count_ambiguous(const BaseBlock* strand, std::uint32_t length) {
  std::uint32_t count = 0;
  for (std::uint32_t w = 0; 32 * w < length; ++w) {
    count += popcount(strand[w].ambiguous);
  }
  return count;
}

/// Item s is a strand: computes how many seeds it needs, and the longest seed length with which that many fit. If no
/// length fits, marks the strand for a scan. A marked strand has no seeds.
struct PlanSeeds {
  ReadsView reads;
  unsigned q;
  StrandPlan* plans;
  std::uint8_t* marks;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t s) const {
    const ReadEntry& read = reads.reads[s / 2];
    const BaseBlock* strand = reads.strand(s);
    StrandPlan plan;
    const std::uint32_t ambiguous = count_ambiguous(strand, read.length);
    const std::uint32_t lost = reads.sets == nullptr ? ambiguous : 0;  // every base that matches nothing costs one edit
    if (marks[s] == 0 && reads.searches(s) && read.length > 0 && lost <= read.max_edits) {
      const std::uint32_t wanted = read.max_edits - lost + 1;
      unsigned length = read.length / wanted < q ? read.length / wanted : q;
      while (ambiguous > 0 && length > 0 && room(strand, read.length, length) < wanted) {
        --length;
      }
      marks[s] = length == 0;
      plan.length = static_cast<std::uint16_t>(length);
      plan.wanted = static_cast<std::uint16_t>(length == 0 ? 0 : wanted);
    }
    plans[s] = plan;
  }

  // Number of disjoint pieces of this length without an ambiguous base.
  TRAWL_HOST_DEVICE static std::uint32_t room(const BaseBlock* strand, std::uint32_t m, unsigned length) {
    std::uint32_t pieces = 0;
    for (std::uint32_t begin = 0; begin < m;) {
      const std::uint32_t end = next_ambiguous(strand, begin, m);
      pieces += (end - begin) / length;
      begin = end + 1;
    }
    return pieces;
  }
};

/// Costs of seeds in the dynamic programming. The sum of two impossible costs does not overflow, and the sum of as many
/// kMaxFrequency as a read can have is below the impossible cost.
inline constexpr std::uint32_t kImpossibleSeed = 0x7fffffff;
inline constexpr std::uint32_t kMaxFrequency = 1u << 24;
static_assert((kMaxDeviceEdits + 1) * kMaxFrequency < kImpossibleSeed);

TRAWL_HOST_DEVICE inline std::uint32_t strand_key(const BaseBlock* strand, std::uint32_t begin, unsigned q) {
  const BaseBlock piece = funnel(strand[begin / 32], strand[begin / 32 + 1], begin % 32);
  return gram_key(piece.high, piece.low, q);
}

/// Item i is the seed of strand i % strands that begins at base i / strands: looks up how often it occurs.
struct LookUpFrequencies {
  ReadsView reads;
  PartView part;
  const StrandPlan* plans;
  std::uint32_t* frequencies;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const std::uint64_t strands = 2 * std::uint64_t{reads.count};
    const std::uint64_t s = i % strands;
    const auto begin = static_cast<std::uint32_t>(i / strands);
    const StrandPlan plan = plans[s];
    if (plan.wanted == 0 || begin + plan.length > reads.reads[s / 2].length) {
      return;
    }
    const BaseBlock* strand = reads.strand(s);
    std::uint32_t frequency = kImpossibleSeed;
    if (next_ambiguous(strand, begin, begin + plan.length) == begin + plan.length) {
      const std::uint32_t count = part.find(strand_key(strand, begin, part.q), plan.length).count;
      frequency = count < kMaxFrequency ? count : kMaxFrequency;
    }
    frequencies[i] = frequency;
  }
};

/// Item s is a strand: chooses the seeds with the smallest total frequency. If they have more than `most_hits` hits and
/// a scan of the reference costs less, it chooses none and marks the strand. `rows`: two rows of reads.longest + 1
/// elements per strand. `improves`: `seeds_a_strand` rows of words per strand, one bit per base.
struct ChooseSeeds {
  ReadsView reads;
  PartView part;
  const StrandPlan* plans;
  const std::uint32_t* frequencies;
  std::uint32_t* rows;
  std::uint32_t* improves;
  std::uint32_t seeds_a_strand;
  std::uint64_t most_hits;
  std::uint8_t* marks;
  DeviceSeed* seeds;          // [strand][seeds_a_strand]
  std::uint64_t* hit_counts;  // likewise

  TRAWL_HOST_DEVICE void operator()(std::uint64_t s) const {
    const StrandPlan plan = plans[s];
    const std::uint32_t m = reads.reads[s / 2].length;
    std::uint32_t kept = plan.wanted;
    if (kept > 0) {
      smallest_sums(s, plan, m);
      const std::uint64_t hits = place_seeds(s, plan, m);
      share_stretches(s, plan, m);
      marks[s] = hits > most_hits;
      kept = hits > most_hits ? 0 : kept;
    }
    for (std::uint32_t k = kept; k < seeds_a_strand; ++k) {
      hit_counts[s * seeds_a_strand + k] = 0;
    }
  }

 private:
  TRAWL_HOST_DEVICE std::uint64_t strands() const { return 2 * std::uint64_t{reads.count}; }
  TRAWL_HOST_DEVICE std::uint32_t frequency(std::uint64_t s, std::uint32_t begin) const {
    return frequencies[begin * strands() + s];
  }
  TRAWL_HOST_DEVICE std::uint32_t& improve_word(std::uint64_t s, std::uint32_t k, std::uint32_t word) const {
    return improves[(std::uint64_t{k} * (reads.longest / 32 + 1) + word) * strands() + s];
  }

  // Row k holds for every `end` the smallest sum of the frequencies of k + 1 disjoint seeds in the first `end` bases.
  // Only the row before is kept. One bit per base says whether the sum is smaller than at the base before; the way back
  // needs only these bits.
  TRAWL_HOST_DEVICE void smallest_sums(std::uint64_t s, const StrandPlan plan, std::uint32_t m) const {
    const std::uint64_t row = std::uint64_t{reads.longest + 1} * strands();
    std::uint32_t* before = rows + s;
    std::uint32_t* now = rows + row + s;
    for (std::uint32_t k = 0; k < plan.wanted; ++k) {
      std::uint32_t smallest = kImpossibleSeed;
      std::uint32_t bits = 0;
      for (std::uint32_t end = plan.length; end <= m; ++end) {
        const std::uint32_t begin = end - plan.length;
        std::uint32_t sum = frequency(s, begin);
        if (k > 0) {
          sum += begin < plan.length ? kImpossibleSeed : before[begin * strands()];
        }
        if (sum < smallest) {
          smallest = sum;
          bits |= 1u << (end % 32);
        }
        now[end * strands()] = smallest;
        if (end % 32 == 31 || end == m) {
          improve_word(s, k, end / 32) = bits;
          bits = 0;
        }
      }
      std::uint32_t* const other = before;
      before = now;
      now = other;
    }
  }

  // Returns the number of their hits.
  TRAWL_HOST_DEVICE std::uint64_t place_seeds(std::uint64_t s, const StrandPlan plan, std::uint32_t m) const {
    std::uint64_t all = 0;
    std::uint32_t end = m;
    for (std::uint32_t k = plan.wanted; k-- > 0;) {
      while (end > plan.length && ((improve_word(s, k, end / 32) >> (end % 32)) & 1) == 0) {
        --end;
      }
      end -= plan.length;
      DeviceSeed seed;
      seed.begin = static_cast<std::uint16_t>(end);
      const auto hits = part.find(strand_key(reads.strand(s), end, part.q), plan.length);
      seed.first = hits.first;
      seed.count = hits.count;
      seeds[s * seeds_a_strand + k] = seed;
      hit_counts[s * seeds_a_strand + k] = hits.count;
      all += hits.count;
    }
    return all;
  }

  // The bases between two seeds go to the stretch of the more frequent seed, up to the next ambiguous base.
  TRAWL_HOST_DEVICE void share_stretches(std::uint64_t s, const StrandPlan plan, std::uint32_t m) const {
    const BaseBlock* strand = reads.strand(s);
    std::uint32_t free_begin = 0;
    for (std::uint32_t k = 0; k < plan.wanted; ++k) {
      DeviceSeed& seed = seeds[s * seeds_a_strand + k];
      std::uint32_t free_end = m;
      if (k + 1 < plan.wanted) {
        const DeviceSeed& next = seeds[s * seeds_a_strand + k + 1];
        free_end = next.count > seed.count ? seed.begin + plan.length : next.begin;
      }
      const std::uint32_t end = next_ambiguous(strand, seed.begin, free_end);
      std::uint32_t begin = free_begin;
      for (std::uint32_t at = next_ambiguous(strand, begin, seed.begin); at < seed.begin;
           at = next_ambiguous(strand, begin, seed.begin)) {
        begin = at + 1;
      }
      seed.stretch_begin = static_cast<std::uint16_t>(begin);
      seed.stretch_end = static_cast<std::uint16_t>(end);
      free_begin = end;
    }
  }
};

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

/// Item h is a hit. If the stretch of an earlier seed also matches on its diagonal, the hit belongs to that seed and is
/// dropped. If that stretch begins before this part of the index, this part does not have the earlier seed's hit. But
/// then the part before has the whole diagonal, because parts overlap by more than the longest alignment.
struct KeepCandidates {
  ReferenceView reference;
  ReadsView reads;
  PartView part;
  const DeviceSeed* seeds;
  std::uint32_t seeds_a_strand;
  const std::uint64_t* ends;  // [seed]: hits of seeds 0 to this one
  std::uint64_t* candidates;
  std::uint32_t* candidate_count;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t h) const {
    const std::uint64_t* all = ends;
    const std::uint64_t i =
        first_where(2 * std::uint64_t{reads.count} * seeds_a_strand, [all, h](std::uint64_t k) { return all[k] > h; });
    const DeviceSeed seed = seeds[i];
    const std::uint64_t hit = h - (i == 0 ? 0 : ends[i - 1]);
    const std::uint64_t s = i / seeds_a_strand;
    const BaseBlock* strand = reads.strand(s);
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
  TRAWL_HOST_DEVICE bool stretch_matches(const BaseBlock* strand, std::int64_t diagonal, const DeviceSeed& seed) const {
    for (std::uint32_t w = seed.stretch_begin / 32; 32 * w < seed.stretch_end; ++w) {
      if ((differences(reference, strand, diagonal, w) & range_bits(seed.stretch_begin, seed.stretch_end, w)) != 0) {
        return false;
      }
    }
    return true;
  }
};

}  // namespace trawl::gpu
