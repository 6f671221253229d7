// The oracle of records: the SAM lines of a read. It is plain code, written from the documents (docs/user_guide.md,
// docs/algorithms.md, align/mapq.hpp), and does not use the code of any engine. Tests compare engines and writers with
// it.
//
//   const std::vector<std::string> contigs{"TTTTACGTAACCTTTT"};   // named contig0, contig1, ..
//   RecordOracle(contigs, {}).lines({"r1", "ACGTAACC", "IIIIIIII"})
//     == {"r1 0 contig0 5 34 8M * 0 0 ACGTAACC IIIIIIII NM:i:0 MD:Z:8 AS:i:0 NH:i:1 HI:i:1 X0:i:1"}, with tabs
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "map/options.hpp"
#include "match/alignment_oracle.hpp"
#include "match/levenshtein.hpp"
#include "sequence/alphabet.hpp"
#include "tests/conformance/map_reads.hpp"

namespace trawl::tests {

class RecordOracle {
 public:
  /// `contigs`: in upper case, as given to make_reference(). `read_group`: the ID for RG, or empty.
  RecordOracle(const std::vector<std::string>& contigs, const map::Options& options, std::string read_group = "",
               bool keep_unmapped = true)
      : contigs_(contigs),
        options_(options),
        rule_(options.ambiguous == map::Ambiguous::match ? match::AmbiguityRule::matches_its_set
                                                         : match::AmbiguityRule::matches_nothing),
        read_group_(std::move(read_group)),
        keep_unmapped_(keep_unmapped) {}

  /// The read's records without line ends, the primary one first. MAPQ is a sum over whole strata, so it is the same in
  /// every report.
  std::vector<std::string> lines(const Read& read) const {
    const Strands strands(read);
    const std::vector<Locus> loci = loci_of(strands);
    if (loci.empty()) {
      return keep_unmapped_ ? std::vector{unmapped(strands, read.name)} : std::vector<std::string>{};
    }
    const int best = std::min_element(loci.begin(), loci.end(), by_distance)->distance;
    const auto of_distance = [&](int distance) {
      return std::count_if(loci.begin(), loci.end(), [&](const Locus& l) { return l.distance == distance; });
    };
    const Locus& primary = primary_of(loci, best, static_cast<std::size_t>(of_distance(best)), read.name);

    // The primary record, then the others by distance, position (contig, then leftmost best end) and strand.
    std::vector<const Locus*> reported{&primary};
    if (options_.report != map::Report::best) {
      for (const Locus& locus : loci) {
        if (&locus != &primary &&
            (options_.report == map::Report::all || locus.distance <= best + static_cast<int>(options_.strata))) {
          reported.push_back(&locus);
        }
      }
      std::sort(reported.begin() + 1, reported.end(), [](const Locus* a, const Locus* b) {
        return std::tie(a->distance, a->contig, a->end, a->reverse) <
               std::tie(b->distance, b->contig, b->end, b->reverse);
      });
    }
    std::size_t dropped = 0;
    if (options_.max_hits > 0 && reported.size() > options_.max_hits) {
      dropped = reported.size() - options_.max_hits;
      reported.resize(options_.max_hits);
    }

    std::vector<std::string> out;
    for (std::size_t k = 0; k < reported.size(); ++k) {
      const Locus& locus = *reported[k];
      const Shown shown = show(locus, strands);
      // Only the primary record has a mapping quality, and only if no other locus is as good.
      const bool is_single_best = k == 0 && of_distance(best) == 1;
      const unsigned mapq = is_single_best ? mapq_of(locus, shown.cost, loci, strands) : 0;
      const int flag = (locus.reverse ? 0x10 : 0) + (k > 0 ? 0x100 : 0);
      std::string line = read.name + "\t" + std::to_string(flag) + "\tcontig" + std::to_string(locus.contig) + "\t" +
                         std::to_string(shown.start + 1) + "\t" + std::to_string(mapq) + "\t" + shown.cigar +
                         "\t*\t0\t0\t" + (k == 0 ? strands.sequence(locus.reverse) : "*\t*");
      line += "\tNM:i:" + std::to_string(shown.edits) + "\tMD:Z:" + shown.md;
      line += "\tAS:i:" + std::to_string(-locus.distance);
      line += "\tNH:i:" + std::to_string(reported.size()) + "\tHI:i:" + std::to_string(k + 1);
      line += "\tX0:i:" + std::to_string(of_distance(best));
      if (best < max_edits(strands)) {
        line += "\tX1:i:" + std::to_string(of_distance(best + 1));
      }
      if (dropped > 0) {
        line += "\tZD:i:" + std::to_string(dropped);
      }
      out.push_back(line + group_tag());
    }
    return out;
  }

 private:
  struct Locus : match::OracleLocus {
    bool reverse = false;
    std::size_t contig = 0;
  };

  // Both strands of a read. SAM does not have U, so it becomes T.
  struct Strands {
    explicit Strands(const Read& read) {
      bases[0] = read.bases;
      std::replace(bases[0].begin(), bases[0].end(), 'U', 'T');
      bases[1] = sequence::reverse_complement(bases[0]);
      qualities[0] = read.qualities;
      qualities[1].assign(read.qualities.rbegin(), read.qualities.rend());
    }
    std::size_t length() const { return bases[0].size(); }
    // SEQ and QUAL.
    std::string sequence(bool reverse) const {
      const auto or_star = [](const std::string& text) { return text.empty() ? "*" : text; };
      return or_star(bases[reverse]) + "\t" + or_star(qualities[reverse]);
    }
    unsigned quality(bool reverse, std::size_t i) const {
      return qualities[reverse].empty() ? 30 : static_cast<unsigned>(qualities[reverse][i] - '!');
    }

    std::string bases[2];
    std::string qualities[2];
  };

  // The alignment as a record shows it, and its Phred cost for the mapping quality.
  struct Shown {
    std::size_t start = 0;
    std::string cigar;
    std::string md;
    int edits = 0;
    int cost = 0;
  };

  static bool by_distance(const Locus& a, const Locus& b) { return a.distance < b.distance; }

  int max_edits(const Strands& strands) const { return static_cast<int>(options_.max_edits.of(strands.length())); }

  std::string group_tag() const { return read_group_.empty() ? "" : "\tRG:Z:" + read_group_; }

  std::string unmapped(const Strands& strands, const std::string& name) const {
    return name + "\t4\t*\t0\t0\t*\t*\t0\t0\t" + strands.sequence(false) + group_tag();
  }

  // The loci of the forward strand first; each strand's loci by contig and end.
  std::vector<Locus> loci_of(const Strands& strands) const {
    std::vector<Locus> loci;
    for (const bool reverse : {false, true}) {
      for (std::size_t c = 0; c < contigs_.size(); ++c) {
        for (const auto& locus : match::oracle_loci(strands.bases[reverse], contigs_[c], max_edits(strands), rule_)) {
          loci.push_back({locus, reverse, c});
        }
      }
    }
    return loci;
  }

  // Picks one of the best loci with the 64-bit FNV-1a hash of the name, whose upper half is XORed to the lower half.
  static const Locus& primary_of(const std::vector<Locus>& loci, int best, std::size_t best_count,
                                 const std::string& name) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : name) {
      hash ^= static_cast<unsigned char>(c);
      hash *= 1099511628211u;
    }
    hash ^= hash >> 32;
    std::vector<const Locus*> equals;
    for (const Locus& locus : loci) {
      if (locus.distance == best) {
        equals.push_back(&locus);
      }
    }
    return *equals[hash % best_count];
  }

  Shown show(const Locus& locus, const Strands& strands) const {
    const std::string& read = strands.bases[locus.reverse];
    const std::string& text = contigs_[locus.contig];
    const match::OracleAlignment alignment = match::best_alignment(read, text, locus, rule_);
    Shown shown;
    shown.start = alignment.start;
    std::string operations;  // of the CIGAR, one per step
    std::size_t matched = 0;
    std::size_t i = 0;
    std::size_t p = alignment.start;
    for (std::size_t k = 0; k < alignment.steps.size(); ++k) {
      const char step = alignment.steps[k];
      if (step == 'M') {
        // For NM, MD, = and X, two letters are equal only if both are the same letter of A, C, G, T.
        const bool equal = match::letters_match(read[i], text[p]);
        operations += !options_.eqx ? 'M' : equal ? '=' : 'X';
        if (equal) {
          ++matched;
        } else {
          shown.md += std::to_string(matched) + text[p];
          matched = 0;
          shown.edits += 1;
          shown.cost += mismatch_cost(strands.quality(locus.reverse, i));
        }
      } else {
        operations += step;
        shown.edits += 1;
        shown.cost += kGapCost;
        if (step == 'D') {
          if (k == 0 || alignment.steps[k - 1] != 'D') {
            shown.md += std::to_string(matched) + "^";
            matched = 0;
          }
          shown.md += text[p];
        }
      }
      i += step != 'D';
      p += step != 'I';
    }
    shown.md += std::to_string(matched);
    for (std::size_t k = 0; k < operations.size();) {
      const std::size_t next = std::min(operations.find_first_not_of(operations[k], k), operations.size());
      shown.cigar += std::to_string(next - k) + operations[k];
      k = next;
    }
    return shown;
  }

  static constexpr int kGapCost = 35;  // for each inserted or deleted base

  // A mismatch at quality Q is a sequencing error or a variant (1 in 1,000); each gives one of three letters.
  static int mismatch_cost(unsigned quality) {
    return static_cast<int>(std::lround(-10 * std::log10((std::pow(10.0, quality / -10.0) + 0.001) / 3)));
  }

  // In Phred units, rounded down.
  static int average_cost(const Strands& strands) {
    int sum = 0;
    for (std::size_t i = 0; i < strands.length(); ++i) {
      sum += mismatch_cost(strands.quality(false, i));
    }
    return sum / static_cast<int>(strands.length());
  }

  // The cost of a locus that was not chosen. If the read fits without a gap before the locus' leftmost best end, with
  // as many mismatches as the locus' distance, it is the cost of these mismatches. Otherwise it is the distance times
  // the average. If ambiguous bases match, it is always the latter.
  int cost_beside_chosen(const Locus& locus, const Strands& strands, int average) const {
    const std::string& read = strands.bases[locus.reverse];
    if (rule_ == match::AmbiguityRule::matches_nothing && locus.end >= read.size()) {
      int mismatches = 0;
      int cost = 0;
      for (std::size_t i = 0; i < read.size(); ++i) {
        if (!match::letters_match(read[i], contigs_[locus.contig][locus.end - read.size() + i])) {
          ++mismatches;
          cost += mismatch_cost(strands.quality(locus.reverse, i));
        }
      }
      if (mismatches == locus.distance) {
        return cost;
      }
    }
    return locus.distance * average;
  }

  // The weight of a locus that costs `extra` more than the chosen one, whose weight is 2^32. Never more than that; 0 if
  // it would be less than 1. Weights are whole numbers, so that their sum does not depend on the order.
  static std::uint64_t weight(int extra) {
    const double exact = std::ldexp(std::pow(10.0, -0.1 * extra), 32);
    return extra <= 0 ? std::uint64_t{1} << 32 : exact < 1 ? 0 : static_cast<std::uint64_t>(std::llround(exact));
  }

  // Compares the chosen locus with all others that are up to two edits worse, and with one more locus that may lie
  // beyond the allowed distance: it has one edit more than allowed, and each edit has average cost.
  unsigned mapq_of(const Locus& chosen, int cost, const std::vector<Locus>& loci, const Strands& strands) const {
    const int average = average_cost(strands);
    std::uint64_t others = weight((max_edits(strands) + 1) * average - cost);
    for (const Locus& locus : loci) {
      const bool is_chosen =
          locus.reverse == chosen.reverse && locus.contig == chosen.contig && locus.end == chosen.end;
      if (!is_chosen && locus.distance <= chosen.distance + 2) {
        others += weight(cost_beside_chosen(locus, strands, average) - cost);
      }
    }
    const double error = static_cast<double>(others) / (static_cast<double>(others) + std::ldexp(1.0, 32));
    unsigned mapq = 60;  // the largest one whose error rate is not below `error`
    while (mapq > 0 && error > std::pow(10.0, -0.1 * mapq)) {
      --mapq;
    }
    return mapq;
  }

  const std::vector<std::string>& contigs_;
  map::Options options_;
  match::AmbiguityRule rule_;
  std::string read_group_;
  bool keep_unmapped_;
};

}  // namespace trawl::tests
