// From the loci of a read to its reported alignments, on the host.
//
//   with: const sequence::Reference& reference, const ReadLoci& read, AlignmentBatch& batch
//   ReadReporter reporter(reference, false, false, {.report = Report::all});
//   reporter.select(read, name_hash("read1"));          // reporter.selection(): which loci, and how many there are
//   reporter.report(read, batch.reads[0], batch);       // with CIGAR, MD and mapping quality
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "align/aligner.hpp"
#include "align/alignment.hpp"
#include "align/clip_rule.hpp"
#include "align/locus.hpp"
#include "align/mapq.hpp"
#include "align/select.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::align {

/// A read and its loci, those of the forward strand first, each strand's in ascending order.
struct ReadLoci {
  // Where the read is placed. A locus with several placements is replaced by them, so everything that counts or chooses
  // loci counts or chooses placements.
  std::span<const Locus> loci;
  // If a locus has several placements: which of `runs`, the loci as they are, each placement belongs to.
  const std::uint32_t* run_of = nullptr;
  std::span<const Locus> runs;
  const Piece* run_pieces = nullptr;
  const sequence::EncodedRead* strands[2] = {nullptr, nullptr};  // as in the file, and its reverse complement
  const char* qualities = nullptr;                               // Phred+33 in the order of the file, or null
  std::uint32_t max_edits = 0;                                   // e
  // Where reads are clipped: the piece of each locus, and what pieces are allowed. The loci's distances are penalties.
  const Piece* pieces = nullptr;
  const PieceLimits* limits = nullptr;

  bool has_placements() const { return run_of != nullptr; }
  /// The same with the loci as they are, each of which is one record.
  ReadLoci whole() const {
    ReadLoci read = *this;
    if (has_placements()) {
      read.loci = runs;
      read.pieces = run_pieces;
      read.run_of = nullptr;
    }
    return read;
  }
  std::uint32_t length() const { return static_cast<std::uint32_t>(strands[0]->length()); }
  /// The length of the aligned piece, or of the read.
  std::uint32_t length_of(std::uint32_t l) const { return pieces ? pieces[l].length() : length(); }
  std::uint32_t edits_of(std::uint32_t l) const { return pieces ? pieces[l].edits : loci[l].distance; }
  std::uint32_t max_edits_of(std::uint32_t l) const { return pieces ? limits->max_edits_of(length_of(l)) : max_edits; }
  /// Whether only one of loci k and l can be right.
  bool exclude_each_other(std::uint32_t k, std::uint32_t l) const;
  /// The number of bases left out.
  std::uint32_t clipped(std::uint32_t l) const { return length() - length_of(l); }
};

/// The placements of a read, if one of its loci has several. The other loci stay as they are.
struct Placements {
  std::vector<Locus> loci;
  std::vector<std::uint32_t> run_of;
  std::vector<Piece> pieces;
  // With ReportRule::placements: those that get a record.
  std::vector<Locus> runs;
  std::vector<Piece> run_pieces;

  /// Keeps memory, but not that of a read with very many.
  void clear() {
    constexpr std::size_t kKept = 4096;
    if (loci.capacity() > kKept) {
      *this = {};
    }
    loci.clear();
    run_of.clear();
    pieces.clear();
    runs.clear();
    run_pieces.clear();
  }
};

class ReadReporter {
 public:
  /// `gaps`: whether alignments may have gaps. `damage`: what loci of the same distance are ranked by.
  ReadReporter(const sequence::Reference& reference, bool ambiguous_matches, bool eqx, const ReportRule& rule,
               bool gaps = true, const DamageRates& damage = {})
      : ambiguous_matches_(ambiguous_matches),
        aligner_(reference, ambiguous_matches, eqx, gaps),
        model_(damage),
        rule_(rule),
        reference_cost_(reference_cost(reference.bases())) {}

  const ReportRule& rule() const { return rule_; }
  const MapqModel& model() const { return model_; }
  const Aligner& aligner() const { return aligner_; }

  /// Finds the placements of a read's loci with at most `most` edits, and puts them into `read` if a locus has several.
  /// They are in `placements`. `searched`: the edits that the read was searched for.
  void place(ReadLoci& read, std::uint32_t searched, std::uint32_t most, Placements& placements);

  /// Chooses the loci to report. The result is valid until the next call: the primary one is an index into read.loci,
  /// the others are indices into read.whole().loci.
  const Selection& select(const ReadLoci& read, std::uint64_t hash);
  const Selection& selection() const { return selection_; }

  /// Puts the numbers of loci into `result`: those of the read that select() was called for.
  void count(const ReadLoci& read, ReadResult& result) const;
  /// Appends the alignments of the selected loci to `out`, and fills in `result`.
  void report(const ReadLoci& read, ReadResult& result, AlignmentBatch& out);

  /// The path of locus l; valid until the next call.
  const AlignedPath& find_path(const ReadLoci& read, std::uint32_t l);
  /// The alignment of locus l with this path. Its CIGAR and MD go to `out`.
  Alignment describe(const ReadLoci& read, std::uint32_t l, const AlignedPath& path, AlignmentBatch& out);
  /// The Phred cost of locus l with this path.
  std::uint64_t cost_of(const ReadLoci& read, std::uint32_t l, const AlignedPath& path);

  /// The weights of a read's loci at other places than `chosen`, up to `strata` edits worse than the best, compared
  /// with `cost`, that of the chosen one's alignment.
  QualitySum weigh(const ReadLoci& read, std::uint32_t chosen, std::uint64_t cost, std::uint32_t strata);

  /// 10 log10 of the positions of both strands: see chance_cost().
  static std::uint32_t reference_cost(std::uint64_t bases);

 private:
  // The strata of the loci, with ties broken by costs.
  Strata cheapest(const ReadLoci& read, std::uint64_t hash);
  // The placements with the smallest distance of their locus become loci of their own.
  void list_runs(ReadLoci& read, Placements& placements) const;
  bool counts_against(const ReadLoci& read, std::uint32_t l, std::uint32_t chosen) const {
    return l != chosen && (!rule_.split || read.exclude_each_other(l, chosen));
  }
  // Whether no other one of the best loci counts against the chosen one.
  bool is_clear_best(const ReadLoci& read) const;
  // The bases that locus l aligns, and their qualities. Valid until the next call.
  const sequence::EncodedRead& aligned_bases(const ReadLoci& read, std::uint32_t l);
  static StrandQualities aligned_qualities(const ReadLoci& read, std::uint32_t l);
  // Locus l as that of a read which consists of its aligned bases.
  static Locus aligned_locus(const ReadLoci& read, std::uint32_t l);

  bool ambiguous_matches_;
  Aligner aligner_;
  MapqModel model_;
  ReportRule rule_;
  std::uint32_t reference_cost_;  // see chance_cost()
  Selection selection_;
  std::vector<Locus> found_;
  sequence::EncodedRead piece_;
};

}  // namespace trawl::align
