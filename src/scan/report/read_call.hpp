// Which pattern a read has: the best one, and how far the next one is.
//
//   SiteRecord first, second;                     // of one read: pattern 0 with 2 edits, pattern 1 with none
//   first.distance = 2;
//   second.pattern = 1;
//   ReadCaller caller({.max_edits = 2});
//   caller.add(first), caller.add(second);
//   const ReadCall call = caller.finish();
//   call.patterns == {1}                      // it is CallKind::assigned
//   call.next_distance == 2                   // of call.next, {0}
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scan/options.hpp"
#include "scan/read_structure.hpp"
#include "scan/report/record.hpp"
#include "sequence/pattern.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::scan {

enum class CallKind {
  assigned,    // one pattern is better than all others
  ambiguous,   // another one is as good, or nearly
  unassigned,  // there is none
};

/// What is known of a read.
struct ReadCall {
  CallKind kind = CallKind::unassigned;
  std::vector<std::uint32_t> patterns;  // those with the smallest distance, in the order given; empty if unassigned
  SiteRecord best;                      // the leftmost place of the first of them
  std::uint32_t places = 0;             // of all of them, with that distance
  std::vector<std::uint32_t> next;      // the best of the others: those with the next larger distance, or, after a
                                        // decision between ties, with the same; empty: none was found
  std::uint32_t next_distance = 0;
  /// Of reads with a structure: of each barcode; and all parts, first those of the first mate, in the direction that
  /// best.reverse says. None: a linker was not found. `patterns` then has the row of all barcodes together.
  std::vector<ReadCall> barcodes = {};
  std::vector<sequence::PlacedPart> parts = {};
};

/// The letters of all barcodes or UMIs of a read with a structure, or their qualities, in the direction of the
/// structure. Between several parts there is '-', between qualities ' ', as in the SAM tags. `read`: the first mate.
std::string letters_of_parts(PartKind kind, const sequence::ReadBatch& reads, std::size_t read, const ReadCall& call,
                             const ReadStructure& structure, bool qualities = false);

/// What decides besides the records of a read.
struct TieInputs {
  sequence::PatternList patterns;
  std::vector<std::uint32_t> exact_reads;  // by pattern; for the posterior
};

/// Qualities are Phred+33. If there are none, the numbers of reads decide alone.
struct ReadLetters {
  std::string_view bases, qualities;
};

/// Which of several patterns a read has whose distances are the same (--ties longest). `tied`: all places of the read
/// with its smallest distance. A pattern is out if each of its places overlaps one of a longer pattern. Nothing if
/// several are left.
std::optional<std::uint32_t> longest_pattern(std::span<const SiteRecord> tied, const TieInputs& inputs);

/// The same with --ties posterior: of each pattern, the number of reads that have it exactly, times the probability of
/// the edits in this read; divided by the sum of all. A pattern with several places counts with the likeliest. The best
/// one is taken if it has 0.975 or more; otherwise the result is nothing. So does Cell Ranger (10x Genomics,
/// "How does Cell Ranger correct barcode sequencing errors?", kb.10xgenomics.com, article 115003822406), and STARsolo
/// with --soloCBmatchWLtype 1MM_multi (Kaminow, Yunusov and Dobin 2021, doi:10.1101/2021.05.05.442755). As in the
/// latter, there are no pseudocounts: a pattern that no read has exactly is out; and a quality counts as at most 33.
/// Both have one mismatch; here an edit has the probability of an error at its letter, and a letter that the read lacks
/// that of the worse one of its neighbours. Letters beyond the end of a read, which nobody has seen, cost nothing. For
/// example, ACGT differs from pattern a in its last letter, from b in its first:
///
///   SiteRecord a, b;
///   for (SiteRecord* one : {&a, &b}) {
///     b.pattern = 1, one->end = 4, one->texts = std::make_unique<RecordTexts>(RecordTexts{"4M", "", ""});
///   }
///   std::vector<SiteRecord> tied;
///   tied.push_back(std::move(a)), tied.push_back(std::move(b));
///   const TieInputs inputs{{{"a", "ACGA"}, {"b", "CCGT"}}, {5, 5}};
///   likeliest_pattern(tied, inputs, {"ACGT", "III+"}) == 0      // the last letter has quality 10, not 40
std::optional<std::uint32_t> likeliest_pattern(std::span<const SiteRecord> tied, const TieInputs& inputs,
                                               const ReadLetters& read);

class ReadCaller {
 public:
  /// `ties`: needed if the rule decides between ties; it must outlive this object.
  explicit ReadCaller(const CallRule& rule, const TieInputs* ties = nullptr) : rule_(rule), ties_(ties) {}

  /// The records of a read, in any order.
  void add(const SiteRecord& record);
  /// The call that they give; the next record is of another read. `read`: needed for the posterior.
  ReadCall finish(const ReadLetters& read = {});

 private:
  void decide(const ReadLetters& read, ReadCall& call) const;

  CallRule rule_;
  const TieInputs* ties_;
  std::vector<std::pair<std::uint16_t, std::uint32_t>> found_;  // distance and pattern of each record
  std::vector<SiteRecord> best_;  // with the smallest distance, the best one first; if ties are decided all
};

}  // namespace trawl::scan
