// The mates of a batch of pairs on the device, as align/pairing.hpp needs them. Reads 2 p and 2 p + 1 are the mates of
// pair p.
#pragma once

#include <cstdint>

#include "align/pair_mapq.hpp"
#include "align/pairing.hpp"
#include "gpu/map/loci.hpp"
#include "gpu/map/reads.hpp"
#include "gpu/map/reference_view.hpp"

namespace trawl::gpu {

/// The alignment of a locus that may be in a pair.
struct AlignedLocus {
  std::uint64_t begin = 0;
  std::uint32_t span = 0;
  std::uint32_t cost = 0;  // Phred
};

/// All loci of a batch of pairs, and which of them are aligned: locus l if places[l + 1] > places[l]; then its
/// alignment is aligned[places[l]].
struct PairsView {
  ReferenceView reference;
  ReadsView reads;
  const std::uint64_t* loci = nullptr;  // of each read, those of the forward strand first, ascending
  const std::uint32_t* spreads = nullptr;
  const std::uint32_t* first_locus = nullptr;
  const std::uint32_t* places = nullptr;
  const AlignedLocus* aligned = nullptr;
  LocusFormat format;
  align::PairRule pairs;
  align::InsertModel inserts;
  align::ReportRule rule;
};

/// A mate as align::Pairing needs it.
struct DeviceMate {
  TRAWL_HOST_DEVICE DeviceMate(const PairsView& view, std::uint64_t r)
      : view_(view),
        first_(view.first_locus[r]),
        count_(view.first_locus[r + 1] - first_),
        length_(view.reads.reads[r].length),
        max_edits_(view.reads.reads[r].max_edits) {
    const std::uint64_t* const own = view.loci + first_;
    const LocusFormat format = view.format;
    forward_ = static_cast<std::uint32_t>(
        first_where(count_, [own, format](std::uint64_t i) { return format.reverse(own[i]); }));
  }

  TRAWL_HOST_DEVICE std::uint32_t count() const { return count_; }
  TRAWL_HOST_DEVICE std::uint32_t first_reverse() const { return forward_; }
  TRAWL_HOST_DEVICE std::uint64_t end(std::uint32_t i) const { return view_.format.end(view_.loci[first_ + i]); }
  TRAWL_HOST_DEVICE std::uint32_t distance(std::uint32_t i) const {
    return view_.format.distance(view_.loci[first_ + i]);
  }
  TRAWL_HOST_DEVICE std::uint32_t spread(std::uint32_t i) const { return Spread::ends(view_.spreads[first_ + i]); }
  TRAWL_HOST_DEVICE std::uint64_t reach(std::uint32_t i) const { return end(i) + spread(i); }
  TRAWL_HOST_DEVICE std::uint32_t length(std::uint32_t) const { return length_; }
  TRAWL_HOST_DEVICE std::uint32_t edits(std::uint32_t i) const { return distance(i); }
  TRAWL_HOST_DEVICE std::uint32_t shortest() const { return length_ - max_edits_; }
  TRAWL_HOST_DEVICE std::uint32_t longest() const { return length_ + max_edits_; }
  TRAWL_HOST_DEVICE bool is_aligned(std::uint32_t i) const {
    return view_.places[first_ + i + 1] != view_.places[first_ + i];
  }
  TRAWL_HOST_DEVICE align::Extent extent(std::uint32_t i) const {
    const AlignedLocus& aligned = view_.aligned[place(i)];
    return {aligned.begin, aligned.begin + aligned.span, i >= forward_};
  }
  TRAWL_HOST_DEVICE std::uint64_t cost(std::uint32_t i) const { return view_.aligned[place(i)].cost; }
  TRAWL_HOST_DEVICE std::uint32_t place(std::uint32_t i) const { return view_.places[first_ + i]; }
  /// Index among the loci of the batch.
  TRAWL_HOST_DEVICE std::uint32_t index(std::uint32_t i) const { return first_ + i; }

 private:
  const PairsView& view_;
  std::uint32_t first_;
  std::uint32_t count_;
  std::uint32_t forward_ = 0;
  std::uint32_t length_;
  std::uint32_t max_edits_;
};

/// The two mates of pair p.
struct DevicePair {
  struct ContigAt {
    const ReferenceView& reference;
    TRAWL_HOST_DEVICE align::ContigRange operator()(std::uint64_t position) const {
      const ContigSpan& contig = reference.contigs[reference.contig_at(position)];
      return {contig.offset, contig.offset + contig.length, contig.repeated};
    }
    TRAWL_HOST_DEVICE bool has_circles() const { return reference.has_circles; }
  };

  TRAWL_HOST_DEVICE DevicePair(const PairsView& view, std::uint64_t p)
      : first(view, 2 * p),
        second(view, 2 * p + 1),
        contig_at{view.reference},
        pairing(view.pairs.orientation, view.inserts, first, second, contig_at) {}

  DeviceMate first;
  DeviceMate second;
  ContigAt contig_at;
  align::Pairing<DeviceMate, ContigAt> pairing;
};

/// What is found for each pair, by threads for each locus of its first mate.
struct PairSearch {
  std::uint32_t* smallest_sums = nullptr;  // of the pairs that are certain; align::kAnySum: none is
  align::PairKey* keys = nullptr;          // of the best pairs
  align::PairSums* sums = nullptr;
};

/// Calls visit(pair number, pair, a) if locus l is locus a of a first mate.
template <class Visit>
TRAWL_HOST_DEVICE void with_pair_of(const PairsView& view, std::uint64_t l, const Visit& visit) {
  const std::uint64_t r = view.format.read(view.loci[l]);
  if (r % 2 == 0) {
    visit(r / 2, DevicePair(view, r / 2), static_cast<std::uint32_t>(l - view.first_locus[r]));
  }
}

}  // namespace trawl::gpu
