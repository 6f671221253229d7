// The oracle of pairs: which pairs of loci are concordant, which of them are reported, in which order, and with which
// mapping quality. It is plain code on top of the oracle of a read, and does not use the code of any engine. Positions
// here are in a contig, from 0; an end is after the last base.
//
//   const std::vector<std::string> contigs{"TTTTACGTAACCTTGGCCAATTGTACCATTTT"};
//   const ReadOracle reads(contigs, options);
//   const ReadLoci first = reads.find({"p", "ACGTAACC", ""}), second = reads.find({"p", "TGGTACAA", ""});
//   PairOracle(options, {1, 100, 0, 0}).expect(first, second)
//     == concordant: one pair, 4-12 forward with 20-28 reverse, insert 24
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "align/pair_rule.hpp"
#include "map/options.hpp"
#include "tests/read_oracle.hpp"

namespace trawl::tests {

/// What two mates cost, in Phred units, that lie where no concordant pair is.
inline constexpr int kDiscordantCost = 80;
/// Pairs and loci that are at most this many edits worse than the best ones count for the mapping quality.
inline constexpr int kPairStrata = 1;

/// A locus of each mate that fit. The pointers are into ReadLoci::loci.
struct OraclePair {
  const AlignedLocus* mates[2];
  std::size_t insert = 0;

  int sum() const { return mates[0]->penalty + mates[1]->penalty; }
  bool operator==(const OraclePair&) const = default;
};

struct ExpectedMate {
  std::size_t best_count = 0;  // X0
  std::size_t next_count = 0;  // X1
  bool next_known = false;
  bool too_short = false;
  std::vector<const AlignedLocus*> alone;  // reported without the other mate
  std::size_t dropped = 0;
  unsigned mapq = 0;  // of the primary record
};

struct ExpectedPair {
  align::PairKind kind = align::PairKind::unmapped;
  std::vector<OraclePair> pairs;  // reported, the primary one first
  std::size_t dropped = 0;
  ExpectedMate mates[2];
};

class PairOracle {
 public:
  PairOracle(const map::MapOptions& options, const align::InsertModel& inserts)
      : rule_(options.report_rule()),
        pairs_(options.pairs),
        inserts_(inserts),
        edit_points_(options.clip.on() ? 5 : 1) {}

  /// All concordant pairs, in canonical order: by the locus of the first mate, then by that of the second.
  std::vector<OraclePair> concordant_pairs(const ReadLoci& first, const ReadLoci& second) const {
    std::vector<OraclePair> pairs;
    for (const AlignedLocus& a : first.loci) {
      for (const AlignedLocus& b : second.loci) {
        if (fits(a, b)) {
          pairs.push_back({{&a, &b}, insert_of(a, b)});
        }
      }
    }
    return pairs;
  }

  ExpectedPair expect(const ReadLoci& first, const ReadLoci& second) const {
    const ReadLoci* const mates[2] = {&first, &second};
    ExpectedPair expected;
    for (int m = 0; m < 2; ++m) {
      expected.mates[m].best_count = mates[m]->best_count();
      expected.mates[m].next_count = mates[m]->next_count();
      expected.mates[m].next_known = mates[m]->next_known;
      expected.mates[m].too_short = mates[m]->is_too_short();
    }
    const auto all = concordant_pairs(first, second);
    if (all.empty()) {
      const auto mapped = static_cast<int>(!first.loci.empty()) + static_cast<int>(!second.loci.empty());
      expected.kind = mapped == 2   ? align::PairKind::discordant
                      : mapped == 1 ? align::PairKind::one_end
                                    : align::PairKind::unmapped;
      if (mapped == 1 || pairs_.discordant != align::Discordant::never) {
        report_alone(mates, expected);
      }
      return expected;
    }
    expected.kind = align::PairKind::concordant;
    const OraclePair primary = primary_of(all, first.name);
    const bool always = pairs_.discordant == align::Discordant::always;
    if (always && rule_.report == align::Report::best && first.best() + second.best() < primary.sum()) {
      report_alone(mates, expected);
      return expected;
    }
    report_pairs(all, primary, first.name, expected);
    if (always && rule_.report != align::Report::best) {
      report_beside_pairs(mates, expected);
    }
    set_qualities(mates, all, primary, expected);
    return expected;
  }

  /// The Phred cost of a pair: of its alignments and of its insert size.
  int cost_of(const OraclePair& pair) const {
    return pair.mates[0]->path_cost + pair.mates[1]->path_cost + insert_cost(pair.insert);
  }

  /// The Phred cost of an insert size, compared with the most likely one: 4.342 z^2 / 2 for z standard deviations from
  /// the mean, rounded, and at most 40. With two sizes, the smaller cost.
  int insert_cost(std::size_t size) const {
    if (inserts_.most.deviation == 0) {
      return 0;
    }
    int least = 40;
    for (const align::InsertSizes& sizes : {inserts_.most, inserts_.others}) {
      if (sizes.deviation > 0) {
        const double z = (static_cast<double>(size) - sizes.mean) / sizes.deviation;
        least = std::min(least, static_cast<int>(std::floor(2.171 * z * z + 0.5)));
      }
    }
    return least;
  }

 private:
  static constexpr std::uint64_t kOne = std::uint64_t{1} << 32;

  static std::size_t insert_of(const AlignedLocus& a, const AlignedLocus& b) {
    return std::max(a.stop(), b.stop()) - std::min(a.start, b.start);
  }

  // fr: the forward mate is the left one; rf: the reverse mate is. ff: both on one strand, the first mate left on the
  // forward strand, and right on the reverse strand.
  bool fits(const AlignedLocus& first, const AlignedLocus& second) const {
    if (first.contig != second.contig) {
      return false;
    }
    bool first_is_left = false;
    switch (pairs_.orientation) {
      case align::Orientation::fr:
        if (first.reverse == second.reverse) {
          return false;
        }
        first_is_left = !first.reverse;
        break;
      case align::Orientation::rf:
        if (first.reverse == second.reverse) {
          return false;
        }
        first_is_left = first.reverse;
        break;
      case align::Orientation::ff:
        if (first.reverse != second.reverse) {
          return false;
        }
        first_is_left = !first.reverse;
        break;
    }
    const AlignedLocus& left = first_is_left ? first : second;
    const AlignedLocus& right = first_is_left ? second : first;
    if (right.start < left.start && right.stop() < left.stop()) {
      return false;  // they dovetail
    }
    const std::size_t insert = insert_of(first, second);
    return inserts_.min <= insert && insert <= inserts_.max;
  }

  // The smallest sum, then the smallest cost; the name chooses among the rest.
  OraclePair primary_of(const std::vector<OraclePair>& all, const std::string& name) const {
    int least_sum = all.front().sum();
    for (const OraclePair& pair : all) {
      least_sum = std::min(least_sum, pair.sum());
    }
    int least_cost = std::numeric_limits<int>::max();
    for (const OraclePair& pair : all) {
      if (pair.sum() == least_sum) {
        least_cost = std::min(least_cost, cost_of(pair));
      }
    }
    std::vector<OraclePair> equals;
    for (const OraclePair& pair : all) {
      if (pair.sum() == least_sum && cost_of(pair) == least_cost) {
        equals.push_back(pair);
      }
    }
    return equals[oracle_name_hash(name) % equals.size()];
  }

  // The primary pair, then the others. Which of them max_hits keeps: by sum, in canonical order.
  void report_pairs(const std::vector<OraclePair>& all, const OraclePair& primary, const std::string& name,
                    ExpectedPair& expected) const {
    auto& reported = expected.pairs;
    reported.push_back(primary);
    if (rule_.report != align::Report::best) {
      // Of the placements of two loci, those that make the best pair.
      std::map<std::pair<std::size_t, std::size_t>, OraclePair> of_loci;
      const auto loci_of = [](const OraclePair& pair) { return std::pair(pair.mates[0]->run, pair.mates[1]->run); };
      const auto rank = [&](const OraclePair& pair) { return std::pair(pair.sum(), cost_of(pair)); };
      for (const OraclePair& pair : all) {
        const bool wanted = rule_.report == align::Report::all ||
                            pair.sum() <= primary.sum() + static_cast<int>(rule_.strata) * edit_points_;
        if (wanted && loci_of(pair) != loci_of(primary)) {
          const auto [known, is_new] = of_loci.try_emplace(loci_of(pair), pair);
          known->second = rank(pair) < rank(known->second) ? pair : known->second;
        }
      }
      for (const auto& [loci, pair] : of_loci) {
        reported.push_back(pair);
      }
      std::stable_sort(reported.begin() + 1, reported.end(),
                       [](const OraclePair& a, const OraclePair& b) { return a.sum() < b.sum(); });
    }
    if (rule_.max_hits > 0 && reported.size() > rule_.max_hits) {
      expected.dropped = reported.size() - rule_.max_hits;
      oracle_keep(reported, rule_.max_hits, oracle_name_hash(name), [](const OraclePair& pair) { return pair.sum(); });
    }
    std::stable_sort(reported.begin() + 1, reported.end(), [](const OraclePair& a, const OraclePair& b) {
      const auto key = [](const OraclePair& p) {
        return std::tuple(p.sum(), record_place(*p.mates[0]), record_place(*p.mates[1]));
      };
      return key(a) < key(b);
    });
  }

  // Each mate like a single read.
  void report_alone(const ReadLoci* const (&mates)[2], ExpectedPair& expected) const {
    for (int m = 0; m < 2; ++m) {
      const SingleSelection selection = select_single(*mates[m], rule_);
      expected.mates[m].alone = selection.reported;
      expected.mates[m].dropped = selection.dropped;
      expected.mates[m].mapq = selection.mapq;
    }
  }

  // What a single read would have, without the loci of the reported pairs.
  void report_beside_pairs(const ReadLoci* const (&mates)[2], ExpectedPair& expected) const {
    for (int m = 0; m < 2; ++m) {
      const SingleSelection selection = select_single(*mates[m], rule_);
      expected.mates[m].dropped = selection.dropped;
      for (const AlignedLocus* locus : selection.reported) {
        const bool in_pair = std::any_of(expected.pairs.begin(), expected.pairs.end(),
                                         [&](const OraclePair& pair) { return pair.mates[m]->run == locus->run; });
        if (!in_pair) {
          expected.mates[m].alone.push_back(locus);
        }
      }
      std::stable_sort(expected.mates[m].alone.begin(), expected.mates[m].alone.end(), record_goes_before);
    }
  }

  // The product of two weights, in units of 2^-32; each factor counts as less than 2^15.
  static std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    constexpr std::uint64_t kMost = (std::uint64_t{1} << 47) - 1;
    return static_cast<std::uint64_t>(static_cast<Wide>(std::min(a, kMost)) * std::min(b, kMost) >> 32);
  }

  // The error of a mate: other concordant pairs in which it lies elsewhere; both mates elsewhere and not concordant;
  // one mate beyond the allowed distance and the other anywhere.
  void set_qualities(const ReadLoci* const (&mates)[2], const std::vector<OraclePair>& all, const OraclePair& primary,
                     ExpectedPair& expected) const {
    const std::uint64_t discordant = oracle_weight(kDiscordantCost - insert_cost(primary.insert));
    std::uint64_t unseen[2];
    std::uint64_t elsewhere[2];
    for (int m = 0; m < 2; ++m) {
      unseen[m] = unseen_weight(*mates[m], *primary.mates[m]);
      elsewhere[m] = unseen[m] + other_weights(*mates[m], *primary.mates[m], kPairStrata);
    }
    for (int m = 0; m < 2; ++m) {
      const int other = 1 - m;
      std::uint64_t error = 0;
      for (const OraclePair& pair : all) {
        if (pair.mates[m] != primary.mates[m] && pair.sum() <= primary.sum() + kPairStrata * edit_points_) {
          error += oracle_weight(cost_of(pair) - cost_of(primary));
        }
      }
      error += product(product(elsewhere[m], kOne + elsewhere[other]), discordant);
      error += product(unseen[m], kOne + elsewhere[other]);
      error += product(unseen[other], elsewhere[m]);
      expected.mates[m].mapq = error >= kOne ? 0 : oracle_mapq(error);
    }
  }

  align::ReportRule rule_;
  align::PairRule pairs_;
  align::InsertModel inserts_;
  int edit_points_;  // what an edit counts in the penalty of a locus
};

}  // namespace trawl::tests
