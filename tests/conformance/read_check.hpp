// Checks an engine's result for one read with the oracle. Used by the conformance tests and the fuzzer.
//
//   const ReadCheck check(contigs, options);
//   const std::string wrong = check.all(bases, alignments, r);   // "" if everything is right
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "align/alignment.hpp"
#include "map/options.hpp"
#include "sequence/alphabet.hpp"
#include "tests/alignment_oracle.hpp"
#include "tests/pattern_oracle.hpp"
#include "tests/placement_oracle.hpp"

namespace trawl::tests {

/// A locus as a record shows it. Sorted as in select(): by distance, then end, then strand.
struct Place {
  int distance = 0;
  std::size_t contig = 0;
  std::size_t end = 0;  // the leftmost of the locus' best ends: number of letters up to it
  bool reverse = false;
  std::size_t run_begin = 0;  // the locus' ends; an alignment may end at any of the best
  std::size_t run_end = 0;

  auto operator<=>(const Place&) const = default;
};

inline std::string text_of(const Place& p) {
  return std::string(p.reverse ? "-" : "+") + std::to_string(p.contig) + ":" + std::to_string(p.end) + "/" +
         std::to_string(p.distance);
}

inline std::string text_of(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places) {
    text += text_of(place) + " ";
  }
  return text;
}

class ReadCheck {
 public:
  /// `contigs`: in upper case, as given to make_reference().
  ReadCheck(const std::vector<std::string>& contigs, const map::Options& options)
      : contigs_(contigs),
        options_(options),
        rule_(options.ambiguous == map::Ambiguous::match ? match::AmbiguityRule::matches_its_set
                                                         : match::AmbiguityRule::matches_nothing) {}

  /// All loci of the read, sorted.
  std::vector<Place> loci(const std::string& bases) const {
    std::vector<Place> places;
    if (is_too_short(bases)) {
      return places;
    }
    const int edits = static_cast<int>(options_.allowed_edits(bases.size()));
    for (const bool reverse : {false, true}) {
      const std::string read = reverse ? sequence::reverse_complement(bases) : bases;
      for (std::size_t c = 0; c < contigs_.size(); ++c) {
        const auto is_end = [&](std::size_t end) {
          return rule_ == match::AmbiguityRule::matches_nothing ||
                 !tests::leans_on_ambiguous(contigs_[c], end - std::min(end, read.size()), end, read.size(),
                                            static_cast<std::size_t>(edits));
        };
        for (const auto& locus : match::oracle_loci(read, contigs_[c], edits, rule_, is_end)) {
          places.push_back({locus.distance, c, locus.end, reverse, locus.run_begin, locus.run_end});
        }
      }
    }
    std::sort(places.begin(), places.end());
    return places;
  }

  /// Says what is wrong with the result of read `r`, whose bases are `bases`.
  std::string all(const std::string& bases, const align::AlignmentBatch& batch, std::size_t r) const {
    return all(bases, loci(bases), batch, r);
  }

  std::string all(const std::string& bases, const std::vector<Place>& expected, const align::AlignmentBatch& batch,
                  std::size_t r) const {
    const align::ReadResult& result = batch.reads[r];
    if (std::string wrong = counts(bases, expected, result); !wrong.empty()) {
      return wrong;
    }
    std::vector<Place> found;
    for (std::size_t k = 0; k < result.count; ++k) {
      const align::Alignment& alignment = batch.alignments[result.first + k];
      const std::size_t end = alignment.start + alignment.span + dropped_deletion(bases, batch, alignment);
      const auto is_its_locus = [&](const Place& p) {
        return p.contig == alignment.contig && p.reverse == alignment.reverse && p.run_begin <= end && end <= p.run_end;
      };
      const auto locus = std::find_if(expected.begin(), expected.end(), is_its_locus);
      if (locus == expected.end()) {
        return "record " + std::to_string(k) + " ends at no locus";
      }
      Place part = *locus;
      const auto all_placements = k == 0 ? placements(bases, *locus, locus->distance) : std::vector<OraclePlacement>{};
      if (all_placements.size() > 1) {
        const auto its = std::find_if(all_placements.begin(), all_placements.end(), [&](const OraclePlacement& p) {
          return p.end <= end && end <= p.last_end && p.distance == alignment.distance;
        });
        if (its == all_placements.end()) {
          return "the primary record is no placement";
        }
        part.run_begin = its->end;
        part.run_end = its->last_end;
      }
      if (std::string wrong = record(bases, batch, alignment, part); !wrong.empty()) {
        return "record " + std::to_string(k) + ": " + wrong;
      }
      if (alignment.mapq > 60 || (alignment.mapq > 0 && (k > 0 || result.best_count > 1))) {
        return "record " + std::to_string(k) + " has mapping quality " + std::to_string(alignment.mapq);
      }
      found.push_back(*locus);
      found.back().distance = alignment.distance;
      const auto key = [](const align::Alignment& a) { return std::tuple(a.distance, a.contig, a.start, a.reverse); };
      if (k > 1 && key(alignment) < key(batch.alignments[result.first + k - 1])) {
        return "record " + std::to_string(k) + " is not in order";
      }
    }
    if (!found.empty()) {
      std::sort(found.begin() + 1, found.end());
    }
    return places(expected, found, result);
  }

 private:
  bool is_too_short(const std::string& bases) const {
    std::size_t positions = 0;
    for (const std::string& contig : contigs_) {
      positions += 2 * contig.size();
    }
    return tests::is_too_short(bases, options_.allowed_edits(bases.size()), positions, options_.gaps(),
                               rule_ == match::AmbiguityRule::matches_its_set);
  }

  std::string counts(const std::string& bases, const std::vector<Place>& expected,
                     const align::ReadResult& result) const {
    if (expected.empty()) {
      const auto why = is_too_short(bases) ? align::Unmapped::too_short : align::Unmapped::no_locus;
      return result.count != 0        ? "a record where no locus is"
             : result.unmapped != why ? "unmapped for the wrong reason"
             : result.best_count != 0 ? "loci counted where none are"
                                      : "";
    }
    const int best = expected.front().distance;
    std::uint32_t counts[2] = {0, 0};
    for (const Place& place : expected) {
      for (const OraclePlacement& placement : placements(bases, place, best + 1)) {
        counts[0] += placement.distance == best;
        counts[1] += placement.distance == best + 1;
      }
    }
    const auto of_distance = [&](int distance) { return counts[distance - best]; };
    if (result.best_count != of_distance(best)) {
      return "best_count " + std::to_string(result.best_count) + ", not " + std::to_string(of_distance(best));
    }
    const bool next_known = best < static_cast<int>(options_.allowed_edits(bases.size())) &&
                            (options_.report != map::Report::best || of_distance(best) <= 30);
    if (result.next_known != next_known) {
      return "next_known is wrong";
    }
    if (next_known && result.next_count != of_distance(best + 1)) {
      return "next_count " + std::to_string(result.next_count) + ", not " + std::to_string(of_distance(best + 1));
    }
    return "";
  }

  // Of a locus with at most `most` edits.
  std::vector<OraclePlacement> placements(const std::string& bases, const Place& place, int most) const {
    if (place.distance > most) {
      return {};
    }
    const match::OracleLocus locus{place.run_begin, place.run_end, place.end, place.distance};
    return oracle_placements(place.reverse ? sequence::reverse_complement(bases) : bases, contigs_[place.contig], locus,
                             static_cast<int>(options_.allowed_edits(bases.size())), rule_);
  }

  // The records are the expected loci: the primary one first, the others sorted.
  std::string places(std::vector<Place> expected, std::vector<Place> found, const align::ReadResult& result) const {
    if (expected.empty()) {
      return "";
    }
    const int best = expected.front().distance;
    const auto is_too_bad = [&](const Place& p) {
      return options_.report == map::Report::strata && p.distance > best + static_cast<int>(options_.strata);
    };
    expected.erase(std::remove_if(expected.begin(), expected.end(), is_too_bad), expected.end());
    const auto fail = [&](const char* what) {
      return std::string(what) + ": found " + text_of(found) + ", expected " + text_of(expected);
    };
    if (found.empty()) {
      return fail("no record");
    }
    const auto primary = std::find(expected.begin(), expected.end(), found.front());
    if (primary == expected.end() || primary->distance != best) {
      return fail("the primary record is no best locus");
    }
    std::rotate(expected.begin(), primary, primary + 1);
    if (options_.report == map::Report::best) {
      expected.resize(1);
    }
    const std::size_t wanted = expected.size();
    if (options_.max_hits > 0 && wanted > options_.max_hits) {
      // Which of the equal ones are left is the name's choice (checked by tests/read_oracle.hpp).
      const auto is_known = [&](const Place& p) {
        return std::find(expected.begin(), expected.end(), p) != expected.end();
      };
      if (!std::all_of(found.begin(), found.end(), is_known) ||
          std::adjacent_find(found.begin() + 1, found.end()) != found.end() ||
          std::find(found.begin() + 1, found.end(), found.front()) != found.end()) {
        return fail("the loci are wrong");
      }
      expected.resize(options_.max_hits);
      const auto same_distance = [](const Place& a, const Place& b) { return a.distance == b.distance; };
      if (std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same_distance)) {
        expected = found;
      }
    }
    if (result.dropped != wanted - expected.size()) {
      return fail("dropped is wrong");
    }
    return found == expected ? "" : fail("the loci are wrong");
  }

  // If an end leans on ambiguous letters that match, and is none, a deletion leads from there to the locus. It counts,
  // and is not in the record. Returns its length.
  std::size_t dropped_deletion(const std::string& bases, const align::AlignmentBatch& batch,
                               const align::Alignment& a) const {
    if (rule_ == match::AmbiguityRule::matches_nothing) {
      return 0;
    }
    const std::string read = a.reverse ? sequence::reverse_complement(bases) : bases;
    std::size_t i = 0, p = a.start, cost = 0;
    for (std::uint32_t c = 0; c < a.cigar_length; ++c) {
      const auto op = static_cast<align::CigarOp>(batch.cigar_of(a)[c] & 15u);
      for (std::size_t k = batch.cigar_of(a)[c] >> 4; k > 0; --k) {
        const bool is_gap = op == align::CigarOp::insertion || op == align::CigarOp::deletion;
        cost += is_gap || !match::letters_match(read.at(i), contigs_.at(a.contig).at(p), rule_);
        i += op != align::CigarOp::deletion;
        p += op != align::CigarOp::insertion;
      }
    }
    return a.distance - std::min<std::size_t>(cost, a.distance);
  }

  // Checks the part of the alignment rule that a single record shows. tests/record_oracle.hpp checks all of it.
  std::string record(const std::string& bases, const align::AlignmentBatch& batch, const align::Alignment& a,
                     const Place& locus) const {
    const std::string read = a.reverse ? sequence::reverse_complement(bases) : bases;
    if (a.contig >= contigs_.size() || a.start + a.span > contigs_[a.contig].size()) {
      return "outside of the contig";
    }
    const std::string_view text = contigs_[a.contig];
    std::size_t i = 0;
    std::size_t p = a.start;
    std::size_t edits = 0;
    std::size_t cost = 0;
    std::size_t matched = 0;
    bool has_gap = false;
    std::string md;
    const auto plain = [&](std::size_t x, std::size_t y) { return match::letters_match(read[x], text[y]); };
    const auto differ = [&](std::size_t x, std::size_t y) { return !match::letters_match(read[x], text[y], rule_); };
    const auto operation = [&](std::uint32_t c) { return static_cast<align::CigarOp>(batch.cigar_of(a)[c] & 15u); };
    for (std::uint32_t c = 0; c < a.cigar_length; ++c) {
      const std::size_t length = batch.cigar_of(a)[c] >> 4;
      const align::CigarOp op = operation(c);
      const bool is_gap = op == align::CigarOp::insertion || op == align::CigarOp::deletion;
      const std::size_t reads = op == align::CigarOp::deletion ? 0 : length;
      const std::size_t texts = op == align::CigarOp::insertion ? 0 : length;
      if (length == 0 || i + reads > read.size() || p + texts > text.size()) {
        return "a CIGAR that does not fit";
      }
      if (c > 0 && operation(c - 1) == op) {
        return "a CIGAR with two runs of the same operation";
      }
      if (is_gap) {
        has_gap = true;
        edits += length;
        cost += length;
        if (op == align::CigarOp::deletion) {
          if (c == 0 || c + 1 == a.cigar_length) {
            return "a deletion at the end of an alignment";
          }
          md += std::to_string(matched) + "^" + std::string(text.substr(p, length));
          matched = 0;
        } else if (c == 0 && a.start > 0) {
          return "a leading insertion where a mismatch costs no more";
        } else if (c + 1 == a.cigar_length && p < text.size() && rule_ == match::AmbiguityRule::matches_nothing) {
          return "a trailing insertion where a mismatch costs no more";
        }
        const bool after_pair =
            c > 0 && operation(c - 1) != align::CigarOp::insertion && operation(c - 1) != align::CigarOp::deletion;
        const bool would_lead = i == 1;  // moved left by one, it would be at the read's end
        if (after_pair && !would_lead && differ(i + reads - 1, p + texts - 1) <= differ(i - 1, p - 1)) {
          return "a gap that is not left-aligned";
        }
      } else {
        const bool named = op == align::CigarOp::equal || op == align::CigarOp::mismatch;
        if (named != options_.eqx || (!named && op != align::CigarOp::match)) {
          return "a CIGAR operation that was not asked for";
        }
        for (std::size_t k = 0; k < length; ++k) {
          const bool same = plain(i + k, p + k);
          if (named && same != (op == align::CigarOp::equal)) {
            return "= or X is wrong";
          }
          cost += differ(i + k, p + k);
          if (same) {
            ++matched;
          } else {
            ++edits;
            md += std::to_string(matched) + text[p + k];
            matched = 0;
          }
        }
      }
      i += reads;
      p += texts;
    }
    md += std::to_string(matched);
    if (i != read.size() || p != a.start + a.span) {
      return "a CIGAR of the wrong length";
    }
    if (cost + dropped_deletion(bases, batch, a) != a.distance) {
      return "the alignment costs " + std::to_string(cost) + ", not " + std::to_string(a.distance);
    }
    if (edits != a.edits || (rule_ == match::AmbiguityRule::matches_nothing && edits != a.distance)) {
      return "NM " + std::to_string(a.edits) + ", not " + std::to_string(edits);
    }
    if (md != batch.md_of(a)) {
      return "MD " + std::string(batch.md_of(a)) + ", not " + md;
    }
    return has_gap && fits_without_gap(read, text, locus) ? "gaps where none is needed" : "";
  }

  bool fits_without_gap(const std::string& read, std::string_view text, const Place& locus) const {
    for (std::size_t end = std::max(locus.run_begin, read.size()); end <= locus.run_end; ++end) {
      int mismatches = 0;
      for (std::size_t k = 0; k < read.size(); ++k) {
        mismatches += !match::letters_match(read[k], text[end - read.size() + k], rule_);
      }
      if (mismatches == locus.distance) {
        return true;
      }
    }
    return false;
  }

  const std::vector<std::string>& contigs_;
  map::Options options_;
  match::AmbiguityRule rule_;
};

}  // namespace trawl::tests
