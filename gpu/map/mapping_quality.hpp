// Mapping quality on the device: the sums of align/mapq.hpp. The order of the terms does not matter.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/mapq.hpp"
#include "align/pair_mapq.hpp"
#include "gpu/map/align.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"
#include "gpu/map/select.hpp"

namespace trawl::gpu {

TRAWL_HOST_DEVICE inline align::StrandQualities strand_qualities(const ReadsView& reads, const ReadEntry& read,
                                                                 bool reverse) {
  return {read.has_qualities ? reads.text + read.qualities : nullptr, read.length, reverse};
}

/// The start values for the mapping quality of a read whose chosen alignment costs `cost`.
TRAWL_HOST_DEVICE inline align::QualitySum start_quality(const ReadsView& reads, std::uint64_t r,
                                                         const align::MapqModel& model, std::uint64_t cost,
                                                         std::uint32_t edits) {
  const ReadEntry& read = reads.reads[r];
  const char* const qualities = strand_qualities(reads, read, false).qualities;
  align::QualitySum sum;
  sum.start(model, cost, edits, align::average_cost(model, qualities, read.length), read.max_edits);
  return sum;
}

/// Item r is a read: computes the start values of its mapping quality.
struct StartQualities {
  ReferenceView reference;
  ReadsView reads;
  ChosenReads chosen;
  LocusFormat format;
  PathsView paths;
  const align::MapqModel* model;
  align::QualitySum* sums;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    if (chosen.weighed[r] != WeighedLocus::of_read) {
      return;
    }
    const ReadEntry& read = reads.reads[r];
    const bool reverse = format.reverse(chosen.primaries[r]);
    const DeviceComparison comparison{reference, reads.strand(2 * r + reverse), reads.sets_of(2 * r + reverse)};
    const align::StrandQualities qualities = strand_qualities(reads, read, reverse);
    const std::uint64_t record = chosen.results[r].first;
    align::PathCost<DeviceComparison> cost{*model, comparison, qualities, paths.paths[record].start};
    paths.for_each_run(record, read.length, [&](match::Step step, std::uint32_t run) { cost.add(step, run); });
    sums[r] = start_quality(reads, r, *model, cost.cost, format.distance(chosen.primaries[r]));
  }
};

/// Item l is a locus: adds its weight to the sum of its read, if it competes with the locus weighed there.
struct WeighLoci {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* loci;
  const std::uint32_t* spreads;
  LocusFormat format;
  ChosenReads chosen;
  const align::MapqModel* model;
  align::QualitySum* sums;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    const std::uint64_t locus = loci[l];
    const std::uint64_t r = format.read(locus);
    if (chosen.weighed[r] == WeighedLocus::none || locus == chosen.primaries[r] ||
        !align::QualitySum::counts(
            format.distance(locus), chosen.best[r],
            chosen.weighed[r] == WeighedLocus::of_pair ? align::kPairStrata : align::MapqModel::kStrata)) {
      return;
    }
    const bool reverse = format.reverse(locus);
    const std::uint64_t end = format.end(locus);
    const ReferenceView& view = reference;
    const std::int64_t cost =
        reads.sets != nullptr
            ? sums[r].likely_cost(format.distance(locus))
            : align::locus_cost(*model, sums[r], DeviceComparison{reference, reads.strand(2 * r + reverse)},
                                strand_qualities(reads, reads.reads[r], reverse), static_cast<std::int64_t>(end),
                                Spread::ends(spreads[l]), format.distance(locus),
                                [&view, end] { return view.contigs[view.contig_at(end)].offset; });
    const std::uint64_t weight = sums[r].weight(*model, cost);
    if (weight > 0) {
      add_to(&sums[r].others, weight);
    }
  }
};

/// Item r is a read: computes the mapping quality of its primary record.
struct PutQualities {
  ChosenReads chosen;
  const align::QualitySum* sums;
  const align::MapqModel* model;
  align::Alignment* alignments;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    if (chosen.weighed[r] == WeighedLocus::of_read) {
      alignments[chosen.results[r].first].mapq = static_cast<std::uint8_t>(sums[r].quality(*model));
    }
  }
};

}  // namespace trawl::gpu
