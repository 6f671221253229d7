// The options of `trawl map`: what is written to the records, and how the work is done.
//
//   NumberOrShare{.percent = 5}.of(150) == 7
//   NumberOrShare{.is_share = false, .missed = 0.01}.of(50) == 4
//   MapOptions options;
//   options.max_edits = {false, 0, 2};     // the same number for all reads
//   options.allowed_edits(150) == 2
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "align/alignment.hpp"
#include "align/clip_rule.hpp"
#include "align/damage.hpp"
#include "align/pair_rule.hpp"
#include "align/select.hpp"
#include "base/work_options.hpp"
#include "match/metric.hpp"
#include "sequence/ambiguous_limit.hpp"

namespace trawl::seed {
class SeedIndex;
}

namespace trawl::map {

/// The smallest number, at least 1, so that a read has more differences with a probability of less than `missed` where
/// 2% of the bases differ. Poisson's distribution, as in bwa aln -n (bwa_cal_maxdiff() in bwa 0.7.17).
inline std::uint32_t edits_of_bwa(std::size_t read_length, double missed) {
  constexpr double kRate = 0.02;
  const double mean = kRate * static_cast<double>(read_length);
  double term = std::exp(-mean);  // the probability of `edits`
  double sum = term;
  std::uint32_t edits = 0;
  do {
    term *= mean / ++edits;
    sum += term;
  } while (1 - sum >= missed && edits < read_length);
  return edits;
}

/// A number; a percentage of a read's length, rounded down; or as in bwa.
struct NumberOrShare {
  bool is_share = true;
  double percent = 5.0;      // if is_share
  std::uint32_t number = 0;  // otherwise
  double missed = 0;         // if more than 0, it is edits_of_bwa()

  std::uint32_t of(std::size_t read_length) const {
    return missed > 0 ? edits_of_bwa(read_length, missed)
           : is_share ? static_cast<std::uint32_t>(percent / 100.0 * static_cast<double>(read_length) + 1e-9)
                      : number;
  }
};

/// What is done with reads whose ends do not belong (align/clip_rule.hpp).
struct ClipOptions {
  NumberOrShare most{false, 0, 0};  // N; 0: reads are not clipped
  align::ClipWhen when = align::ClipWhen::unmapped;
  std::uint32_t least_score = 0;  // of a piece that is not the whole read: its bases, less 5 for each edit
  bool split = false;             // the clipped ends of a primary record are mapped, too
  std::uint32_t join = 0;         // clipped ends that fit after a gap of up to this length are joined; 0: none
  bool hard = false;              // hard clips in secondary and supplementary records

  bool on() const { return most.is_share ? most.percent > 0 : most.number > 0; }
};

using align::kMaxEdits;
using align::Report;
using match::Metric;
using match::Strands;

enum class Ambiguous { mismatch, match };
enum class SearchMethod { automatic, seeds, scan };

struct MapOptions : WorkOptions {
  NumberOrShare max_edits;              // the largest edit distance allowed for a read
  std::uint32_t min_length = 0;         // shorter reads are left unmapped; 0: those that fit by chance (ShortReads)
  Metric metric = Metric::levenshtein;  // hamming: reads are not clipped
  Strands strands = Strands::both;      // of pairs those of the first mates
  ClipOptions clip;
  Report report = Report::best;
  std::uint32_t strata = 0;    // with Report::strata: loci up to this many edits worse than the best
  std::uint64_t max_hits = 0;  // alignments per read; 0: no limit
  align::LociLimit max_loci;   // of reads with more not all are reported (align::leave_unmapped)
  bool placements = false;     // with Report::strata and all: a record for each placement of a locus
  Ambiguous ambiguous = Ambiguous::mismatch;
  sequence::AmbiguousLimit max_ambiguous;  // that an end may cover; its max_edits is not used
  bool eqx = false;                        // write = and X instead of M in CIGARs
  SearchMethod search = SearchMethod::automatic;
  align::PairRule pairs;
  align::DamageRates damage;  // of single reads, end to end
  bool one_end = true;        // report the mapped mate of a pair whose other mate has no locus
  // Longer reads may lack places over the origin of a circular contig; 0: there is no such contig.
  std::uint64_t shortest_circle = 0;
  // The index of the reference, if there is one already; otherwise an engine that needs one builds it.
  std::shared_ptr<const seed::SeedIndex> seeds;

  /// e of a read. A share of a long read can be more than kMaxEdits; it is then allowed kMaxEdits.
  std::uint32_t allowed_edits(std::size_t read_length) const { return std::min(max_edits.of(read_length), kMaxEdits); }

  bool gaps() const { return metric == Metric::levenshtein; }
  /// Whether a strand of a read or mate is searched. Second mates lie on the other strand than first ones, or on the
  /// same one with Orientation::ff.
  bool searches(bool reverse, bool second_mate) const {
    return match::searches(strands, reverse != (second_mate && pairs.orientation != align::Orientation::ff));
  }
  /// Of a read that has more than max_loci, no more records are made than of others.
  align::ReportRule report_rule() const {
    return {.report = report,
            .strata = strata,
            .max_hits = max_loci.most > 0 && (max_hits == 0 || max_hits > max_loci.most) ? max_loci.most : max_hits,
            .placements = placements,
            .counts_worse = clip.on() && clip.when != align::ClipWhen::poor};
  }
};

}  // namespace trawl::map
