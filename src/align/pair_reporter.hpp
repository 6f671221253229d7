// From the loci of two mates to the reported pairs and alignments, on the host. The rules are in align/pairing.hpp.
//
//   with: const sequence::Reference& reference, ReadReporter& reads, const InsertModel& inserts, AlignmentBatch& batch
//   with: const ReadLoci& first, const ReadLoci& second, std::size_t i, std::uint64_t hash
//   PairReporter reporter(reference, reads, PairRule{}, inserts);
//   reporter.begin(first, second);
//   if (reporter.smallest_sum() != kAnySum) { ... }                      // shows whether enough loci are known
//   reporter.report(hash, batch.pairs[i], &batch.reads[2 * i], batch);
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "align/alignment.hpp"
#include "align/pair_rule.hpp"
#include "align/pairing.hpp"
#include "align/read_reporter.hpp"
#include "sequence/reference.hpp"

namespace trawl::align {

class PairReporter {
 public:
  /// `reads` and `inserts` must outlive this object.
  PairReporter(const sequence::Reference& reference, ReadReporter& reads, const PairRule& rule,
               const InsertModel& inserts)
      : reads_(reads), rule_(rule), inserts_(inserts) {
    for (MateLoci& mate : mates_) {
      mate.reads = &reads;
      mate.reference = &reference;
    }
  }

  /// Takes the next pair. A mate without loci has an empty list. The loci must stay until the pair is reported.
  void begin(const ReadLoci& first, const ReadLoci& second);

  /// The smallest sum of distances of the pairs that are certain; kAnySum if there is none.
  std::uint32_t smallest_sum() const { return smallest_sum_; }

  /// Appends what is reported for the pair to `out`, and fills in `pair` and the results of its two mates.
  void report(std::uint64_t hash, PairResult& pair, ReadResult* mates, AlignmentBatch& out);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint64_t kNoCost = ~std::uint64_t{0};
  // Longer lists are freed when the next pair comes: a pair in a satellite may have a million.
  static constexpr std::size_t kKept = 4096;

  // The alignment of a locus. Its path is kept, for the record.
  struct Aligned {
    Extent extent;
    std::uint64_t cost = kNoCost;  // computed when it is needed, which is rare among many pairs
    AlignedPath path;
    std::uint32_t alignment = kNone;  // index in the AlignmentBatch
  };

  // A mate as Pairing needs it.
  struct MateLoci {
    ReadLoci read;
    std::uint32_t least = 0;             // see shortest()
    std::uint32_t most = 0;              // see longest()
    std::uint32_t smallest = 0;          // see least_distance()
    std::uint32_t forward = 0;           // loci of the forward strand
    std::vector<std::uint64_t> reaches;  // of pieces, see reach()
    std::vector<std::uint32_t> aligned;  // for each locus: index into `alignments`, or kNone
    mutable std::vector<Aligned> alignments;
    std::uint32_t used = 0;  // of `alignments`; the others keep their memory
    ReadReporter* reads = nullptr;
    const sequence::Reference* reference = nullptr;

    void start(const ReadLoci& loci);
    std::uint32_t least_distance() const { return smallest; }  // of the loci
    // The locus that a placement belongs to.
    std::uint32_t run_of(std::uint32_t i) const { return read.has_placements() ? read.run_of[i] : i; }
    std::uint32_t count() const { return static_cast<std::uint32_t>(read.loci.size()); }
    std::uint32_t first_reverse() const { return forward; }
    std::uint64_t end(std::uint32_t i) const { return read.loci[i].end; }
    std::uint32_t spread(std::uint32_t i) const { return read.loci[i].spread; }
    std::uint64_t reach(std::uint32_t i) const { return read.pieces ? reaches[i] : end(i) + spread(i); }
    std::uint32_t distance(std::uint32_t i) const { return read.loci[i].distance; }
    std::uint32_t length(std::uint32_t i) const { return read.length_of(i); }
    std::uint32_t edits(std::uint32_t i) const { return read.edits_of(i); }
    std::uint32_t shortest() const { return least; }
    std::uint32_t longest() const { return most; }
    ContigRange contig_at(std::uint64_t position) const {
      const auto& contig = reference->contigs()[reference->contig_at(position)];
      return {contig.offset, contig.offset + contig.length, contig.topology.repeated};
    }
    bool has_circles() const { return reference->has_repeats(); }
    bool is_aligned(std::uint32_t i) const { return aligned[i] != kNone; }
    const Extent& extent(std::uint32_t i) const { return alignments[aligned[i]].extent; }
    std::uint64_t cost(std::uint32_t i) const;
  };
  using MatePairing = Pairing<MateLoci>;

  struct Ranked {
    std::uint32_t sum;
    std::uint32_t first;
    std::uint32_t second;
  };

  // Whether looking at all pairs takes longer than aligning all loci.
  bool are_many() const { return std::min(mates_[0].count(), mates_[1].count()) > 512; }

  MatePairing pairing() const { return {rule_.orientation, inserts_, mates_[0], mates_[1]}; }
  void align(MateLoci& mate, std::uint32_t i);
  std::uint32_t align_all(const MatePairing& pairing);
  PairChoice choose(const MatePairing& pairing, std::uint64_t hash, std::uint32_t limit);
  template <class Visit>
  void for_each_of_loci(const MatePairing& pairing, std::uint32_t most, const Visit& visit);
  std::uint32_t record(MateLoci& mate, std::uint32_t i, AlignmentBatch& out);
  void report_concordant(const MatePairing& pairing, const PairChoice& choice, std::uint64_t hash, std::uint32_t limit,
                         PairResult& pair, AlignmentBatch& out);
  void put_qualities(const MatePairing& pairing, const PairChoice& choice, AlignmentBatch& out);
  void report_others(MateLoci& mate, std::uint64_t hash, ReadResult& result, AlignmentBatch& out);

  ReadReporter& reads_;
  PairRule rule_;
  const InsertModel& inserts_;
  MateLoci mates_[2];
  std::uint32_t smallest_sum_ = kAnySum;
  std::vector<Ranked> ranked_;
  std::vector<std::uint64_t> ties_;
  // For each locus of the second mate: its best pair with placements of one locus of the first mate.
  struct BestOfLoci {
    PairKey key;
    std::uint32_t first = 0;
    std::uint32_t second = 0;
  };
  std::vector<BestOfLoci> best_of_loci_;
  std::vector<std::uint32_t> with_best_;  // the loci that have one
};

}  // namespace trawl::align
