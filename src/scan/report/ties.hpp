// Which of several patterns a read has whose distances are the same (--ties).
//
// Posterior: of each pattern, the number of reads that have it exactly, times the probability of the edits in this
// read; divided by the sum of all. The best one is taken if it has 0.975 or more. So does Cell Ranger (10x Genomics,
// "How does Cell Ranger correct barcode sequencing errors?", kb.10xgenomics.com, article 115003822406), and STARsolo
// with --soloCBmatchWLtype 1MM_multi (Kaminow, Yunusov and Dobin 2021, doi:10.1101/2021.05.05.442755). As in the
// latter, there are no pseudocounts: a pattern that no read has exactly is out; and a quality counts as at most 33.
// Both have one mismatch; here an edit has the probability of an error at its letter, and a letter that the read lacks
// that of the worse one of its neighbours. Letters beyond the end of a read, which nobody has seen, cost nothing. For
// example, ACGT differs from pattern a in its last letter, from b in its first:
//
//   SiteRecord a, b;
//   for (SiteRecord* one : {&a, &b}) {
//     b.pattern = 1, one->end = 4, one->texts = std::make_unique<RecordTexts>(RecordTexts{"4M", "", ""});
//   }
//   std::vector<SiteRecord> tied;
//   tied.push_back(std::move(a)), tied.push_back(std::move(b));
//   const TieInputs inputs{{{"a", "ACGA"}, {"b", "CCGT"}}, {5, 5}};
//   likeliest_pattern(tied, inputs, {"ACGT", "III+"}) == 0      // the last letter has quality 10, not 40
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scan/report/record.hpp"
#include "sequence/pattern.hpp"

namespace trawl::scan {

/// What decides besides the records of a read.
struct TieInputs {
  sequence::PatternList patterns;
  std::vector<std::uint32_t> exact_reads;  // by pattern; for the posterior
};

/// Qualities are Phred+33. If there are none, the numbers of reads decide alone.
struct ReadLetters {
  std::string_view bases, qualities;
};

/// `tied`: all places of a read with its smallest distance. A pattern is out if each of its places overlaps one of a
/// longer pattern. Nothing if several are left.
std::optional<std::uint32_t> longest_pattern(std::span<const SiteRecord> tied, const TieInputs& inputs);

/// A pattern with several places counts with the likeliest. Nothing if no posterior is large enough.
std::optional<std::uint32_t> likeliest_pattern(std::span<const SiteRecord> tied, const TieInputs& inputs,
                                               const ReadLetters& read);

}  // namespace trawl::scan
