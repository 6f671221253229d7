// Discordant pairs in the format of mrFAST's DIVET files, which VariationHunter and TARDIS read: 13 columns, separated
// by tabs.
//
//   pair3  chr1  1001  1100  F  =  9001  9100  R  D  3  38  1.998000e-07
//
//   1       name
//   2-5     first mate: contig, first and last aligned base (from 1), F or R for the strand
//   6-9     second mate: the same; = instead of the contig if it is that of the first mate
//   10      what kind of event the pair may show; see DivetEvent
//   11      edits of both mates
//   12      average base quality of both mates, rounded
//   13      probability of the edits: the product of 0.001 + 10^(-Q / 10) for each mismatch (0.001: a variant) and of
//           0.0003 for each inserted or deleted base
//
// A pair has a line for each combination of the reported loci of its mates, those with the fewest edits first (with
// clipped ends: those with the highest sum of scores, AS), and at most kMostDivetLines (mrFAST's --maxdis; mrFAST keeps
// the first ones in the order of the reference). Reads without base qualities are taken to have quality 30. Pairs are
// left out that have a concordant pair of loci, as in mrFAST. Combinations of loci that overlap and dovetail are left
// out, too.
#pragma once

#include <optional>
#include <string>

#include "align/pair_rule.hpp"
#include "io/write/text_sink.hpp"

namespace trawl::io {

inline constexpr std::size_t kMostDivetLines = 300;

/// What a discordant pair may show, seen from the sequenced genome. Written as its letter.
enum class DivetEvent : char {
  deletion = 'D',            // the mates are too far from each other: bases between them are missing
  insertion = 'I',           // the mates are too near
  inversion = 'V',           // one mate's strand does not fit the orientation
  tandem_duplication = 'E',  // everted: the strands fit, but the mates are in the wrong order
  other_contig = 'T',        // transchromosomal
};

/// Nothing for mates that overlap and dovetail: they come from a fragment shorter than a read and show no event.
/// (mrFAST compares only where they start and writes them as E.) Nothing for mates that lie like a concordant pair,
/// either: the half of a read may (--split). `same_contig`: of the two alignments.
///
///   const align::InsertModel inserts{.min = 200, .max = 400};
///   const align::Extent first{100, 200, false};
///   using align::Orientation;
///   divet_event(Orientation::fr, inserts, true, first, {900, 1000, true}) == DivetEvent::deletion
///   divet_event(Orientation::fr, inserts, true, first, {220, 320, false}) == DivetEvent::inversion
///   divet_event(Orientation::fr, inserts, true, {100, 200, true}, {320, 420, false}) == DivetEvent::tandem_duplication
///   divet_event(Orientation::fr, inserts, true, {100, 200, true}, {150, 250, false}) == std::nullopt
std::optional<DivetEvent> divet_event(align::Orientation orientation, const align::InsertModel& inserts,
                                      bool same_contig, const align::Extent& first, const align::Extent& second);

class DivetSink : public TextSink {
 public:
  /// Writes to options.divet_path. Throws IoError.
  DivetSink(const SinkOptions& options, const sequence::Reference& reference);

 private:
  void append(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
              std::string& text) const override;

  const sequence::Reference& reference_;
  align::Orientation orientation_;
  align::InsertModel inserts_;
};

}  // namespace trawl::io
