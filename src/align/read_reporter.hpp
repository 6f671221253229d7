// From the loci of a read to its reported alignments, on the host.
//
//   ReadReporter reporter(reference, ambiguous_matches, eqx, rule);
//   reporter.select(read, hash);                  // reporter.selection(): which loci, and how many there are
//   reporter.report(read, batch.reads[r], batch); // with CIGAR, MD and mapping quality
#pragma once

#include <cstdint>
#include <span>

#include "align/aligner.hpp"
#include "align/alignment.hpp"
#include "align/locus.hpp"
#include "align/mapq.hpp"
#include "align/report_rule.hpp"
#include "align/select.hpp"
#include "sequence/encoded_read.hpp"
#include "sequence/reference.hpp"

namespace trawl::align {

/// A read and its loci, those of the forward strand first, each strand's in ascending order.
struct ReadLoci {
  std::span<const Locus> loci;
  const sequence::EncodedRead* strands[2] = {nullptr, nullptr};  // as in the file, and its reverse complement
  const char* qualities = nullptr;                               // Phred+33 in the order of the file, or null
  std::uint32_t max_edits = 0;                                   // e

  std::uint32_t length() const { return static_cast<std::uint32_t>(strands[0]->length()); }
  const sequence::EncodedRead& strand_of(const Locus& locus) const { return *strands[locus.reverse]; }
  StrandQualities qualities_of(const Locus& locus) const { return {qualities, length(), locus.reverse}; }
};

class ReadReporter {
 public:
  ReadReporter(const sequence::Reference& reference, bool ambiguous_matches, bool eqx, const ReportRule& rule)
      : aligner_(reference, ambiguous_matches, eqx), rule_(rule) {}

  const ReportRule& rule() const { return rule_; }
  const MapqModel& model() const { return model_; }
  Aligner& aligner() { return aligner_; }
  const Aligner& aligner() const { return aligner_; }

  /// Chooses the loci to report. The result is valid until the next call.
  const Selection& select(std::span<const Locus> loci, std::uint64_t hash) {
    align::select(loci, rule_, hash, selection_);
    return selection_;
  }
  const Selection& selection() const { return selection_; }

  /// Puts the numbers of loci into `result`: those of the read that select() was called for.
  void count(const ReadLoci& read, ReadResult& result) const;
  /// Appends the alignments of the selected loci to `out`, and fills in `result`.
  void report(const ReadLoci& read, ReadResult& result, AlignmentBatch& out);

  /// The weights of a read's loci other than `chosen`, up to `strata` edits worse than the best, compared with `cost`,
  /// that of the chosen one's alignment.
  QualitySum weigh(const ReadLoci& read, std::uint32_t chosen, std::uint64_t cost, std::uint32_t strata) const;

 private:
  Aligner aligner_;
  MapqModel model_;
  ReportRule rule_;
  Selection selection_;
};

}  // namespace trawl::align
