// The oracle of a read: its loci, their alignments as records show them, and which of them are reported. It is plain
// code, written from the documents (docs/map.md, docs/algorithms.md, align/mapq.hpp), and does not use the code
// of any engine. The oracles of records and of pairs are made of it.
//
//   const std::vector<std::string> contigs{"TTTTACGTAACCTTTT"};
//   const ReadLoci found = ReadOracle(contigs, {}).find({"r1", "ACGTAACC", "IIIIIIII"});
//   found.loci   == one: contig 0, start 4, span 8, "8M", distance 0
//   select_single(found, {}).mapq   == 56
//
// With options.clip.on(), the reads may be clipped (align/clip_rule.hpp): the loci and their pieces come from
// tests/clip_oracle.hpp, and the alignment of a locus is that of a read which consists of its piece.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "align/select.hpp"
#include "map/options.hpp"
#include "sequence/alphabet.hpp"
#include "tests/alignment_oracle.hpp"
#include "tests/clip_oracle.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/placement_oracle.hpp"

namespace trawl::tests {

struct Read {
  std::string name;
  std::string bases;
  std::string qualities;
  bool second_mate = false;
};

/// Both strands of a read. SAM does not have U, so it becomes T.
struct Strands {
  explicit Strands(const Read& read) {
    bases[0] = read.bases;
    std::replace(bases[0].begin(), bases[0].end(), 'U', 'T');
    bases[1] = sequence::reverse_complement(bases[0]);
    qualities[0] = read.qualities;
    qualities[1].assign(read.qualities.rbegin(), read.qualities.rend());
  }
  std::size_t length() const { return bases[0].size(); }
  unsigned quality(bool reverse, std::size_t i) const {
    return qualities[reverse].empty() ? 30 : static_cast<unsigned>(qualities[reverse][i] - '!');
  }

  std::string bases[2];
  std::string qualities[2];
};

/// A locus with its alignment as a record shows it. OracleLocus::distance is that of the piece.
struct AlignedLocus : match::OracleLocus {
  align::Piece piece;   // the bases of its strand that are aligned
  int penalty = 0;      // what loci are ranked by: the distance; with clipping, bases left out and points for edits
  int score = 0;        // AS
  int allowed = 0;      // e of the piece
  std::size_t run = 0;  // which locus of the read it is, or is a placement of
  bool reverse = false;
  std::size_t contig = 0;
  std::size_t start = 0;  // of the alignment, 0-based
  std::size_t span = 0;   // reference bases it covers
  std::string cigar;
  std::string md;
  std::string steps;  // of the alignment: M, I, D
  int edits = 0;
  int event_penalty = 0;  // after trimmed(): the penalty with gaps as events
  int path_cost = 0;      // Phred, of the alignment's edits and the bases left out
  // Phred, of the edits as they count beside a chosen locus; unknown if the locus has several gaps.
  std::optional<int> edits_cost;
  // Phred, of a place where a piece as good as this one matches by chance; whole reads do not match by chance.
  std::optional<int> chance_cost;

  std::size_t stop() const { return start + span; }
};

/// What a base that is left out costs, in Phred units.
inline constexpr int kClippedBaseCost = 6;

/// Everything the oracle knows about a read. The loci of the forward strand come first; each strand's loci are ordered
/// by contig and end.
struct ReadLoci {
  std::string name;
  Strands strands;
  int max_edits = 0;
  int average_cost = 0;  // of a mismatch, in Phred units, rounded down
  int edit_points = 1;   // what an edit counts in a penalty
  int strata = 2;        // loci so many edits worse than the best one count for the mapping quality
  // Where the read is placed: of a locus with several placements these. They are what is counted and chosen.
  std::vector<AlignedLocus> loci;
  // The loci as they are, each with one record: the same, unless a locus has several placements.
  std::vector<AlignedLocus> runs;
  bool too_short = false;   // so there are no loci
  bool next_known = false;  // whether all loci up to one edit worse than the best are known
  bool second_mate = false;
  bool by_cost = false;  // of equally near loci only those with the smallest cost are equally good (--damage)
  int damage_cost = 0;   // then: of a damaged base, on average

  bool is_too_short() const { return too_short; }
  /// The smallest penalty; there must be a locus.
  int best() const {
    return std::min_element(loci.begin(), loci.end(),
                            [](const AlignedLocus& a, const AlignedLocus& b) { return a.penalty < b.penalty; })
        ->penalty;
  }
  /// How many loci have a penalty of first .. last.
  std::size_t count_of(int first, int last) const {
    return static_cast<std::size_t>(std::count_if(
        loci.begin(), loci.end(), [&](const AlignedLocus& l) { return first <= l.penalty && l.penalty <= last; }));
  }
  /// X0 and X1.
  std::size_t best_count() const { return loci.empty() ? 0 : count_of(best(), best()); }
  std::size_t next_count() const { return loci.empty() ? 0 : count_of(best() + 1, best() + edit_points); }
};

/// The 64-bit FNV-1a hash of the name, whose upper half is XORed to the lower half.
inline std::uint64_t oracle_name_hash(const std::string& name) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : name) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211u;
  }
  return hash ^ (hash >> 32);
}

/// The weight of something that costs `extra` more than what was chosen, whose weight is 2^32. Never more than that; 0
/// if it would be less than 1. Weights are whole numbers, so that their sum does not depend on the order.
inline std::uint64_t oracle_weight(int extra) {
  const double exact = std::ldexp(std::pow(10.0, -0.1 * extra), 32);
  return extra <= 0 ? std::uint64_t{1} << 32 : exact < 1 ? 0 : static_cast<std::uint64_t>(std::llround(exact));
}

/// The largest mapping quality up to 60 whose error rate is not below the share of the others' weights.
inline unsigned oracle_mapq(std::uint64_t others) {
  const double error = static_cast<double>(others) / (static_cast<double>(others) + std::ldexp(1.0, 32));
  unsigned mapq = 60;
  while (mapq > 0 && error > std::pow(10.0, -0.1 * mapq)) {
    --mapq;
  }
  return mapq;
}

/// The Phred cost of the bases that a locus leaves out.
inline int clip_cost(const ReadLoci& read, const AlignedLocus& locus) {
  return kClippedBaseCost * static_cast<int>(read.strands.length() - locus.piece.length());
}

/// The weight of all loci beyond the allowed distance: that of one locus with one edit more than allowed, where each
/// edit has average cost, but not less than the chosen locus costs; 22 more, since few reads have such a locus.
/// `chosen`: the chosen locus of this read; the other one leaves out as many bases.
inline std::uint64_t unseen_weight(const ReadLoci& read, const AlignedLocus& chosen) {
  if (read.by_cost) {
    return oracle_weight(22 + (chosen.allowed - chosen.distance) * read.damage_cost);
  }
  const int unseen = (chosen.allowed + 1) * read.average_cost + clip_cost(read, chosen);
  return oracle_weight(22 + std::max(unseen, chosen.path_cost) - chosen.path_cost);
}

/// The weights of the loci other than the chosen one that are up to `strata` edits worse than the best one, and of a
/// match by chance.
inline std::uint64_t other_weights(const ReadLoci& read, const AlignedLocus& chosen, int strata) {
  std::uint64_t others = chosen.chance_cost ? oracle_weight(*chosen.chance_cost) : 0;
  for (const AlignedLocus& locus : read.loci) {
    if (&locus != &chosen && locus.penalty <= read.best() + strata * read.edit_points) {
      // If its cost is unknown, it is thought to have the edits of the chosen one, and mismatches.
      const int likely =
          chosen.path_cost - clip_cost(read, chosen) + (locus.distance - chosen.distance) * read.average_cost;
      others += oracle_weight(locus.edits_cost.value_or(likely) + clip_cost(read, locus) - chosen.path_cost);
    }
  }
  return others;
}

/// The order of records after the primary one.
inline auto record_place(const AlignedLocus& l) { return std::tuple(l.contig, l.start, l.reverse); }
inline bool record_goes_before(const AlignedLocus* a, const AlignedLocus* b) {
  return std::tuple(a->penalty, record_place(*a)) < std::tuple(b->penalty, record_place(*b));
}

/// What is reported of a single read, the primary locus first. The pointers are into ReadLoci::loci.
struct SingleSelection {
  std::vector<const AlignedLocus*> reported;
  std::size_t dropped = 0;
  unsigned mapq = 0;        // of the primary record; all others have 0
  bool next_known = false;  // X1 is written
};

/// Leaves `room` of the records, the first of which is the primary one; the others are sorted. Those that are as good
/// as the first one without room are turned by what the name says, then what has no room goes.
template <class Record, class Penalty>
void oracle_keep(std::vector<Record>& records, std::size_t room, std::uint64_t hash, const Penalty& penalty) {
  std::vector<Record> equals, better;
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (penalty(records[i]) == penalty(records[room])) {
      equals.push_back(records[i]);
    } else if (penalty(records[i]) < penalty(records[room])) {
      better.push_back(records[i]);
    }
  }
  std::rotate(equals.begin(), equals.begin() + static_cast<std::ptrdiff_t>((hash >> 32) % equals.size()), equals.end());
  records.resize(1);
  records.insert(records.end(), better.begin(), better.end());
  records.insert(records.end(), equals.begin(), equals.end());
  records.resize(room);
}

inline SingleSelection select_single(const ReadLoci& read, const align::ReportRule& rule) {
  SingleSelection selection;
  if (read.loci.empty()) {
    return selection;
  }
  const int best = read.best();
  std::vector<const AlignedLocus*> equals;
  for (const AlignedLocus& locus : read.loci) {
    if (locus.penalty == best) {
      equals.push_back(&locus);
    }
  }
  const bool has_enough = rule.report == align::Report::best && !rule.counts_worse && equals.size() > 30;
  if (read.by_cost) {
    const auto cost = [&](const AlignedLocus* l) { return l->edits_cost.value_or(l->distance * read.average_cost); };
    const int least = cost(*std::ranges::min_element(equals, {}, cost));
    std::erase_if(equals, [&](const AlignedLocus* l) { return cost(l) != least; });
  }
  const AlignedLocus& primary = *equals[oracle_name_hash(read.name) % equals.size()];
  // With --report best, worse loci of a whole read are not counted where more than 30 are best (docs/map.md).
  selection.next_known = read.next_known && !has_enough;

  // The primary record, then the others. Which of them max_hits keeps: by penalty, contig, leftmost best end and
  // strand.
  auto& reported = selection.reported;
  reported.push_back(&primary);
  if (rule.report != align::Report::best) {
    for (const AlignedLocus& locus : read.runs) {
      if (locus.run != primary.run && (rule.report == align::Report::all ||
                                       locus.penalty <= best + static_cast<int>(rule.strata) * read.edit_points)) {
        reported.push_back(&locus);
      }
    }
    std::stable_sort(reported.begin() + 1, reported.end(), [](const AlignedLocus* a, const AlignedLocus* b) {
      return std::tie(a->penalty, a->contig, a->end, a->reverse) < std::tie(b->penalty, b->contig, b->end, b->reverse);
    });
  }
  if (rule.max_hits > 0 && reported.size() > rule.max_hits) {
    selection.dropped = reported.size() - rule.max_hits;
    oracle_keep(reported, rule.max_hits, oracle_name_hash(read.name), [](const AlignedLocus* l) { return l->penalty; });
  }
  std::stable_sort(reported.begin() + 1, reported.end(), record_goes_before);
  // The mapping quality is 0 if several loci are equally good, and only then. It is a sum over whole strata, so it is
  // the same in every report; but where more than 30 are best (which is then 0, or with --damage), in --report best
  // only these count.
  if (equals.size() == 1) {
    selection.mapq = std::max(
        1u, oracle_mapq(unseen_weight(read, primary) + other_weights(read, primary, has_enough ? 0 : read.strata)));
  }
  return selection;
}

/// The Phred cost of a mismatch. At quality Q it is a sequencing error or a variant (1 in 1,000); each gives one of
/// three letters. `damage`: the probability that it is damage.
inline int oracle_mismatch_cost(unsigned quality, double damage = 0) {
  const double probability = (std::pow(10.0, quality / -10.0) + 0.001) / 3 + damage;
  return static_cast<int>(std::lround(-10 * std::log10(std::min(1.0, probability))));
}

class ReadOracle {
 public:
  /// `contigs`: in upper case, as given to make_reference().
  ReadOracle(const std::vector<std::string>& contigs, const map::MapOptions& options)
      : contigs_(contigs),
        max_edits_(options.max_edits),
        searched_(options.strands),
        mates_turned_(options.pairs.orientation != align::Orientation::ff),
        gaps_(options.metric == match::Metric::levenshtein),
        clip_(options.clip),
        damage_(options.damage),
        rule_(options.ambiguous == map::Ambiguous::match ? match::AmbiguityRule::matches_its_set
                                                         : match::AmbiguityRule::matches_nothing),
        eqx_(options.eqx) {}

  ReadLoci find(const Read& read) const {
    ReadLoci found{read.name, Strands(read), static_cast<int>(most_edits(read.bases.size())), 0, 1, 2, {}, {},
                   false,     false};
    found.second_mate = read.second_mate;
    const Strands& strands = found.strands;
    std::size_t positions = 0;
    for (const std::string& contig : contigs_) {
      positions += 2 * contig.size();
    }
    found.too_short = tests::is_too_short(read.bases, static_cast<std::size_t>(found.max_edits), positions, gaps_,
                                          rule_ == match::AmbiguityRule::matches_its_set);
    if (found.too_short) {
      return found;
    }
    for (std::size_t i = 0; i < strands.length(); ++i) {
      found.average_cost += oracle_mismatch_cost(strands.quality(false, i));
    }
    found.average_cost /= static_cast<int>(strands.length());
    found.by_cost = damage_.on();
    found.damage_cost = found.by_cost ? damage_cost() : 0;
    found.edit_points = clip_.on() ? kEditPoints : 1;
    const std::size_t clip = most_clipped(strands.length());
    if (clip == 0 || clip_.when != align::ClipWhen::always) {
      add_whole(found);
    }
    if (clip > 0 && found.loci.empty() && clip_.when != align::ClipWhen::poor) {
      add_clipped(found, clip);
    }
    return found;
  }

  /// Whether a strand of a read or mate is searched. The strand of a fragment is that of its first mate.
  bool is_searched(bool reverse, bool second_mate) const {
    const bool fragment_is_reverse = second_mate && mates_turned_ ? !reverse : reverse;
    return searched_ == match::Strands::both || (searched_ == match::Strands::reverse) == fragment_is_reverse;
  }

  /// The most bases that are left out of a read.
  std::size_t most_clipped(std::size_t length) const {
    const std::size_t spare = length - std::min(length, std::size_t{clip_.least_score});
    return std::min<std::size_t>({clip_.most.of(length), (length - 1) / 2, spare});
  }

  /// A settled locus. If it has a gap and another edit, or a gap and one of its diagonals alone gives more points, or
  /// if one gap of up to 8 bases (or `longest`, if that is more) makes it better, its bases are aligned anew: in the
  /// band of its diagonals, those to which such gaps lead, and up to 8 beside them. The same locus if this gives no
  /// more points than its best part, or leaves out more than `most` bases. Points: see points_of().
  AlignedLocus settled(const Strands& strands, const AlignedLocus& locus, std::size_t most,
                       std::ptrdiff_t longest = 8) const {
    const std::string read = strands.bases[locus.reverse].substr(locus.piece.begin, locus.piece.length());
    const Ends ends{locus.piece.begin == 0, locus.piece.end == strands.length()};
    const Path path{locus.contig, static_cast<std::ptrdiff_t>(locus.start), locus.steps};
    const int before = best_part(read, path, ends);
    const std::vector<std::ptrdiff_t> diagonals = diagonals_of(path);
    const std::size_t gaps = gaps_of(path.steps);
    const bool is_gap_alone =
        gaps == 1 &&
        edits_of(read, path) == std::ssize(path.steps) - std::count(path.steps.begin(), path.steps.end(), 'M');
    bool aligns = gaps > 1 || (gaps == 1 && !is_gap_alone);
    std::ptrdiff_t first = *std::min_element(diagonals.begin(), diagonals.end());
    std::ptrdiff_t last = *std::max_element(diagonals.begin(), diagonals.end());
    for (std::size_t k = 0; gaps == 1 && k < diagonals.size(); ++k) {
      const Path along{path.contig, diagonals[k], std::string(read.size(), 'M')};
      aligns = aligns || best_part(read, along, ends) > before;
    }
    for (const bool at_end : {false, true}) {
      if (const auto diagonal = better_diagonal(read, path, at_end, std::max<std::ptrdiff_t>(longest, 8))) {
        aligns = true;
        first = std::min(first, *diagonal);
        last = std::max(last, *diagonal);
      }
    }
    if (!aligns) {
      return locus;
    }
    const auto [best, points, base] = best_in_band(read, path.contig, first - 8, last + 8, ends);
    const auto bases = std::ssize(best.steps) - std::count(best.steps.begin(), best.steps.end(), 'D');
    const auto text = std::ssize(best.steps) - std::count(best.steps.begin(), best.steps.end(), 'I');
    if (points <= before || strands.length() - static_cast<std::size_t>(bases) > most) {
      return locus;
    }
    AlignedLocus changed = locus;
    changed.piece.begin += static_cast<std::uint32_t>(base);
    changed.piece.end = changed.piece.begin + static_cast<std::uint32_t>(bases);
    const std::string aligned = read.substr(static_cast<std::size_t>(base), static_cast<std::size_t>(bases));
    changed.distance = edits_of(aligned, best);
    changed.piece.edits = static_cast<std::uint32_t>(changed.distance);
    changed.penalty = static_cast<int>(changed.piece.penalty(static_cast<std::uint32_t>(strands.length())));
    describe(changed, strands,
             {static_cast<std::size_t>(best.start), static_cast<std::size_t>(best.start + text), best.steps});
    changed.score = event_score(strands, changed);
    return changed;
  }

  /// The score of a locus where ends are trimmed: bases aligned, minus 5 for each edit, but at most 15 for each gap and
  /// 2 for an N of the read.
  int event_score(const Strands& strands, const AlignedLocus& locus) const {
    int score = static_cast<int>(locus.piece.length()) - kEditPoints * locus.distance;
    score += (kEditPoints - 2) * unknown_of(strands, locus);
    for (std::size_t k = 0; k < locus.steps.size();) {
      const std::size_t next = std::min(locus.steps.find_first_not_of(locus.steps[k], k), locus.steps.size());
      const int cost = static_cast<int>(next - k) * (locus.steps[k] == 'I' ? 4 : 5);
      score += locus.steps[k] == 'M' ? 0 : std::max(0, cost - 15);
      k = next;
    }
    return score;
  }

  /// The penalty, where a gap costs no more than 6 and 1 for each base.
  int least_penalty(const Strands& strands, const AlignedLocus& locus) const {
    int penalty = static_cast<int>(strands.length()) - event_score(strands, locus);
    for (std::size_t k = 0; k < locus.steps.size();) {
      const std::size_t next = std::min(locus.steps.find_first_not_of(locus.steps[k], k), locus.steps.size());
      const int bases = static_cast<int>(next - k);
      const int cost = std::min(bases * (locus.steps[k] == 'I' ? 4 : 5), 15);
      penalty -= locus.steps[k] == 'M' ? 0 : std::max(0, cost - 6 - bases);
      k = next;
    }
    return penalty;
  }

  /// The N of the read that lie on the reference.
  int unknown_of(const Strands& strands, const AlignedLocus& locus) const {
    int unknown = 0;
    std::size_t base = locus.piece.begin;
    for (const char step : locus.steps) {
      unknown += step == 'M' && is_unknown(strands.bases[locus.reverse], base);
      base += step != 'D';
    }
    return unknown;
  }

  /// The most bases that are left out of a read that fits as a whole.
  std::size_t most_trimmed(std::size_t length) const {
    return std::min<std::size_t>(clip_.most.of(length), (length - 1) / 2);
  }

  /// A locus without some of its ends: the part of its alignment with the smallest penalty, in which a gap costs 6
  /// and 1 for each base (at most 15 in all), and an end that is left out 5 more. Of equal parts the one
  /// that reaches more ends of the read than it has gaps, then the one that ends first, then the one that begins last.
  /// The same locus if it is the best part, or if the part leaves out more than `most` bases.
  AlignedLocus trimmed(const ReadLoci& read, const AlignedLocus& locus, std::size_t most) const {
    const std::string& bases = read.strands.bases[locus.reverse];
    const std::string& steps = locus.steps;
    struct Part {
      std::size_t first = 0, last = 0;  // of the steps
      align::Piece piece;
      std::size_t start = 0, end = 0;
      int penalty = 0;
      int gaps = 0;
      auto rank(std::size_t read_length) const {
        const int ends = (piece.begin == 0) + (piece.end == read_length);
        return std::tuple(2 * (penalty - 5 * ends) + gaps - ends, last, -static_cast<std::ptrdiff_t>(first));
      }
    };
    std::optional<Part> best;
    int whole_penalty = 0;  // of the last part that begins with the first step
    std::size_t base = locus.piece.begin;
    std::size_t position = locus.start;
    for (std::size_t first = 0; first < steps.size(); ++first) {
      Part part{first, first, {static_cast<std::uint32_t>(base), 0, 0}, position, 0, 0, 0};
      std::size_t i = base;
      std::size_t p = position;
      int gaps = 0;  // what they cost beside the edits; less for N
      int gap = 0;   // the length of this one
      for (part.last = first; part.last < steps.size(); ++part.last) {
        const char step = steps[part.last];
        part.piece.edits += step != 'M' || !match::letters_match(bases[i], contigs_[locus.contig][p], rule_);
        gaps -= step == 'M' && is_unknown(bases, i) ? kEditPoints - 2 : 0;
        const int points = step == 'D' ? 5 : 4;
        gap = step == 'M' ? 0 : part.last > first && steps[part.last - 1] == step ? gap + 1 : 1;
        part.gaps += gap == 1;
        gaps += gap == 0 ? 0 : extra(gap, points) - (gap == 1 ? 0 : extra(gap - 1, points));
        i += step != 'D';
        p += step != 'I';
        part.piece.end = static_cast<std::uint32_t>(i);
        part.end = p;
        part.penalty = static_cast<int>(bases.size() - part.piece.length() + kEditPoints * part.piece.edits) + gaps;
        if (!best || part.rank(bases.size()) < best->rank(bases.size())) {
          best = part;
        }
        whole_penalty = first == 0 ? part.penalty : whole_penalty;
      }
      base += steps[first] != 'D';
      position += steps[first] != 'I';
    }
    const bool is_allowed = bases.size() - best->piece.length() <= most;
    AlignedLocus part = locus;
    if (best->piece == locus.piece || !is_allowed) {
      part.event_penalty = whole_penalty;
      return part;
    }
    part.event_penalty = best->penalty;
    part.piece = best->piece;
    part.penalty = static_cast<int>(best->piece.penalty(static_cast<std::uint32_t>(bases.size())));
    part.distance = static_cast<int>(best->piece.edits);
    describe(part, read.strands, {best->start, best->end, steps.substr(best->first, best->last + 1 - best->first)});
    part.score = event_score(read.strands, part);
    return part;
  }

  /// A locus whose ends are joined as where ends are trimmed: first at the right, then at the left, again and again,
  /// each time by the gap of up to `longest` bases with the most points, as long as there are more than without it.
  AlignedLocus joined(const Strands& strands, const AlignedLocus& locus, int longest) const {
    JoinedEnd end{strands.bases[locus.reverse], contigs_[locus.contig], locus.steps, locus.piece.begin, locus.start};
    for (const bool backwards : {false, true}) {
      std::optional<std::size_t> first;  // steps before the first gap that is joined at this end
      while (const auto before = join_right(end, longest, backwards)) {
        first = first.value_or(*before);
      }
      end.kept = first ? end.steps.size() - *first : 0;
      end.turn();
    }
    if (end.steps != locus.steps) {
      move_gaps_left(end);
    }
    AlignedLocus changed = locus;
    changed.piece.begin = static_cast<std::uint32_t>(end.base);
    changed.piece.end = static_cast<std::uint32_t>(end.base_end());
    changed.score += end.gain;
    describe(changed, strands, {end.start, end.text_end(), end.steps});
    return changed;
  }

  /// A locus that leaves out an end of the read, up to it along its diagonal, where the bases up to there give no fewer
  /// points than to leave them out.
  AlignedLocus reaching_ends(const Strands& strands, const AlignedLocus& locus) const {
    AlignedLocus changed = locus;
    const std::string& bases = strands.bases[locus.reverse];
    for (const bool left : {false, true}) {
      const std::size_t out = left ? changed.piece.begin : bases.size() - changed.piece.end;
      int points = 11;
      for (std::size_t k = 0; k < out; ++k) {
        const std::size_t base = left ? k : changed.piece.end + k;
        const auto position = left ? static_cast<std::ptrdiff_t>(changed.start + k) - static_cast<std::ptrdiff_t>(out)
                                   : static_cast<std::ptrdiff_t>(changed.stop() + k);
        points = std::max(2 * kNever, points + points_of_base(bases, base, locus.contig, position));
      }
      if (out > 0 && points > 0) {
        const std::string more(out, 'M');
        const std::string steps = left ? more + changed.steps : changed.steps + more;
        const std::size_t start = changed.start - (left ? out : 0);
        const std::size_t stop = changed.stop() + (left ? 0 : out);
        changed.piece.begin -= left ? static_cast<std::uint32_t>(out) : 0;
        changed.piece.end += left ? 0 : static_cast<std::uint32_t>(out);
        const std::string aligned = bases.substr(changed.piece.begin, changed.piece.length());
        changed.distance = edits_of(aligned, {locus.contig, static_cast<std::ptrdiff_t>(start), steps});
        changed.piece.edits = static_cast<std::uint32_t>(changed.distance);
        describe(changed, strands, {start, stop, steps});
      }
    }
    return changed;
  }

  /// The locus of a piece that ends at position `end` of a contig, with no other place around. Bases of the read that
  /// are not known are no edits of the piece.
  AlignedLocus locus_of(const Read& read, const align::Piece& piece, std::size_t contig, std::size_t end,
                        bool reverse) const {
    ReadLoci found{read.name, Strands(read), 0, 0, kEditPoints, 1, {}, {}, false, false};
    if (std::none_of(read.bases.begin(), read.bases.end(),
                     [](char c) { return sequence::base_code(c) == sequence::kAmbiguous; })) {
      add(found, {end, end, end, static_cast<int>(piece.edits)}, piece, reverse, contig);
      return found.loci.front();
    }
    AlignedLocus locus;
    locus.end = locus.run_begin = locus.run_end = end;
    locus.distance = static_cast<int>(piece.edits);
    locus.piece = piece;
    locus.reverse = reverse;
    locus.contig = contig;
    std::string bases = aligned_bases(locus, found.strands);
    for (char& c : bases) {
      c = sequence::base_code(c) == sequence::kAmbiguous ? 'N' : c;
    }
    describe(locus, found.strands,
             match::best_alignment(bases, contigs_[contig], locus, match::AmbiguityRule::matches_its_set));
    locus.distance = locus.edits;
    locus.piece.edits = static_cast<std::uint32_t>(locus.edits);
    locus.penalty = static_cast<int>(locus.piece.penalty(static_cast<std::uint32_t>(read.bases.size())));
    locus.score = static_cast<int>(piece.length()) - kEditPoints * static_cast<int>(piece.edits) -
                  2 * unknown_of(found.strands, locus);
    return locus;
  }

 private:
  bool same(const std::string& read, std::size_t i, std::size_t contig, std::ptrdiff_t position) const {
    return position >= 0 && position < std::ssize(contigs_[contig]) &&
           match::letters_match(read[i], contigs_[contig][static_cast<std::size_t>(position)], rule_);
  }

  // Where an alignment begins, and its steps.
  struct Path {
    std::size_t contig = 0;
    std::ptrdiff_t start = 0;
    std::string steps;
  };
  // Whether the ends of some bases are those of the read.
  struct Ends {
    bool left = false;
    bool right = false;
  };

  int edits_of(const std::string& read, const Path& path) const {
    int edits = 0;
    std::size_t i = 0;
    std::ptrdiff_t position = path.start;
    for (const char step : path.steps) {
      edits += step != 'M' || !same(read, i, path.contig, position);
      i += step != 'D';
      position += step != 'I';
    }
    return edits;
  }

  static std::size_t gaps_of(const std::string& steps) {
    std::size_t gaps = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      gaps += steps[k] != 'M' && (k == 0 || steps[k - 1] != steps[k]);
    }
    return gaps;
  }

  // Position minus base, of all bases that are not inserted.
  static std::vector<std::ptrdiff_t> diagonals_of(const Path& path) {
    std::vector<std::ptrdiff_t> diagonals;
    std::ptrdiff_t diagonal = path.start;
    for (const char step : path.steps) {
      if (step == 'M') {
        diagonals.push_back(diagonal);
      }
      diagonal += step == 'D' ? 1 : step == 'I' ? -1 : 0;
    }
    return diagonals;
  }

  static int gap_cost(std::size_t length) { return length == 0 ? 0 : std::min(6 + static_cast<int>(length), 15); }

  // The points by which alignments are compared: for a base that matches 2, for an N -2, for another one -8, for a gap
  // of n bases -1 - 2 min(6 + n, 15), for an end of the read 11. A base outside the contig: never.
  static constexpr int kNever = -1000000;
  int points_of_base(const std::string& read, std::size_t i, std::size_t contig, std::ptrdiff_t position) const {
    const bool outside = position < 0 || position >= std::ssize(contigs_[contig]);
    return outside ? kNever : same(read, i, contig, position) ? 2 : is_unknown(read, i) ? -2 : -8;
  }

  // The most points of a part of an alignment.
  int best_part(const std::string& read, const Path& path, const Ends& ends) const {
    int best = kNever;
    std::size_t base = 0;
    std::ptrdiff_t position = path.start;
    for (std::size_t first = 0; first < path.steps.size(); ++first) {
      int points = base == 0 && ends.left ? 11 : 0;
      std::size_t i = base;
      std::ptrdiff_t p = position;
      std::size_t gap = 0;
      for (std::size_t k = first; path.steps[first] == 'M' && k < path.steps.size(); ++k) {
        const char step = path.steps[k];
        const bool goes_on = k > first && path.steps[k - 1] == step;
        gap = step == 'M' ? 0 : goes_on ? gap + 1 : 1;
        points += step == 'M' ? points_of_base(read, i, path.contig, p)
                              : -2 * (gap_cost(gap) - gap_cost(gap - 1)) - (gap == 1 ? 1 : 0);
        points = std::max(points, 2 * kNever);
        i += step != 'D';
        p += step != 'I';
        if (step == 'M') {
          best = std::max(best, points + (i == read.size() && ends.right ? 11 : 0));
        }
      }
      base += path.steps[first] != 'D';
      position += path.steps[first] != 'I';
    }
    return best;
  }

  // Of an alignment: 5 for a mismatch, 2 for an N of the read, 1 for an inserted base, and what gaps cost.
  int penalty_of(const std::string& read, const Path& path) const {
    int penalty = 0;
    std::size_t i = 0;
    std::ptrdiff_t position = path.start;
    for (std::size_t k = 0; k < path.steps.size(); ++k) {
      const char step = path.steps[k];
      if (step != 'M' && (k == 0 || path.steps[k - 1] != step)) {
        penalty += gap_cost(std::min(path.steps.find_first_not_of(step, k), path.steps.size()) - k);
      }
      const int differs = is_unknown(read, i) ? 2 : 5;
      penalty += step == 'I' ? 1 : step == 'M' && !same(read, i, path.contig, position) ? differs : 0;
      i += step != 'D';
      position += step != 'I';
    }
    return penalty;
  }

  // A diagonal, up to `longest` beside those of a path, on which the first bases of the read make the smallest penalty,
  // if a gap follows them and then the rest of the path, and if this is smaller than that of the path. With `at_end`
  // the last bases. Of equal ones the one nearest to the path's diagonals, then the leftmost.
  std::optional<std::ptrdiff_t> better_diagonal(const std::string& read, const Path& path, bool at_end,
                                                std::ptrdiff_t longest) const {
    const std::vector<std::ptrdiff_t> diagonals = diagonals_of(path);
    const std::ptrdiff_t first = *std::min_element(diagonals.begin(), diagonals.end());
    const std::ptrdiff_t last = *std::max_element(diagonals.begin(), diagonals.end());
    std::optional<std::tuple<int, std::ptrdiff_t, std::ptrdiff_t>> best;
    for (std::ptrdiff_t diagonal = first - longest; diagonal <= last + longest; ++diagonal) {
      int least = penalty_of(read, path);
      const int of_path = least;
      std::size_t base = 0;
      std::ptrdiff_t position = path.start;
      for (std::size_t k = 0; k < path.steps.size(); ++k) {
        const std::ptrdiff_t here = position - static_cast<std::ptrdiff_t>(base);
        const std::ptrdiff_t gap = at_end ? diagonal - here : here - diagonal;  // deleted, or minus inserted bases
        const std::size_t inserted = gap < 0 ? static_cast<std::size_t>(-gap) : 0;
        const std::string of_gap(static_cast<std::size_t>(std::abs(gap)), gap > 0 ? 'D' : 'I');
        if (path.steps[k] == 'M' && gap != 0 && !at_end && base > inserted) {
          // The path from this base on, after the gap.
          const std::string steps = std::string(base - inserted, 'M') + of_gap + path.steps.substr(k);
          least = std::min(least, penalty_of(read, {path.contig, diagonal, steps}));
        }
        base += path.steps[k] != 'D';
        position += path.steps[k] != 'I';
        if (path.steps[k] == 'M' && gap != 0 && at_end && base + inserted < read.size()) {
          // The path up to this base, before the gap.
          const std::string steps =
              path.steps.substr(0, k + 1) + of_gap + std::string(read.size() - base - inserted, 'M');
          least = std::min(least, penalty_of(read, {path.contig, path.start, steps}));
        }
      }
      if (least < of_path) {
        const std::tuple rank(least, std::max({first - diagonal, diagonal - last, std::ptrdiff_t{0}}), diagonal);
        best = best ? std::min(*best, rank) : rank;
      }
    }
    return best ? std::optional(std::get<2>(*best)) : std::nullopt;
  }

  // The best alignment of some of the bases, where base i lies at the positions first + i .. last + i: it, its points,
  // and its first base. Of equal ones the one that ends first, then the one whose last gap is leftmost; a deletion goes
  // before an insertion; then the one that begins last.
  std::tuple<Path, int, std::ptrdiff_t> best_in_band(const std::string& read, std::size_t contig, std::ptrdiff_t first,
                                                     std::ptrdiff_t last, const Ends& ends) const {
    struct Way {
      int points = 2 * kNever;
      std::string steps;
      std::ptrdiff_t base = 0;  // the first one
      Way then(char step, int more) const { return {std::max(points + more, 2 * kNever), steps + step, base}; }
    };
    const auto diagonals = static_cast<std::size_t>(last - first + 1);
    // [d]: the best ways that end with a base on diagonal d, with a deletion, a long one, an insertion, a long one. Of
    // equal ones this order holds.
    using Ways = std::vector<std::array<Way, 5>>;
    Ways ways(diagonals);
    Way best;
    std::ptrdiff_t best_diagonal = 0;
    const auto into_gap = [](const Way& begins, const Way& longer) {
      return longer.points >= begins.points ? longer : begins;
    };
    for (std::size_t i = 0; i < read.size(); ++i) {
      Ways next(diagonals);
      for (std::size_t d = 0; d < diagonals; ++d) {
        Way from{i == 0 && ends.left ? 11 : 0, "", static_cast<std::ptrdiff_t>(i)};
        for (const Way& way : ways[d]) {
          from = way.points > from.points ? way : from;
        }
        const auto diagonal = first + static_cast<std::ptrdiff_t>(d);
        next[d][0] = from.then('M', points_of_base(read, i, contig, diagonal + static_cast<std::ptrdiff_t>(i)));
        if (d > 0) {
          next[d][1] = into_gap(next[d - 1][0].then('D', -15), next[d - 1][1].then('D', -2));
          next[d][2] = into_gap(next[d - 1][0].then('D', -31), next[d - 1][2].then('D', 0));
        }
        if (d + 1 < diagonals) {
          next[d][3] = into_gap(ways[d + 1][0].then('I', -15), ways[d + 1][3].then('I', -2));
          next[d][4] = into_gap(ways[d + 1][0].then('I', -31), ways[d + 1][4].then('I', 0));
        }
        const int points = next[d][0].points + (i + 1 == read.size() && ends.right ? 11 : 0);
        if (points > best.points) {
          best = next[d][0];
          best.points = points;
          best_diagonal = diagonal;
        }
      }
      ways = next;
    }
    const std::ptrdiff_t start = best_diagonal + best.base + std::count(best.steps.begin(), best.steps.end(), 'I') -
                                 std::count(best.steps.begin(), best.steps.end(), 'D');
    return {{contig, start, best.steps}, best.points, best.base};
  }

  // An alignment at whose right end something is joined; or backwards, for its left end.
  struct JoinedEnd {
    std::string read, text, steps;
    std::size_t base, start;
    std::size_t kept = 0;  // first steps, which stay
    int gain = 0;          // 15 less for each gap that was joined

    std::size_t base_end() const { return base + steps.size() - count('D'); }
    std::size_t text_end() const { return start + steps.size() - count('I'); }
    std::size_t count(char step) const {
      return static_cast<std::size_t>(std::count(steps.begin(), steps.end(), step));
    }
    void turn() {
      std::tie(base, start) = std::pair(read.size() - base_end(), text.size() - text_end());
      for (std::string* const letters : {&read, &text, &steps}) {
        std::reverse(letters->begin(), letters->end());
      }
    }
  };
  // Joins once, if a long gap gives more points than no gap. An end of 6 bases or more was left out; the part before
  // the gap has 15 bases or more, and ends at most 40 bases before or beyond the end of a run. Of gaps with equal
  // points the shortest, then the leftmost, then a deletion. Returns how many steps lie before the gap.
  std::optional<std::size_t> join_right(JoinedEnd& end, int longest, bool backwards) const {
    struct Part {
      std::string steps;
      std::size_t base, position;  // where it ends
      int points = 0;              // with gaps as events
      int score = 0;
    };
    const auto cost = [](std::size_t gap) { return gap == 0 ? 0 : std::min(6 + static_cast<int>(gap), 15); };
    const auto fits = [&](const Part& part) { return part.base < end.read.size() && part.position < end.text.size(); };
    const auto add = [&](Part& part, char step) {
      const std::size_t gap = part.steps.size() - (part.steps.find_last_not_of(step) + 1);  // its bases so far
      const bool lies = step == 'M';
      const int of_base = lies && match::letters_match(end.read[part.base], end.text[part.position], rule_) ? 1
                          : lies && is_unknown(end.read, part.base)                                         ? -1
                                                                                                            : -4;
      part.points += step == 'M' ? of_base : cost(gap) - cost(gap + 1);
      part.score += step == 'D' ? -5 : of_base;
      part.base += step != 'D';
      part.position += step != 'I';
      part.steps += step;
    };
    const auto of_end = [&](const Part& part) { return part.base == end.read.size() ? 5 : 0; };

    if (end.read.size() - end.base_end() < 6) {
      return std::nullopt;
    }
    std::vector<Part> parts;
    Part whole{"", end.base, end.start};
    for (std::size_t k = 0; k < end.steps.size(); ++k) {
      add(whole, end.steps[k]);
      Part part = whole;
      const bool ends_run = k + 1 == end.steps.size() || end.steps[k + 1] != 'M';
      for (int beyond = 0; end.steps[k] == 'M' && k >= end.kept; ++beyond) {
        parts.push_back(part);
        if (!ends_run || beyond == 40 || !fits(part)) {
          break;
        }
        add(part, 'M');
      }
    }
    std::erase_if(parts,
                  [&](const Part& part) { return part.base < end.base + 15 || part.base + 40 < end.base_end(); });
    int unbroken = whole.points;
    for (const Part& part : parts) {
      unbroken = std::max(unbroken, part.points + of_end(part));
    }
    std::optional<std::tuple<int, int, std::ptrdiff_t, bool>> best_rank;
    std::size_t before = 0;
    Part best;
    for (const Part& part : parts) {
      for (int gap = -longest; gap <= longest; ++gap) {
        if (gap == 0) {
          continue;
        }
        const auto bases = static_cast<std::size_t>(std::abs(gap));
        Part after{part.steps + std::string(bases, gap < 0 ? 'I' : 'D'), part.base + (gap < 0 ? bases : 0),
                   part.position + (gap < 0 ? 0 : bases), part.points - cost(std::max<std::size_t>(bases, 4)),
                   part.score - 15};
        Part longest_best = after;
        while (fits(after)) {
          add(after, 'M');
          if (after.points + of_end(after) >= longest_best.points + of_end(longest_best)) {
            longest_best = after;
          }
        }
        const int points = longest_best.points + of_end(longest_best);
        const auto base = static_cast<std::ptrdiff_t>(part.base);
        const std::tuple rank(-points, std::abs(gap), backwards ? -base : base, gap < 0);
        if (points > unbroken && (!best_rank || rank < *best_rank)) {
          best_rank = rank;
          before = part.steps.size();
          best = longest_best;
        }
      }
    }
    if (!best_rank) {
      return std::nullopt;
    }
    end.gain += best.score - whole.score;
    end.steps = best.steps;
    end.kept = best.steps.find_last_not_of('M') + 1;
    return before;
  }

  // Each gap, from the first one on, moves to the left as far as as many bases match; a base stays before it.
  void move_gaps_left(JoinedEnd& end) const {
    const auto matches = [&](const std::string& steps) {
      std::size_t base = end.base, position = end.start;
      int count = 0;
      for (const char step : steps) {
        count += step == 'M' && match::letters_match(end.read[base], end.text[position], rule_);
        base += step != 'D';
        position += step != 'I';
      }
      return count;
    };
    for (std::size_t k = 1; k < end.steps.size(); ++k) {
      const std::size_t after = end.steps.find('M', k);
      if (end.steps[k] == 'M' || end.steps[k - 1] != 'M' || after == std::string::npos) {
        continue;
      }
      const std::string gap = end.steps.substr(k, after - k);
      std::string moved = end.steps;
      for (std::size_t begin = k - 1; begin > 0 && end.steps[begin] == 'M' && end.steps[begin - 1] == 'M'; --begin) {
        std::string steps = end.steps.substr(0, begin) + gap + std::string(k - begin, 'M') + end.steps.substr(after);
        moved = matches(steps) == matches(end.steps) ? steps : moved;
      }
      k = after - 1;
      end.steps = moved;
    }
  }

  // What a gap costs beside its edits, where ends are trimmed: in all 6 and 1 for each base, but at most 15.
  static int extra(int bases, int points) { return std::min(6 + bases, 15) - points * bases; }

  static constexpr int kEditPoints = 5;  // in the penalty of a read that may be clipped

  void add_whole(ReadLoci& found) const {
    const auto length = static_cast<std::uint32_t>(found.strands.length());
    for (const bool reverse : {false, true}) {
      for (std::size_t c = 0; is_searched(reverse, found.second_mate) && c < contigs_.size(); ++c) {
        const std::string& bases = found.strands.bases[reverse];
        const auto is_end = [&](std::size_t end) { return !leans(bases.size(), c, end, found.max_edits); };
        for (const auto& place : gaps_ ? match::oracle_loci(bases, contigs_[c], found.max_edits, rule_, is_end)
                                       : places_without_gaps(bases, contigs_[c], found.max_edits)) {
          if (!is_end(place.end)) {
            continue;
          }
          add(found, place, {0, length, static_cast<std::uint32_t>(place.distance)}, reverse, c);
          if (gaps_) {
            add_placements(found, place, bases);
          }
        }
      }
    }
    found.next_known = !found.loci.empty() && found.best() / found.edit_points < found.max_edits;
  }

  // If the last locus has several placements, they take its place in found.loci.
  void add_placements(ReadLoci& found, const match::OracleLocus& run, const std::string& bases) const {
    const AlignedLocus whole = found.loci.back();
    const auto placements = oracle_placements(bases, contigs_[whole.contig], run, found.max_edits, rule_);
    if (placements.size() == 1) {
      return;
    }
    found.loci.pop_back();
    for (const OraclePlacement& placement : placements) {
      add(found, {placement.end, placement.last_end, placement.end, placement.distance},
          {0, whole.piece.end, static_cast<std::uint32_t>(placement.distance)}, whole.reverse, whole.contig);
      found.runs.pop_back();
      found.loci.back().run = whole.run;
    }
  }

  // Every end of the read in the text with so few mismatches is a locus.
  std::vector<match::OracleLocus> places_without_gaps(const std::string& read, const std::string& text,
                                                      int max_edits) const {
    std::vector<match::OracleLocus> places;
    for (std::size_t start = 0; start + read.size() <= text.size(); ++start) {
      int mismatches = 0;
      for (std::size_t i = 0; i < read.size(); ++i) {
        mismatches += !match::letters_match(read[i], text[start + i], rule_);
      }
      const std::size_t end = start + read.size();
      if (mismatches <= max_edits) {
        places.push_back({end, end, end, mismatches});
      }
    }
    return places;
  }

  std::size_t most_edits(std::size_t bases) const { return std::min(max_edits_.of(bases), 255u); }

  // e of a piece of so many bases, at least least_score() if it is not the whole read.
  std::size_t allowed_edits(std::size_t bases, std::size_t read_length) const {
    const std::size_t most = most_edits(bases);
    return bases == read_length ? most : std::min(most, (bases - std::size_t{clip_.least_score}) / kEditPoints);
  }

  void add_clipped(ReadLoci& found, std::size_t clip) const {
    const std::size_t length = found.strands.length();
    const auto max_edits = [&](std::size_t n) { return allowed_edits(n, length); };
    for (const bool reverse : {false, true}) {
      for (std::size_t c = 0; is_searched(reverse, found.second_mate) && c < contigs_.size(); ++c) {
        auto places = clipped_oracle(found.strands.bases[reverse], contigs_[c], clip, max_edits, rule_);
        std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) {
          return std::tie(a.end, a.piece.begin, a.piece.end) < std::tie(b.end, b.piece.begin, b.piece.end);
        });
        for (const ClippedOracleLocus& place : places) {
          if (leans(place.piece.length(), c, place.end, static_cast<int>(max_edits(place.piece.length())))) {
            continue;
          }
          add(found, {place.end, place.end + place.spread, place.end, static_cast<int>(place.piece.edits)}, place.piece,
              reverse, c);
        }
      }
    }
    found.strata = 1;
    // Whether every piece with a penalty up to one edit more is allowed.
    found.next_known = !found.loci.empty();
    for (std::size_t edits = 0; found.next_known && kEditPoints * edits <= most_next(found); ++edits) {
      const std::size_t bases = most_next(found) - kEditPoints * edits;
      found.next_known = bases <= clip && length - bases > edits && edits <= max_edits(length - bases);
    }
  }

  // Whether a read or piece of `length` bases that ends there leans on too many ambiguous bases.
  bool leans(std::size_t length, std::size_t contig, std::size_t end, int edits) const {
    return rule_ == match::AmbiguityRule::matches_its_set &&
           leans_on_ambiguous(contigs_[contig], end - std::min(end, length), end, length,
                              static_cast<std::size_t>(edits));
  }

  static std::size_t most_next(const ReadLoci& found) { return static_cast<std::size_t>(found.best() + kEditPoints); }

  void add(ReadLoci& found, const match::OracleLocus& place, const align::Piece& piece, bool reverse,
           std::size_t contig) const {
    AlignedLocus locus;
    static_cast<match::OracleLocus&>(locus) = place;
    locus.piece = piece;
    const auto left_out = static_cast<int>(found.strands.length() - piece.length());
    locus.penalty = left_out + found.edit_points * place.distance;
    locus.score = (clip_.on() ? static_cast<int>(found.strands.length()) : 0) - locus.penalty;
    locus.allowed = static_cast<int>(allowed_edits(piece.length(), found.strands.length()));
    locus.reverse = reverse;
    locus.contig = contig;
    align(locus, found.strands);
    locus.path_cost += clip_cost(found, locus);
    locus.edits_cost = cost_beside_chosen(locus, found.strands, found.average_cost);
    if (left_out > 0) {
      locus.chance_cost = 6 * static_cast<int>(piece.length()) - 20 * locus.distance - 20 - positions_cost();
    }
    locus.run = found.runs.size();
    found.loci.push_back(locus);
    found.runs.push_back(locus);
  }

  // 10 log10 of the positions of both strands.
  int positions_cost() const {
    std::size_t positions = 0;
    for (const std::string& contig : contigs_) {
      positions += 2 * contig.size();
    }
    return static_cast<int>(std::lround(10 * std::log10(static_cast<double>(positions))));
  }

  static std::string aligned_bases(const AlignedLocus& locus, const Strands& strands) {
    return strands.bases[locus.reverse].substr(locus.piece.begin, locus.piece.length());
  }
  // Of base i of the piece, beside this letter.
  int mismatch_cost(const AlignedLocus& locus, const Strands& strands, std::size_t i, char letter) const {
    return oracle_mismatch_cost(strands.quality(locus.reverse, locus.piece.begin + i),
                                damage_.on() ? damage_at(locus, strands, i, letter) : 0);
  }

  // Of base i from an end; from the 25th base on it is the same.
  double damage_rate(std::size_t i) const {
    double excess = damage_.first - damage_.interior;
    for (std::size_t k = 0; k < std::min<std::size_t>(i, 24); ++k) {
      excess *= 1 - damage_.decay;
    }
    return damage_.interior + excess;
  }
  // The mean of the costs of 25 bases of quality 30, weighted by their rates.
  int damage_cost() const {
    double costs = 0, rates = 0;
    for (std::size_t i = 0; i < 25; ++i) {
      costs += damage_rate(i) * oracle_mismatch_cost(30, damage_rate(i));
      rates += damage_rate(i);
    }
    return static_cast<int>(std::lround(costs / rates));
  }

  // As on the strand that was sequenced: C read as T at the 5' end; G read as A at the 3' end or, in a library of
  // single strands, C read as T at the nearer end.
  double damage_at(const AlignedLocus& locus, const Strands& strands, std::size_t i, char letter) const {
    const std::size_t last = strands.length() - 1;
    const std::size_t from_start = locus.reverse ? last - i : i;
    const char read = strands.bases[0][from_start];
    const char undamaged = locus.reverse ? sequence::complement_base(letter) : letter;
    const bool c_to_t = undamaged == 'C' && read == 'T';
    const bool g_to_a = undamaged == 'G' && read == 'A';
    const std::size_t nearer = std::min(from_start, last - from_start);
    const bool single = damage_.single_stranded;
    if (single ? !c_to_t : !c_to_t && !g_to_a) {
      return 0;
    }
    const std::size_t distance = single ? nearer : c_to_t ? from_start : last - from_start;
    return damage_rate(distance);
  }

  void align(AlignedLocus& locus, const Strands& strands) const {
    const std::string read = aligned_bases(locus, strands);
    const std::string& text = contigs_[locus.contig];
    const match::OracleAlignment alignment =
        gaps_ ? match::best_alignment(read, text, locus, rule_)
              : match::OracleAlignment{locus.end - read.size(), locus.end, std::string(read.size(), 'M')};
    describe(locus, strands, without_last_deletion(alignment));
  }

  static match::OracleAlignment without_last_deletion(match::OracleAlignment alignment) {
    while (alignment.steps.back() == 'D') {
      alignment.steps.pop_back();
      --alignment.end;
    }
    return alignment;
  }

  // Where ends are trimmed: whether base i of the read is one of those that cost 2, whatever they lie on.
  bool is_unknown(const std::string& read, std::size_t i) const {
    return rule_ == match::AmbiguityRule::matches_nothing && sequence::base_code(read[i]) == sequence::kAmbiguous;
  }

  void describe(AlignedLocus& locus, const Strands& strands, const match::OracleAlignment& alignment) const {
    const std::string read = aligned_bases(locus, strands);
    const std::string& text = contigs_[locus.contig];
    locus.start = alignment.start;
    locus.span = alignment.end - alignment.start;
    locus.steps = alignment.steps;
    locus.md.clear();
    locus.edits = 0;
    std::string operations(locus.piece.begin, 'S');  // of the CIGAR, one per step
    std::size_t matched = 0;
    std::size_t i = 0;
    std::size_t p = alignment.start;
    for (std::size_t k = 0; k < alignment.steps.size(); ++k) {
      const char step = alignment.steps[k];
      if (step == 'M') {
        // For NM, MD, = and X, two letters are equal only if both are the same letter of A, C, G, T.
        const bool equal = match::letters_match(read[i], text[p]);
        operations += !eqx_ ? 'M' : equal ? '=' : 'X';
        if (equal) {
          ++matched;
        } else {
          locus.md += std::to_string(matched) + text[p];
          matched = 0;
          locus.edits += 1;
          locus.path_cost +=
              match::letters_match(read[i], text[p], rule_) ? 0 : mismatch_cost(locus, strands, i, text[p]);
        }
      } else {
        operations += step;
        locus.edits += 1;
        locus.path_cost += k == 0 || alignment.steps[k - 1] != step ? 35 : 3;
        if (step == 'D') {
          if (k == 0 || alignment.steps[k - 1] != 'D') {
            locus.md += std::to_string(matched) + "^";
            matched = 0;
          }
          locus.md += text[p];
        }
      }
      i += step != 'D';
      p += step != 'I';
    }
    locus.md += std::to_string(matched);
    operations.append(strands.length() - locus.piece.end, 'S');
    locus.cigar = match::run_lengths(operations);
  }

  // The cost of the edits of a locus that was not chosen. If the read fits without a gap before the locus' leftmost
  // best end or a later one, with as many mismatches as the locus' distance, it is the cost of these mismatches. If it
  // fits before the leftmost best end with one gap, the longest one counts, and mismatches of average cost. Otherwise,
  // or if ambiguous bases match, it is unknown.
  std::optional<int> cost_beside_chosen(const AlignedLocus& locus, const Strands& strands, int average) const {
    if (rule_ != match::AmbiguityRule::matches_nothing) {
      return std::nullopt;
    }
    const std::string read = aligned_bases(locus, strands);
    const auto length = static_cast<int>(read.size());
    const auto differs = [&](int i, int position) {
      return !match::letters_match(read[static_cast<std::size_t>(i)],
                                   contigs_[locus.contig][static_cast<std::size_t>(position)]);
    };
    for (int start = static_cast<int>(locus.end) - length; start + length <= static_cast<int>(locus.run_end); ++start) {
      int mismatches = 0;
      int cost = 0;
      for (int i = 0; start >= 0 && i < length; ++i) {
        mismatches += differs(i, start + i);
        cost += differs(i, start + i) ? mismatch_cost(locus, strands, static_cast<std::size_t>(i),
                                                      contigs_[locus.contig][static_cast<std::size_t>(start + i)])
                                      : 0;
      }
      if (start >= 0 && mismatches == locus.distance) {
        return cost;
      }
    }
    const int right = static_cast<int>(locus.end) - length;  // where the last bases lie
    for (int gap = locus.distance; gap > 0; --gap) {
      for (const int shift : {-gap, gap}) {  // bases deleted, or inserted
        const int left = right + shift;
        const int inserted = std::max(shift, 0);
        int mismatches = 0;  // of the bases after the gap, where it is at the left end
        for (int i = inserted; left >= 0 && i < length; ++i) {
          mismatches += differs(i, right + i);
        }
        for (int split = 0; left >= 0 && split + inserted <= length; ++split) {
          if (gap + mismatches == locus.distance) {
            return 35 + 3 * (gap - 1) + mismatches * average;
          }
          if (split + inserted < length) {
            mismatches += differs(split, left + split) - differs(split + inserted, right + split + inserted);
          }
        }
      }
    }
    return std::nullopt;
  }

  const std::vector<std::string>& contigs_;
  map::NumberOrShare max_edits_;
  match::Strands searched_;
  bool mates_turned_;
  bool gaps_;
  map::ClipOptions clip_;
  align::DamageRates damage_;
  match::AmbiguityRule rule_;
  bool eqx_;
};

}  // namespace trawl::tests
