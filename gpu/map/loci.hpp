// From sorted end runs to loci: end runs of a strand that overlap or touch form one locus.
#pragma once

#include <cstdint>
#include <type_traits>

#include "align/locus.hpp"
#include "align/mapq.hpp"
#include "align/select.hpp"
#include "gpu/map/block.hpp"
#include "gpu/map/end_runs.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"

namespace trawl::gpu {

/// A locus in one word. Ascending order is by read, distance, end, strand, which is the order of secondary records.
struct LocusFormat {
  unsigned position_bits = 0;

  static constexpr unsigned kDistanceBits = 5;

  TRAWL_HOST_DEVICE std::uint64_t pack(std::uint64_t read, unsigned distance, std::uint64_t end, bool reverse) const {
    return ((read << kDistanceBits | distance) << position_bits | end) << 1 | static_cast<std::uint64_t>(reverse);
  }
  TRAWL_HOST_DEVICE std::uint64_t read(std::uint64_t locus) const {
    return locus >> (position_bits + 1 + kDistanceBits);
  }
  TRAWL_HOST_DEVICE unsigned distance(std::uint64_t locus) const {
    return static_cast<unsigned>(locus >> (position_bits + 1)) & ((1u << kDistanceBits) - 1);
  }
  TRAWL_HOST_DEVICE std::uint64_t end(std::uint64_t locus) const {
    return (locus >> 1) & ((std::uint64_t{1} << position_bits) - 1);
  }
  TRAWL_HOST_DEVICE bool reverse(std::uint64_t locus) const { return (locus & 1) != 0; }
};
static_assert(kMaxDeviceEdits < (1u << LocusFormat::kDistanceBits));

/// How far the ends of a locus with its distance go on (align::Locus::spread), and whether it is a placement: then the
/// path of its record ends at one of them.
struct Spread {
  static constexpr std::uint32_t kPlacement = std::uint32_t{1} << 31;

  TRAWL_HOST_DEVICE static std::uint32_t of_placement(std::uint32_t spread) { return spread | kPlacement; }
  TRAWL_HOST_DEVICE static std::uint32_t ends(std::uint32_t spread) { return spread & ~kPlacement; }
  TRAWL_HOST_DEVICE static bool is_placement(std::uint32_t spread) { return (spread & kPlacement) != 0; }
};

/// The loci of a batch: of each read those of the forward strand first, ascending.
struct LociView {
  const std::uint64_t* loci = nullptr;
  const std::uint32_t* spreads = nullptr;  // see Spread
  const std::uint32_t* first = nullptr;    // [read]: index of its first locus; one more for the end
  std::uint64_t count = 0;
};

/// What the steps from loci to records look at.
struct BatchView {
  ReferenceView reference;
  ReadsView reads;
  LocusFormat format;
  LociView loci;
  align::ReportRule rule;
  const align::MapqModel* model = nullptr;

  TRAWL_HOST_DEVICE const ReadEntry& read_of(std::uint64_t locus) const { return reads.reads[format.read(locus)]; }
  TRAWL_HOST_DEVICE std::uint64_t strand_of(std::uint64_t locus) const {
    return 2 * format.read(locus) + format.reverse(locus);
  }
  /// Compares the read of a locus, on its strand.
  TRAWL_HOST_DEVICE DeviceComparison comparison(std::uint64_t locus) const {
    return {reference, reads.strand(strand_of(locus)), reads.sets_of(strand_of(locus))};
  }
  /// The same if ambiguous letters match nothing.
  TRAWL_HOST_DEVICE DeviceComparison plain_comparison(std::uint64_t locus) const {
    return {reference, reads.strand(strand_of(locus))};
  }
  TRAWL_HOST_DEVICE align::StrandQualities qualities(std::uint64_t locus) const {
    const ReadEntry& read = read_of(locus);
    return {read.has_qualities ? reads.text + read.qualities : nullptr, read.length, format.reverse(locus)};
  }
  /// What the edits of locus l cost beside the alignment that `sum` was started for.
  TRAWL_HOST_DEVICE std::int64_t cost_beside(const align::QualitySum& sum, std::uint64_t l) const {
    const std::uint64_t locus = loci.loci[l];
    const std::uint64_t end = format.end(locus);
    const unsigned distance = format.distance(locus);
    const ReferenceView& whole = reference;
    return reads.sets != nullptr
               ? sum.likely_cost(distance)
               : align::locus_cost(*model, sum, plain_comparison(locus), qualities(locus),
                                   static_cast<std::int64_t>(end), Spread::ends(loci.spreads[l]), distance,
                                   [&whole, end] { return whole.contigs[whole.contig_at(end)].offset; });
  }
  TRAWL_HOST_DEVICE std::uint64_t name_hash(std::uint64_t r) const {
    return align::name_hash(reads.text + reads.reads[r].name, reads.reads[r].name_length);
  }
};

/// Item i is an element: if it is kept, copies it or, if `from` is null, its number. `places[i]`: number of elements
/// kept before it.
template <class T>
struct KeepSome {
  const std::uint32_t* places;
  const T* from;
  T* to;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    if (places[i + 1] != places[i]) {
      if constexpr (std::is_integral_v<T>) {
        to[places[i]] = from == nullptr ? static_cast<T>(i) : from[i];
      } else {
        to[places[i]] = from[i];
      }
    }
  }
};

/// Item i is an end run: `reach[i]` becomes the key of the position after its last end.
struct FindReach {
  const std::uint64_t* keys;
  const std::uint32_t* values;
  std::uint64_t* reach;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const { reach[i] = keys[i] + EndRun::length(values[i]); }
};

/// End runs in the order of their keys, with the loci that they form.
struct SortedEndRuns : EndRuns {
  const std::uint64_t* reach = nullptr;   // [i]: the largest reach of the end runs 0 to i
  const std::uint32_t* places = nullptr;  // [i]: number of loci that begin before end run i; [count]: that of all loci
  bool each_end = false;                  // every end is a locus of its own, as it is without gaps; runs have one end

  /// Whether a locus begins with end run i.
  TRAWL_HOST_DEVICE bool is_head(std::uint64_t i) const {
    return i == 0 || keys[i] + (each_end ? 1 : 0) > reach[i - 1];
  }
};

/// What end runs that touch become: keys of the end and of the last end with the same distance.
struct JoinedRuns {
  std::uint64_t end = 0;
  std::uint64_t last = 0;
  std::uint64_t run_begin = 0;  // of the first and the last end of the run
  std::uint64_t run_end = 0;
  unsigned distance = 0xff;
  bool is_repeat = false;  // of another locus, on a circular contig
};

/// Makes loci, or says which of them are no repetitions, by the rule of align::LocusBuilder.
struct LocusJoiner {
  SortedEndRuns sorted;
  ReferenceView reference;
  unsigned position_bits;

  /// `i`: an end run with which a locus begins.
  TRAWL_HOST_DEVICE JoinedRuns operator()(std::uint64_t i) const {
    const std::uint64_t* const keys = sorted.keys;
    const std::uint32_t* const values = sorted.values;
    JoinedRuns joined;
    std::uint64_t p = i;
    do {
      const std::uint64_t best_end = keys[p] + EndRun::best(values[p]);
      const std::uint64_t last_end = keys[p] + EndRun::last(values[p]);
      const unsigned here = EndRun::distance(values[p]);
      if (here < joined.distance || (here == joined.distance && best_end < joined.end)) {
        joined.end = best_end;
      }
      if (here < joined.distance || (here == joined.distance && last_end > joined.last)) {
        joined.last = last_end;
      }
      joined.distance = here < joined.distance ? here : joined.distance;
      ++p;
    } while (p < sorted.count && !sorted.is_head(p));
    joined.run_begin = keys[i];
    joined.run_end = sorted.reach[p - 1] - 1;
    if (reference.has_circles) {
      turn(keys[i], sorted.reach[p - 1] - 1, joined);
    }
    return joined;
  }

 private:
  TRAWL_HOST_DEVICE void turn(std::uint64_t first_key, std::uint64_t last_key, JoinedRuns& joined) const {
    const std::uint64_t mask = (std::uint64_t{1} << position_bits) - 1;
    const ContigSpan& contig = reference.contigs[reference.contig_at(joined.end & mask)];
    const std::uint64_t begin = contig.offset + contig.repeated;
    const std::uint64_t end = contig.offset + contig.length - contig.repeated;
    const std::uint64_t position = joined.end & mask;
    if (contig.repeated == 0) {
      return;
    }
    if (!sorted.each_end && (first_key & mask) <= begin && (last_key & mask) >= end - 1) {
      joined.end = (joined.end & ~mask) | align::turned_into_circle(begin, end, position);
      joined.last = joined.end + (joined.last & mask) - position;
      joined.last = joined.last < last_key ? joined.last : last_key;
      return;
    }
    joined.is_repeat = position < begin || position >= end;
  }
};

/// Item i is an end run: says whether a locus begins with it. Repetitions of other loci count only `with_repeats`.
struct MarkHeads {
  LocusJoiner join;
  bool with_repeats;
  std::uint32_t* heads;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    heads[i] = join.sorted.is_head(i) && (with_repeats || !join(i).is_repeat);
  }
};

/// Item i is an end run; the first one of a locus writes the locus.
struct BuildLoci {
  LocusJoiner join;
  LocusFormat format;
  std::uint64_t* loci;
  std::uint32_t* spreads;  // from a locus' end to the last end with its distance
  std::uint32_t* befores;  // from the first end of its run to it
  std::uint32_t* afters;   // from it to the last end of its run

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    const SortedEndRuns& sorted = join.sorted;
    if (!sorted.is_head(i)) {
      return;
    }
    const JoinedRuns joined = join(i);
    if (joined.is_repeat) {
      return;
    }
    const std::uint64_t strand = sorted.keys[i] >> format.position_bits;
    const std::uint64_t position = joined.end & ((std::uint64_t{1} << format.position_bits) - 1);
    loci[sorted.places[i]] = format.pack(strand / 2, joined.distance, position, strand % 2 == 1);
    spreads[sorted.places[i]] = static_cast<std::uint32_t>(joined.last - joined.end);
    befores[sorted.places[i]] = static_cast<std::uint32_t>(joined.end - joined.run_begin);
    afters[sorted.places[i]] = static_cast<std::uint32_t>(joined.run_end - joined.end);
  }
};

/// Item i is an end run; the first and the last one of a locus write the first and the last end of its run, as keys
/// (see EndRun).
struct BuildRanges {
  SortedEndRuns sorted;
  align::EndRange* ranges;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t i) const {
    if (sorted.is_head(i)) {
      ranges[sorted.places[i]].first = sorted.keys[i];
    }
    if (i + 1 == sorted.count || sorted.is_head(i + 1)) {
      ranges[sorted.places[i + 1] - 1].last = sorted.reach[i] - 1;
    }
  }
};

/// Item s is a strand, or one after the last strand: counts the loci of the strands before it.
struct CountLociBefore {
  SortedEndRuns sorted;
  unsigned position_bits;
  std::uint32_t* before;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t s) const {
    const std::uint64_t* const keys = sorted.keys;
    const unsigned bits = position_bits;
    before[s] =
        sorted.places[first_where(sorted.count, [keys, bits, s](std::uint64_t i) { return keys[i] >> bits >= s; })];
  }
};

/// Item r is a read, or one after the last read: finds where its loci begin.
struct FindLociOfReads {
  LociView loci;
  LocusFormat format;
  std::uint32_t* first;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    const std::uint64_t* all = loci.loci;
    const LocusFormat f = format;
    first[r] = static_cast<std::uint32_t>(
        first_where(loci.count, [all, f, r](std::uint64_t l) { return f.read(all[l]) >= r; }));
  }
};

}  // namespace trawl::gpu
