// What was found for a read so far, for map/search_depth.hpp; and which of its loci become records, by the rules of
// align/select.hpp.
#pragma once

#include <cstdint>

#include "align/alignment.hpp"
#include "align/select.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/reads.hpp"
#include "map/search_depth.hpp"
#include "match/banded_myers.hpp"

namespace trawl::gpu {

/// What was found for read r. `unproven`: of each read, whether MarkUnproven marked it; null: not asked for.
TRAWL_HOST_DEVICE inline map::SearchedRead searched_read(const BatchView& view, std::uint64_t r,
                                                         const std::uint32_t* unproven = nullptr) {
  const ReadEntry& read = view.reads.reads[r];
  map::SearchedRead found{read.max_edits, read.allowed_edits};
  found.proven = unproven == nullptr || unproven[r] == 0;
  for (std::uint32_t l = view.loci.first[r]; l < view.loci.first[r + 1]; ++l) {
    const std::uint32_t here = view.format.distance(view.loci.loci[l]);
    found.count = here < found.best ? 1 : found.count + (here == found.best);
    found.best = here < found.best ? here : found.best;
  }
  return found;
}

/// Item l is a locus: marks its read, unless it is sure that the next one of its strand is another locus in a search
/// for all allowed edits, too. On the CPU map::Separation proves it in the same way.
template <class Word>
struct MarkUnproven {
  BatchView view;
  std::uint32_t* marked;  // [read]

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    const std::uint64_t locus = view.loci.loci[l];
    const std::uint64_t r = view.format.read(locus);
    if (view.read_of(locus).max_edits == view.read_of(locus).allowed_edits) {
      return;
    }
    const ContigSpan& contig = view.reference.contigs[view.reference.contig_at(view.format.end(locus))];
    const std::uint64_t next = l + 1 < view.loci.first[r + 1] ? view.loci.loci[l + 1] : locus;
    const bool has_next = next != locus && view.format.reverse(next) == view.format.reverse(locus) &&
                          view.format.end(next) < contig.offset + contig.length;
    if (contig.repeated > 0 || (has_next && !are_separate(locus, next))) {
      marked[r] = 1;
    }
  }

 private:
  // Whether one of the first ends that may lie between them has more edits than allowed.
  TRAWL_HOST_DEVICE bool are_separate(std::uint64_t left, std::uint64_t right) const {
    const ReadEntry& read = view.read_of(left);
    const unsigned e = read.allowed_edits;
    // The distance grows by at most one from end to end: those before `first` belong to the left locus, and those from
    // `behind` on to the right one.
    const std::uint64_t first = view.format.end(left) + (e - view.format.distance(left)) + 1;
    const std::uint64_t behind = view.format.end(right) - (e - view.format.distance(right));
    if (first >= behind) {
      return false;
    }
    match::BandState<Word> state;
    std::uint32_t distance = read.length;
    const std::uint64_t strand = view.strand_of(left);
    const SetBand<Word> band{view.reference, view.reads.strand(strand), view.reads.sets_of(strand), read.length};
    band(static_cast<std::int64_t>(first) + 1 - e - read.length, state,
         [&distance](std::uint32_t, const match::BandRow<Word>& cells, Word) {
           distance -= static_cast<std::uint32_t>(cells.d0 & 1);
         });
    for (unsigned bit = 0; bit + e < 8 * sizeof(Word) && first + bit < behind + e; ++bit) {
      if (bit >= e && distance > e) {
        return true;
      }
      distance += static_cast<std::uint32_t>((state.vp >> bit) & 1);
      distance -= static_cast<std::uint32_t>((state.vn >> bit) & 1);
    }
    return false;
  }
};

/// Which locus of a read its mapping quality is about.
enum class WeighedLocus : std::uint8_t { none, of_read, of_pair };

/// What is chosen for each read of a batch; all are arrays with one element a read.
struct ChosenReads {
  align::ReadResult* results = nullptr;
  std::uint64_t* primaries = nullptr;      // the primary locus, if it has one
  std::uint32_t* best = nullptr;           // the smallest distance, if it has a locus
  std::uint32_t* record_counts = nullptr;  // and one more element
  WeighedLocus* weighed = nullptr;
};

/// Item r is a read: finds its counts and its primary locus. `loci`: as BuildLoci wrote them, forward strand first,
/// ascending.
struct SelectPrimaries {
  BatchView view;
  bool paired;         // the reads are mates
  ChosenReads chosen;  // `first` of the results is not set yet

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    const std::uint32_t begin = view.loci.first[r];
    const std::uint32_t end = view.loci.first[r + 1];
    const ReadEntry& read = view.reads.reads[r];
    const std::uint64_t* const loci = view.loci.loci;
    align::ReadResult result;
    bool has_one = false;
    result.unmapped = read.too_short ? align::Unmapped::too_short : align::Unmapped::no_locus;
    if (begin < end) {
      const auto distance = [this, loci, begin](std::uint32_t l) { return view.format.distance(loci[begin + l]); };
      align::Strata strata = align::find_strata(end - begin, distance, view.rule, view.name_hash(r));
      if (view.model->weighs_damage()) {
        const align::QualitySum sum = align::unweighed(*view.model, view.qualities(loci[begin]).qualities, read.length);
        align::prefer_cheapest(
            end - begin, distance, [this, &sum, begin](std::uint32_t l) { return view.cost_beside(sum, begin + l); },
            view.name_hash(r), strata);
      }
      has_one = strata.ties == 1;
      result.best_count = strata.best_count;
      const bool are_enough = !paired && align::are_enough(view.rule, strata.best_count);
      result.next_count = are_enough ? 0 : strata.next_count;
      result.next_known = !are_enough && align::is_next_known(strata.best, read.allowed_edits);
      result.dropped = strata.dropped(view.rule);
      result.count = static_cast<std::uint32_t>(strata.reported - result.dropped);
      chosen.primaries[r] = loci[begin + strata.primary];
      chosen.best[r] = strata.best;
    }
    chosen.results[r] = result;
    chosen.record_counts[r] = result.count;
    // A read with several equally good loci has a mapping quality of 0.
    chosen.weighed[r] = result.count > 0 && has_one ? WeighedLocus::of_read : WeighedLocus::none;
  }
};

/// Item r is a read: its records begin after those of the reads before it. Writes its primary record.
struct PutPrimaries {
  const std::uint32_t* first_record;
  align::ReadResult* results;
  const std::uint64_t* primaries;
  std::uint64_t* records;  // one locus per record

  TRAWL_HOST_DEVICE void operator()(std::uint64_t r) const {
    results[r].first = first_record[r];
    if (results[r].count > 0) {
      records[first_record[r]] = primaries[r];
    }
  }
};

/// Item l is a locus, in sorted order: writes its secondary record, if it has one.
struct PutSecondaries {
  BatchView view;
  const std::uint64_t* loci;  // those of the view, but each read's in sorted order
  const align::ReadResult* results;
  const std::uint64_t* primaries;
  std::uint64_t* records;

  TRAWL_HOST_DEVICE void operator()(std::uint64_t l) const {
    const std::uint64_t r = view.format.read(loci[l]);
    if (loci[l] == primaries[r]) {
      return;
    }
    const std::uint64_t rank = l - view.loci.first[r];
    const std::uint64_t other = loci[l] < primaries[r] ? rank : rank - 1;
    const std::uint64_t slot = 1 + (results[r].dropped == 0 ? other : place(r, other));
    if (slot > 0 && slot < results[r].count) {
      records[results[r].first + slot] = loci[l];
    }
  }

 private:
  // The place of a locus among those that max_hits keeps. KeptRecords::kNone + 1 is 0.
  TRAWL_HOST_DEVICE std::uint64_t place(std::uint64_t r, std::uint64_t other) const {
    const std::uint64_t* const own = loci + view.loci.first[r];
    const std::uint64_t others = std::uint64_t{results[r].count} + results[r].dropped - 1;
    const auto distance = [&](std::uint64_t i) { return view.format.distance(own[own[i] < primaries[r] ? i : i + 1]); };
    return align::KeptRecords(others, results[r].count - 1, distance, view.name_hash(r)).place(other);
  }
};

}  // namespace trawl::gpu
