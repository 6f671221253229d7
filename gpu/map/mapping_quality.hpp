// Mapping quality, as align/mapq.hpp has it: costs of the loci in integers, summed in any order.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/mapq.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"

namespace trawl::gpu {

/// Whether the read fits a locus without a gap: with as many mismatches as its distance.
TRAWL_HOST_DEVICE inline bool fits_without_gap(const ReferenceView& reference, const Block* strand,
                                               std::uint32_t length, std::uint64_t end, unsigned distance) {
  const std::int64_t begin = static_cast<std::int64_t>(end) + 1 - length;
  unsigned mismatches = 0;
  for (std::uint32_t w = 0; 32 * w < length; ++w) {
    mismatches += popcount(differences(reference, strand, begin, w) & range_bits(0, length, w));
    if (mismatches > distance) {
      return false;
    }
  }
  // Before its contig lies a gap of more mismatches than any distance, unless the read reaches less far into it.
  return mismatches == distance &&
         begin >= static_cast<std::int64_t>(reference.contigs[reference.contig_at(end)].offset);
}

/// The cost of the mismatches of bases [from, to) of a read, base 0 at `diagonal`.
TRAWL_HOST_DEVICE inline std::uint64_t mismatch_costs(const ReferenceView& reference, const ReadsView& reads,
                                                      const ReadEntry& read, const Block* strand, bool reverse,
                                                      std::int64_t diagonal, std::uint32_t from, std::uint32_t to,
                                                      const align::MapqModel& model) {
  std::uint64_t cost = 0;
  for (std::uint32_t w = from / 32; 32 * w < to; ++w) {
    std::uint32_t bits = differences(reference, strand, diagonal, w) & range_bits(from, to, w);
    for (; bits != 0; bits &= bits - 1) {
      const std::uint32_t at = 32 * w + lowest_bit(bits);
      unsigned quality = align::MapqModel::kDefaultQuality;
      if (read.has_qualities) {
        quality = static_cast<unsigned>(reads.text[read.qualities + (reverse ? read.length - 1 - at : at)] - '!');
      }
      cost += model.mismatch_cost(quality);
    }
  }
  return cost;
}

/// The average cost of a mismatch in a read.
TRAWL_HOST_DEVICE inline std::uint64_t average_cost(const ReadsView& reads, const ReadEntry& read,
                                                    const align::MapqModel& model) {
  if (!read.has_qualities) {
    return model.mismatch_cost(align::MapqModel::kDefaultQuality);
  }
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < read.length; ++i) {
    sum += model.mismatch_cost(static_cast<unsigned>(reads.text[read.qualities + i] - '!'));
  }
  return sum / read.length;
}

/// What a read's mapping quality is made of.
struct QualityState {
  std::int64_t cost = 0;      // of the primary alignment
  std::uint64_t average = 0;  // of a mismatch
  std::uint64_t others = 0;   // sum of the weights of all other loci
};

/// Item l is a locus: adds its weight to its read's sum, where it competes with a single best one.
struct WeighLoci {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* loci;
  LocusFormat format;
  const align::ReadResult* results;
  const std::uint64_t* primaries;
  const align::MapqModel* model;
  QualityState* states;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    const std::uint64_t locus = loci[l];
    const std::uint64_t r = format.read(locus);
    if (results[r].best_count != 1 || locus == primaries[r] ||
        format.distance(locus) > format.distance(primaries[r]) + align::MapqModel::kStrata) {
      return;
    }
    const ReadEntry& read = reads.reads[r];
    const bool reverse = format.reverse(locus);
    const Block* strand = reads.strand(2 * r + reverse);
    const std::uint64_t end = format.end(locus);
    std::uint64_t cost = format.distance(locus) * states[r].average;
    if (fits_without_gap(reference, strand, read.length, end, format.distance(locus))) {
      cost = mismatch_costs(reference, reads, read, strand, reverse, static_cast<std::int64_t>(end) + 1 - read.length,
                            0, read.length, *model);
    }
    const std::uint64_t weight = model->weight(static_cast<std::int64_t>(cost) - states[r].cost);
    if (weight > 0) {
      add_to(&states[r].others, weight);
    }
  }
};

/// Item r is a read: the quality of its primary record.
struct PutQualities {
  const align::ReadResult* results;
  const QualityState* states;
  const align::MapqModel* model;
  align::Alignment* alignments;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    if (results[r].count > 0 && results[r].best_count == 1) {
      alignments[results[r].first].mapq = static_cast<std::uint8_t>(model->mapq(states[r].others));
    }
  }
};

}  // namespace trawl::gpu
