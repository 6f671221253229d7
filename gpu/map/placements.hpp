// The placements of loci, by the rule of align/placements.hpp. Loci with several placements are replaced by these.
//
//   MarkPlaced, sums                   which loci may have several, and where the marks of their ends are
//   CountPlacements, a sum             how many placements each locus has
//   PutPlacements                      the placements, in the place of the loci
#pragma once

#include <cstdint>

#include "align/placements.hpp"
#include "align/record_writer.hpp"
#include "gpu/map/block.hpp"
#include "gpu/map/chosen_reads.hpp"
#include "gpu/map/end_runs.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"

namespace trawl::gpu {

/// With the extents of the loci's runs; both are arrays with one element a locus.
struct RunsView : BatchView {
  const std::uint32_t* befores = nullptr;
  const std::uint32_t* afters = nullptr;

  TRAWL_HOST_DEVICE align::Locus locus(std::uint64_t l) const {
    const std::uint64_t packed = loci.loci[l];
    align::Locus locus;
    locus.end = format.end(packed);
    locus.distance = static_cast<std::uint16_t>(format.distance(packed));
    locus.reverse = format.reverse(packed);
    locus.spread = loci.spreads[l];
    locus.before = befores[l];
    locus.after = afters[l];
    if (reference.has_circles) {
      const ContigSpan& contig = reference.contigs[reference.contig_at(locus.end)];
      if (contig.repeated > 0) {
        align::limit_to_circle(contig.offset + contig.repeated, contig.length - 2 * contig.repeated, locus);
      }
    }
    return locus;
  }
};

/// Item r is a read: finds its smallest distance, if it has loci.
struct FindBestDistances {
  BatchView view;
  std::uint32_t* best;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const { best[r] = searched_read(view, r).best; }
};

/// Item l is a locus: says whether it may have several placements, and how many ends its run then has. It starts with
/// one placement.
struct MarkPlaced {
  RunsView runs;
  const std::uint32_t* best;  // of each read: only loci that matter for its mapping quality; null: all loci
  std::uint32_t* wanted;
  std::uint32_t* ends;
  std::uint32_t* counts;
  std::uint64_t* all_ends;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    const std::uint64_t r = runs.format.read(runs.loci.loci[l]);
    const align::Locus locus = runs.locus(l);
    const ReferenceView& view = runs.reference;
    const auto is_ambiguous = [&view](std::uint64_t position) {
      return (view.at(static_cast<std::int64_t>(position)).ambiguous & 1u) != 0;
    };
    const bool is_wanted = (best == nullptr || locus.distance <= best[r] + align::kWorse) &&
                           align::may_have_placements(locus, runs.reads.reads[r].max_edits, runs.reads.reads[r].length,
                                                      runs.reads.sets != nullptr, is_ambiguous);
    wanted[l] = is_wanted;
    counts[l] = 1;
    ends[l] = is_wanted ? locus.before + locus.after + 1 : 0;
    if (is_wanted) {
      add_to(all_ends, std::uint64_t{ends[l]});
    }
  }
};

/// Item k is a locus that may have several placements: marks the ends of its run, and its read if there are several.
/// Counts the placements.
template <class Word>
struct CountPlacements {
  RunsView runs;
  const std::uint32_t* placed;
  const std::uint32_t* first_mark;  // [locus]
  std::uint8_t* marks;
  std::uint32_t* counts;  // [locus]
  std::uint32_t* marked;  // [read]

  TRAWL_HOST_DEVICE void operator()(std::uint64_t k) const {
    const std::uint32_t l = placed[k];
    const std::uint64_t packed = runs.loci.loci[l];
    const align::Locus locus = runs.locus(l);
    const ReadEntry& read = runs.read_of(packed);
    const ContigSpan contig = runs.reference.contigs[runs.reference.contig_at(locus.end)];
    align::PlacementProblem problem;
    problem.length = read.length;
    problem.distance = locus.distance;
    const std::uint32_t spare = read.max_edits - locus.distance;
    problem.worse = spare < align::kWorse ? spare : align::kWorse;
    problem.first_end = static_cast<std::int64_t>(locus.end - locus.before);
    problem.last_end = static_cast<std::int64_t>(locus.end + locus.after);
    problem.contig_begin = static_cast<std::int64_t>(contig.offset);
    const DeviceComparison comparison = runs.comparison(packed);
    const SetBand<Word> band{runs.reference, comparison.strand, comparison.sets, problem.length};
    const auto fits = [&](std::int64_t end, std::uint32_t mismatches) {
      return align::fits_without_gap(comparison, problem.length, end, mismatches, [&contig] { return contig.offset; });
    };
    align::PlacementFinder<Word, SetBand<Word>, decltype(fits), std::uint8_t*> finder(problem, band, fits,
                                                                                      marks + first_mark[l]);
    counts[l] = finder.find();
    if (counts[l] > 1) {
      marked[runs.format.read(packed)] = 1;
    }
  }
};

/// Item l is a locus: it, or its placements, become loci from number first[l] on.
struct PutPlacements {
  RunsView runs;
  const std::uint32_t* first_mark;
  const std::uint8_t* marks;
  const std::uint32_t* first;
  std::uint64_t* loci;
  std::uint32_t* spreads;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    std::uint32_t at = first[l];
    if (first[l + 1] - at == 1) {
      loci[at] = runs.loci.loci[l];
      spreads[at] = runs.loci.spreads[l];
      return;
    }
    const LocusFormat& format = runs.format;
    const std::uint64_t r = format.read(runs.loci.loci[l]);
    const align::Locus locus = runs.locus(l);
    const auto first_end = static_cast<std::int64_t>(locus.end - locus.before);
    align::for_each_placement(marks + first_mark[l], first_end, static_cast<std::int64_t>(locus.end + locus.after),
                              [&](std::int64_t end, std::uint32_t worse, std::uint32_t spread) {
                                loci[at] = format.pack(r, locus.distance + worse, static_cast<std::uint64_t>(end),
                                                       locus.reverse);
                                spreads[at] = Spread::of_placement(spread);
                                ++at;
                              });
  }
};

}  // namespace trawl::gpu
