// Reads whose ends do not belong, where those that fit well as a whole are trimmed and the others are clipped
// (align::ClipWhen::poor), as `trawl map --report best` does by default: the oracle, and random reads and options.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "align/cigar.hpp"
#include "clip/chain_records.hpp"
#include "clip/mate_overlap.hpp"
#include "tests/conformance/map_pairs.hpp"
#include "tests/pair_oracle.hpp"
#include "tests/random_cases.hpp"
#include "tests/read_oracle.hpp"

namespace trawl::tests {

/// What was met, so that a test can tell that its cases are hostile enough.
struct PoorCounts {
  std::size_t whole = 0;
  std::size_t trimmed = 0;
  std::size_t poor = 0;
  std::size_t poor_elsewhere = 0;  // and its piece is at another place
  std::size_t unmapped_whole = 0;
  std::size_t trimmed_with_gap = 0;
  std::size_t concordant = 0;
  std::size_t beside_poor = 0;  // mates that fit well, of such that do not
  std::size_t trimmed_pieces = 0;
  std::size_t widened = 0;
  std::size_t beyond = 0;         // widened to more edits than e
  std::size_t near_unmapped = 0;  // mates found near their mates, which had no place
  std::size_t near_poor = 0;      // and those which had one
  std::size_t near_later = 0;     // which are first looked for by their words
  std::size_t rivals = 0;         // and another place made them less sure
  std::size_t settled = 0;        // whole reads whose gaps are settled
  std::size_t in_array = 0;       // pieces in tandem repeats, which are not compared
  std::size_t by_words = 0;       // placed where words match
  std::size_t beside_words = 0;   // and there was another place
};

inline map::Options with_clipping(map::Options options, align::ClipWhen when) {
  options.clip.when = when;
  return options;
}

// A piece near the mate: of equal scores the longer one is better.
struct ScoredPiece {
  int score = 0;
  std::size_t bases = 0;
  std::size_t read_end = 0;
  std::size_t unknown = 0;  // bases of it that are N

  std::size_t edits() const { return (bases - 2 * unknown - static_cast<std::size_t>(score)) / 5; }
  align::Piece piece() const {
    return {static_cast<std::uint32_t>(read_end - bases), static_cast<std::uint32_t>(read_end),
            static_cast<std::uint32_t>(edits())};
  }
  bool is_better_than(const ScoredPiece& other) const {
    return score > other.score || (score == other.score && bases > other.bases);
  }
};

// [p]: the best piece whose alignment ends after position p of the text.
inline std::vector<ScoredPiece> best_pieces(const std::string& read, std::string_view text) {
  std::vector<ScoredPiece> best(text.size());
  std::vector<ScoredPiece> before(read.size() + 1);
  for (std::size_t p = 0; p < text.size(); ++p) {
    std::vector<ScoredPiece> now(read.size() + 1);
    for (std::size_t i = 1; i <= read.size(); ++i) {
      const std::size_t unknown = sequence::base_code(read[i - 1]) == sequence::kAmbiguous ? 1 : 0;
      const int step = match::letters_match(read[i - 1], text[p]) ? 1 : unknown > 0 ? -1 : -4;
      const int inserted = unknown > 0 ? -6 : -4;
      for (const ScoredPiece& way :
           {ScoredPiece{before[i - 1].score + step, before[i - 1].bases + 1, i, before[i - 1].unknown + unknown},
            ScoredPiece{before[i].score - 5, before[i].bases, i, before[i].unknown},
            ScoredPiece{now[i - 1].score + inserted, now[i - 1].bases + 1, i, now[i - 1].unknown + unknown}}) {
        if (way.is_better_than(now[i])) {
          now[i] = way;
        }
      }
      if (now[i].is_better_than(best[p])) {
        best[p] = now[i];
      }
    }
    before = now;
  }
  return best;
}

// The best score of all pieces where a gap costs 6 and 1 for each base, and inserted bases count nothing; and the first
// and last position where the alignment of such a piece ends.
struct EventScore {
  int score = 0;
  std::size_t first = 0, last = 0;
};

inline EventScore best_with_events(const std::string& read, std::string_view text) {
  EventScore best;
  struct Cell {
    int any = 0, deleted = 0, inserted = 0;
  };
  std::vector<Cell> before(read.size() + 1);
  for (std::size_t p = 0; p < text.size(); ++p) {
    std::vector<Cell> now(read.size() + 1);
    int here = 0;
    for (std::size_t i = 1; i <= read.size(); ++i) {
      const bool unknown = sequence::base_code(read[i - 1]) == sequence::kAmbiguous;
      const int step = match::letters_match(read[i - 1], text[p]) ? 1 : unknown ? -1 : -4;
      now[i].deleted = std::max(before[i].any - 7, before[i].deleted - 1);
      now[i].inserted = std::max(now[i - 1].any - 7, now[i - 1].inserted - 1);
      now[i].any = std::max({0, before[i - 1].any + step, now[i].deleted, now[i].inserted});
      here = std::max(here, now[i].any);
    }
    before = now;
    if (here > best.score) {
      best = {here, p, p};
    } else if (here == best.score) {
      best.last = p;
    }
  }
  return best;
}

// The best piece where the best score lies, and the position where its alignment ends.
struct LocalBest {
  int score = 0;  // with gaps as events
  ScoredPiece piece;
  std::size_t last = 0;
};

inline LocalBest best_piece(const std::string& read, std::string_view text) {
  const EventScore events = best_with_events(read, text);
  LocalBest best{events.score, {}, 0};
  if (events.score > 0) {
    const std::size_t reach = read.size() + read.size() / 5;
    const std::size_t from = events.first + 1 - std::min(events.first + 1, reach);
    const auto pieces = best_pieces(read, text.substr(from, events.last + 1 - from));
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      if (pieces[p].is_better_than(best.piece)) {
        best.piece = pieces[p];
        best.last = from + p;
      }
    }
  }
  return best;
}

// The rule, made of the oracles of whole reads, of reads that fit nowhere as a whole, and of reads that are always
// searched for pieces.
class PoorOracle {
 public:
  PoorOracle(const std::vector<std::string>& contigs, const map::Options& options)
      : contigs_(contigs),
        options_(options),
        whole_(contigs, with_clipping(options, align::ClipWhen::poor), true),
        unmapped_(contigs, with_clipping(options, align::ClipWhen::unmapped), true),
        always_(contigs, with_clipping(options, align::ClipWhen::always), true) {}

  std::string single(const Read& read, PoorCounts& seen) const {
    const ReadLoci whole = whole_.find(read);
    if (whole.loci.empty()) {
      ++seen.unmapped_whole;
      const ReadLoci pieces = pieces_of_unmapped(read);
      const auto placed = pieces.loci.empty() && !pieces.is_too_short() ? placed_by_words(read, seen) : std::nullopt;
      return placed
                 ? "1,?,0,0\n" + text_of(trimmed_piece(read, placed->locus, seen)) + " q" + std::to_string(placed->mapq)
                 : text_of_changed(read, pieces, seen);
    }
    const SingleSelection selection = select_single(whole, options_.report_rule());
    if (is_poor(whole, *selection.reported.front(), selection.mapq, whole.best_count(), whole.next_count())) {
      const ReadLoci pieces = always_.find(read);
      note_poor(pieces, *selection.reported.front(), seen);
      return text_of_changed(read, pieces, seen);
    }
    return text_of_changed(read, whole, seen);
  }

  std::string pair(const Mates& mates, const align::InsertModel& inserts, PoorCounts& seen) const {
    const Read* const reads[2] = {&mates.first, &mates.second};
    ReadLoci loci[2] = {whole_.find(mates.first), whole_.find(mates.second)};
    const PairOracle pairs(options_, inserts);
    ExpectedPair expected = pairs.expect(loci[0], loci[1]);
    bool again = expected.kind == align::PairKind::unmapped || expected.kind == align::PairKind::one_end;
    bool poor[2] = {false, false};
    for (std::size_t m = 0; m < 2; ++m) {
      const AlignedLocus* const primary = primary_of(expected, m);
      const ExpectedMate& mate = expected.mates[m];
      poor[m] = primary != nullptr && is_poor(loci[m], *primary, mate.mapq, mate.best_count, mate.next_count);
      again = again || poor[m];
    }
    for (std::size_t m = 0; again && m < 2; ++m) {
      if (poor[m]) {
        note_poor(always_.find(*reads[m]), *primary_of(expected, m), seen);
        loci[m] = always_.find(*reads[m]);
        seen.beside_poor += !poor[1 - m] && !loci[1 - m].loci.empty();
      } else if (loci[m].loci.empty()) {
        ++seen.unmapped_whole;
        loci[m] = pieces_of_unmapped(*reads[m]);
      }
    }
    if (again) {
      expected = pairs.expect(loci[0], loci[1]);
    }
    seen.concordant += !expected.pairs.empty();
    AlignedLocus changed[2];
    for (std::size_t m = 0; m < 2; ++m) {
      const AlignedLocus* const primary = primary_of(expected, m);
      if (primary == nullptr) {
        continue;
      }
      changed[m] = widened(*reads[m], trimmed_or_settled(loci[m], *primary, seen), seen);
      put_primary(expected, m, changed[m]);
    }
    AlignedLocus near;
    bool is_later = false;
    for (std::size_t m = 0; expected.pairs.empty() && m < 2; ++m) {
      is_later = !find_near(*reads[m], m, inserts, expected, near, seen, true) || is_later;
    }
    std::optional<Placed> placed[2];
    for (std::size_t m = 0; m < 2; ++m) {
      const ExpectedMate& mate = expected.mates[m];
      if (primary_of(expected, m) == nullptr && mate.best_count == 0 && !mate.too_short) {
        placed[m] = placed_by_words(*reads[m], seen);
      }
    }
    AlignedLocus near_placed;
    if (placed[0] || placed[1]) {
      put_placed(*reads[0], inserts, placed, expected);
    }
    for (std::size_t m = 0; (is_later || placed[0] || placed[1]) && expected.pairs.empty() && m < 2; ++m) {
      find_near(*reads[m], m, inserts, expected, near_placed, seen, false);
    }
    AlignedLocus last[2];
    for (std::size_t m = 0; m < 2; ++m) {
      if (const AlignedLocus* const primary = primary_of(expected, m)) {
        last[m] = trimmed_piece(*reads[m], *primary, seen);
        put_primary(expected, m, last[m]);
      }
    }
    if (!expected.pairs.empty()) {
      const OraclePair& first = expected.pairs.front();
      expected.pairs.front().insert = std::max(first.mates[0]->stop(), first.mates[1]->stop()) -
                                      std::min(first.mates[0]->start, first.mates[1]->start);
    }
    return text_of(expected);
  }

 private:
  static void put_primary(ExpectedPair& pair, std::size_t m, const AlignedLocus& locus) {
    (pair.pairs.empty() ? pair.mates[m].alone.front() : pair.pairs.front().mates[m]) = &locus;
  }

  // Reads with 3 N or more, beside those at their ends, are only placed by their words.
  ReadLoci pieces_of_unmapped(const Read& read) const {
    ReadLoci found = unmapped_.find(read);
    std::string inner = read.bases;
    while (!inner.empty() && is_unknown(inner.back())) {
      inner.pop_back();
    }
    while (!inner.empty() && is_unknown(inner.front())) {
      inner.erase(inner.begin());
    }
    if (std::count_if(inner.begin(), inner.end(), is_unknown) >= 3) {
      found.loci.clear();
      found.next_known = false;
    }
    return found;
  }

  static bool is_unknown(char letter) { return sequence::base_code(letter) == sequence::kAmbiguous; }

  // A read placed where words of it match, and the quality.
  struct Placed {
    AlignedLocus locus;
    int mapq = 0;
  };

  struct WordHit {
    std::size_t contig;
    std::ptrdiff_t diagonal;
    std::size_t word;
    auto operator<=>(const WordHit&) const = default;
  };

  struct WordStretch {
    std::size_t contig;
    std::size_t begin, end;
    bool reverse;
    std::size_t words;
  };

  // Where a word occurs; occurrences at neighbouring positions are one.
  std::vector<std::pair<std::size_t, std::size_t>> places_of(const std::string& word) const {
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t c = 0; c < contigs_.size(); ++c) {
      std::size_t before = std::string::npos;
      for (std::size_t at = contigs_[c].find(word); at != std::string::npos; at = contigs_[c].find(word, at + 1)) {
        if (before == std::string::npos || at != before + 1) {
          places.emplace_back(c, at);
        }
        before = at;
      }
    }
    return places;
  }

  std::vector<WordStretch> stretches_of(const Strands& strands) const {
    const std::size_t length = strands.length();
    // The first base and the length of each word: 20 bases, each 4 bases after the one before. Between two N, or an N
    // and an end of the read, the words begin anew, and 16 bases are enough for one.
    std::vector<std::pair<std::size_t, std::size_t>> words_of_read;
    for (std::size_t begin = 0; begin < length;) {
      std::size_t end = begin;
      while (end < length && !is_unknown(strands.bases[0][end])) {
        ++end;
      }
      if (end - begin < 20 && end - begin >= 16 && end - begin < length) {
        words_of_read.emplace_back(begin, end - begin);
      }
      for (; begin + 20 <= end; begin += 4) {
        words_of_read.emplace_back(begin, 20);
      }
      begin = end + 1;
    }
    const auto apart = static_cast<std::ptrdiff_t>(length / 5);
    std::vector<WordHit> hits[2];
    for (const auto& [i, word_length] : words_of_read) {
      const std::size_t at[2] = {i, length - i - word_length};
      std::vector<std::pair<std::size_t, std::size_t>> places[2];
      for (const bool reverse : {false, true}) {
        const std::string word = strands.bases[reverse].substr(at[reverse], word_length);
        if (word.find_first_not_of("ACGT") == std::string::npos) {
          places[reverse] = places_of(word);
        }
      }
      if (places[0].size() + places[1].size() <= 100) {
        for (const bool reverse : {false, true}) {
          for (const auto& [contig, start] : places[reverse]) {
            hits[reverse].push_back(
                {contig, static_cast<std::ptrdiff_t>(start) - static_cast<std::ptrdiff_t>(at[reverse]), i});
          }
        }
      }
    }
    std::vector<WordStretch> stretches;
    for (const bool reverse : {false, true}) {
      std::sort(hits[reverse].begin(), hits[reverse].end());
      for (auto first = hits[reverse].begin(); first != hits[reverse].end();) {
        std::set<std::size_t> words{first->word};
        auto last = first;
        while (last + 1 != hits[reverse].end() && last[1].contig == first->contig &&
               last[1].diagonal - last->diagonal <= apart) {
          ++last;
          words.insert(last->word);
        }
        const std::string& contig = contigs_[first->contig];
        const auto begin = std::max<std::ptrdiff_t>(0, first->diagonal - apart);
        const auto end = std::min(std::ssize(contig), last->diagonal + static_cast<std::ptrdiff_t>(length) + apart);
        stretches.push_back(
            {first->contig, static_cast<std::size_t>(begin), static_cast<std::size_t>(end), reverse, words.size()});
        first = last + 1;
      }
    }
    std::stable_sort(stretches.begin(), stretches.end(),
                     [](const WordStretch& a, const WordStretch& b) { return a.words > b.words; });
    return stretches;
  }

  // The best score of a piece in [begin, end) of a contig.
  int best_score(const std::string& strand, std::size_t contig, std::size_t begin, std::size_t end) const {
    return begin < end ? best_with_events(strand, std::string_view(contigs_[contig]).substr(begin, end - begin)).score
                       : 0;
  }

  std::optional<Placed> placed_by_words(const Read& read, PoorCounts& seen) const {
    constexpr std::size_t kMost = 4;
    const Strands strands(read);
    const std::vector<WordStretch> stretches = stretches_of(strands);
    struct Candidate {
      int score = 0;  // with gaps as events
      ScoredPiece piece;
      std::size_t stop = 0;     // where its alignment ends
      std::size_t forward = 0;  // where the piece begins in the read as it is in the file
    };
    std::vector<Candidate> found;
    std::size_t best = 0;
    for (std::size_t k = 0; k < std::min(kMost, stretches.size()); ++k) {
      const WordStretch& s = stretches[k];
      const auto [score, piece, last] =
          best_piece(strands.bases[s.reverse], std::string_view(contigs_[s.contig]).substr(s.begin, s.end - s.begin));
      found.push_back({score, piece, s.begin + last + 1,
                       s.reverse ? strands.length() - piece.read_end : piece.read_end - piece.bases});
      best = std::pair(score, piece.bases) > std::pair(found[best].score, found[best].piece.bases) ? k : best;
    }
    if (found.empty() || found[best].score < std::max(20, static_cast<int>(options_.clip.least_score))) {
      return std::nullopt;
    }
    ++seen.by_words;
    const WordStretch& s = stretches[best];
    const Candidate& chosen = found[best];
    Placed placed{whole_.locus_of(read, chosen.piece.piece(), s.contig, chosen.stop, s.reverse), 0};
    const AlignedLocus& locus = placed.locus;
    int rival = stretches.size() > kMost && stretches[kMost].words >= s.words ? chosen.score : 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Candidate& other = found[k];
      const bool same_place = stretches[k].reverse == s.reverse && stretches[k].contig == s.contig &&
                              other.stop > locus.start &&
                              other.stop < chosen.stop + other.piece.bases + other.piece.edits();
      const std::size_t begin = std::max(chosen.forward, other.forward);
      const std::size_t end = std::min(chosen.forward + chosen.piece.bases, other.forward + other.piece.bases);
      if (!same_place && end > begin && 2 * (end - begin) >= std::min(chosen.piece.bases, other.piece.bases)) {
        rival = std::max(rival, other.score);
      }
    }
    const std::string strand = strands.bases[s.reverse].substr(locus.piece.begin, locus.piece.length());
    rival = std::max(
        {rival, best_score(strand, s.contig, s.begin, locus.start), best_score(strand, s.contig, chosen.stop, s.end)});
    seen.beside_words += rival > 0;
    std::size_t positions = 0;
    for (const std::string& contig : contigs_) {
      positions += 2 * contig.size();
    }
    const int by_chance = 6 * static_cast<int>(chosen.piece.bases - chosen.piece.unknown) -
                          20 * static_cast<int>(chosen.piece.edits()) - 20 -
                          static_cast<int>(std::lround(10 * std::log10(static_cast<double>(positions))));
    placed.locus = settled(strands, placed.locus);
    const int length = static_cast<int>(strands.length());
    const int bases = static_cast<int>(std::count(locus.steps.begin(), locus.steps.end(), 'M'));
    const int unknown = whole_.unknown_of(strands, placed.locus);
    const int score = placed.locus.score + 2 * unknown;
    const bool fits = 4 * (bases - score) <= bases && 2 * bases >= length;
    int most = std::min(60, fits ? bases - 20 : (300 * score / length + score) / 5 - 23);
    if (unknown > 0 && placed.locus.piece.length() == strands.length() &&
        placed.locus.distance - unknown <= static_cast<int>(options_.max_edits.of(strands.length()))) {
      most = 60;
    }
    placed.mapq = std::max(0, std::min({by_chance, 6 * (chosen.score - rival), most}));
    return placed;
  }

  // Puts mates that were placed by their words into a pair.
  void put_placed(const Read& read, const align::InsertModel& inserts, const std::optional<Placed> (&placed)[2],
                  ExpectedPair& expected) const {
    for (std::size_t m = 0; m < 2; ++m) {
      if (placed[m]) {
        expected.mates[m] = {};
        expected.mates[m].best_count = 1;
        expected.mates[m].mapq = static_cast<unsigned>(placed[m]->mapq);
        expected.mates[m].alone = {&placed[m]->locus};
      }
    }
    const AlignedLocus* const primaries[2] = {primary_of(expected, 0), primary_of(expected, 1)};
    if (primaries[0] == nullptr || primaries[1] == nullptr) {
      expected.kind = align::PairKind::one_end;
      return;
    }
    ReadLoci both[2] = {whole_.find(read), whole_.find(read)};
    both[0].loci = {*primaries[0]};
    both[1].loci = {*primaries[1]};
    expected.kind = align::PairKind::discordant;
    if (!PairOracle(options_, inserts).concordant_pairs(both[0], both[1]).empty()) {
      OraclePair pair;
      pair.mates[0] = primaries[0];
      pair.mates[1] = primaries[1];
      expected.kind = align::PairKind::concordant;
      expected.pairs = {pair};
      expected.mates[0].alone.clear();
      expected.mates[1].alone.clear();
    } else if (options_.pairs.discordant == align::Discordant::never) {
      const std::size_t dropped = placed[0] ? 0 : 1;
      expected.mates[dropped] = {};
      expected.kind = align::PairKind::one_end;
    }
  }

  AlignedLocus settled(const Strands& strands, const AlignedLocus& locus) const {
    AlignedLocus changed = whole_.settled(strands, locus, strands.length());
    changed.score = whole_.event_score(strands, changed);
    return changed;
  }
  // A locus that leaves out bases is settled once more.
  AlignedLocus settled_piece(const Strands& strands, const AlignedLocus& locus) const {
    return locus.piece.length() < strands.length() ? settled(strands, locus) : locus;
  }

  // A piece, trimmed once more, with its last score.
  AlignedLocus trimmed_piece(const Read& read, const AlignedLocus& locus, PoorCounts& seen) const {
    AlignedLocus changed = locus;
    if (locus.piece.length() < read.bases.size()) {
      changed = whole_.trimmed({read.name, Strands(read), 0, 0, 1, 2, {}, {}, false, false}, locus, read.bases.size());
    }
    const Strands strands(read);
    changed = locus.piece.length() < read.bases.size() ? whole_.reaching_ends(strands, changed) : changed;
    changed.score = whole_.event_score(strands, changed);
    seen.trimmed_pieces += changed.piece != locus.piece;
    return changed;
  }

  // The text of a read with another primary alignment.
  std::string with_primary(const ReadLoci& read, const AlignedLocus& primary, const AlignedLocus& changed) const {
    std::string text = text_of_single(read, options_.report_rule());
    const std::string before = text_of(primary);
    return text.replace(text.find(before), before.size(), text_of(changed));
  }

  std::string text_of_changed(const Read& read, const ReadLoci& loci, PoorCounts& seen) const {
    if (loci.loci.empty()) {
      return text_of_single(loci, options_.report_rule());
    }
    const AlignedLocus& primary = *select_single(loci, options_.report_rule()).reported.front();
    const AlignedLocus trimmed_first = trimmed_or_settled(loci, primary, seen);
    return with_primary(loci, primary, trimmed_piece(read, widened(read, trimmed_first, seen), seen));
  }

  // The best piece around a locus that is poor, if it is better.
  AlignedLocus widened(const Read& read, const AlignedLocus& locus, PoorCounts& seen) const {
    const std::size_t length = read.bases.size();
    if (static_cast<int>(length) - locus.score <= static_cast<int>(length / 5) || locus.piece.length() == length) {
      return locus;
    }
    const std::string& contig = contigs_[locus.contig];
    const std::size_t begin = locus.start - std::min(locus.start, locus.piece.begin + length / 5);
    const std::size_t end = std::min(contig.size(), locus.stop() + (length - locus.piece.end) + length / 5);
    const auto [score, best, last] =
        best_piece(Strands(read).bases[locus.reverse], std::string_view(contig).substr(begin, end - begin));
    if (score <= locus.score || best.score <= locus.score) {
      return locus;
    }
    ++seen.widened;
    seen.beyond += best.edits() > options_.max_edits.of(best.bases);
    return settled(Strands(read), whole_.locus_of(read, best.piece(), locus.contig, begin + last + 1, locus.reverse));
  }

  static const AlignedLocus* primary_of(const ExpectedPair& pair, std::size_t m) {
    return !pair.pairs.empty()            ? pair.pairs.front().mates[m]
           : !pair.mates[m].alone.empty() ? pair.mates[m].alone.front()
                                          : nullptr;
  }

  // Searches mate m near its mate; a place that makes them a pair becomes its own.
  // False if it `may_wait`, and does: a mate without a place that would fit poorly near a partner with a MAPQ below 20.
  bool find_near(const Read& read, std::size_t m, const align::InsertModel& inserts, ExpectedPair& expected,
                 AlignedLocus& near, PoorCounts& seen, bool may_wait) const {
    const auto length = static_cast<int>(read.bases.size());
    const AlignedLocus* const partner = primary_of(expected, 1 - m);
    const AlignedLocus* const place = primary_of(expected, m);
    if (partner == nullptr ||
        (place != nullptr ? length - place->score <= length / 5 : expected.mates[m].too_short || length < 20)) {
      return true;
    }
    const align::Orientation orientation = options_.pairs.orientation;
    const bool reverse = orientation == align::Orientation::ff ? partner->reverse : !partner->reverse;
    const bool first_reverse = m == 0 ? reverse : partner->reverse;
    const bool first_is_left = orientation == align::Orientation::rf ? first_reverse : !first_reverse;
    const bool partner_is_left = first_is_left == (m == 1);
    const std::string& contig = contigs_[partner->contig];
    const std::size_t begin =
        partner_is_left ? partner->start : partner->stop() - std::min<std::size_t>(partner->stop(), inserts.max);
    const std::size_t end =
        partner_is_left ? std::min<std::size_t>(partner->start + inserts.max, contig.size()) : partner->stop();
    const auto [score, best, last] =
        best_piece(Strands(read).bases[reverse], std::string_view(contig).substr(begin, end - begin));
    const bool is_surer = place != nullptr && expected.mates[m].mapq > expected.mates[1 - m].mapq;
    if (score < 20 || (place != nullptr && score <= place->score - (is_surer ? 1 : 15))) {
      return true;
    }
    const AlignedLocus found = whole_.locus_of(read, best.piece(), partner->contig, begin + last + 1, reverse);
    ReadLoci both[2] = {whole_.find(read), whole_.find(read)};
    both[m].loci = {found};
    both[1 - m].loci = {*partner};
    if (PairOracle(options_, inserts).concordant_pairs(both[0], both[1]).empty()) {
      return true;
    }
    if (may_wait && place == nullptr && expected.mates[1 - m].mapq < 20 && length - score > length / 5) {
      ++seen.near_later;
      return false;
    }
    const std::string strand = Strands(read).bases[reverse].substr(found.piece.begin, found.piece.length());
    const int rival =
        std::max({20, place != nullptr ? place->score - 15 : 0, best_score(strand, partner->contig, begin, found.start),
                  best_score(strand, partner->contig, found.stop(), end)});
    const int by_chance = 6 * static_cast<int>(best.bases - best.unknown) - 20 * static_cast<int>(best.edits()) - 20 -
                          static_cast<int>(std::lround(10 * std::log10(static_cast<double>(end - begin))));
    const int mapq = std::min({static_cast<int>(expected.mates[1 - m].mapq), by_chance, 6 * (score - rival)});
    ++(place != nullptr ? seen.near_poor : seen.near_unmapped);
    seen.rivals += mapq < static_cast<int>(expected.mates[1 - m].mapq);
    near = settled(Strands(read), found);
    OraclePair pair;
    pair.mates[m] = &near;
    pair.mates[1 - m] = partner;
    expected.kind = align::PairKind::concordant;
    expected.pairs = {pair};
    expected.mates[m] = {};
    expected.mates[m].best_count = 1;
    expected.mates[m].mapq = static_cast<unsigned>(std::max(mapq, 0));
    expected.mates[1 - m].alone.clear();
    return true;
  }

  // Reads with a large penalty, also after their ends are left out; and those of which ends are left out, if the place
  // of the whole read is not clear.
  bool is_poor(const ReadLoci& read, const AlignedLocus& primary, unsigned mapq, std::size_t best_count,
               std::size_t next_count) const {
    const std::size_t length = read.strands.length();
    const int well = static_cast<int>(length / 5);
    const std::size_t most = whole_.most_trimmed(length);
    const AlignedLocus kept = whole_.trimmed(read, whole_.settled(read.strands, primary, most), most);
    const bool unclear = best_count > 1 || next_count > 0 || mapq < 60;
    return ((primary.penalty > well && kept.event_penalty > well) || (unclear && kept.piece.length() < length)) &&
           whole_.most_clipped(length) > 0;
  }

  AlignedLocus trimmed_or_settled(const ReadLoci& read, AlignedLocus locus, PoorCounts& seen) const {
    locus.score = whole_.event_score(read.strands, locus);
    return locus.piece.length() == read.strands.length() ? trimmed(read, locus, seen)
                                                         : settled_piece(read.strands, locus);
  }

  AlignedLocus trimmed(const ReadLoci& read, const AlignedLocus& primary, PoorCounts& seen) const {
    const std::size_t most = whole_.most_trimmed(read.strands.length());
    const AlignedLocus settled = whole_.settled(read.strands, primary, most);
    seen.settled += settled.cigar != primary.cigar;
    const AlignedLocus changed = settled_piece(read.strands, whole_.trimmed(read, settled, most));
    const bool is_trimmed = changed.piece != primary.piece;
    ++(is_trimmed ? seen.trimmed : seen.whole);
    seen.trimmed_with_gap += is_trimmed && primary.steps.find_first_not_of('M') != std::string::npos;
    return changed;
  }

  void note_poor(const ReadLoci& pieces, const AlignedLocus& whole, PoorCounts& seen) const {
    ++seen.poor;
    const SingleSelection selection = select_single(pieces, options_.report_rule());
    seen.poor_elsewhere += !selection.reported.empty() && (selection.reported.front()->contig != whole.contig ||
                                                           selection.reported.front()->start > whole.stop() ||
                                                           selection.reported.front()->stop() < whole.start);
  }

  const std::vector<std::string>& contigs_;
  map::Options options_;
  ReadOracle whole_;
  ReadOracle unmapped_;
  ReadOracle always_;
};

inline std::string with_poor_end(RandomCases& random, const std::string& read) {
  const std::size_t end = read.size() - read.size() / 3;
  return read.substr(0, end) + random.mutate(read.substr(end), read.size() / 12);
}

// A deletion with other bases beside it: fewer edits may split it.
inline std::string with_event(RandomCases& random, const std::string& read) {
  const std::size_t at = random.number(8, read.size() - 12);
  return read.substr(0, at) + random.bases(2) + read.substr(at + 2 + random.number(2, 4));
}

// Half of the reads end in another place, after a gap, or in foreign bases. Some have edits at one end only, more than
// e: the rest tells the place.
inline std::string poor_read(RandomCases& random, const std::vector<std::string>& contigs) {
  std::string read = random.read(contigs, random.number(20, 90), random.number(0, 6), 0);
  if (random.chance(0.3)) {
    read = with_poor_end(random, read);
  } else if (read.size() >= 30 && random.chance(0.4)) {
    read = with_event(random, read);
  } else if (random.chance(0.6)) {
    const std::size_t size = std::min<std::size_t>(read.size(), random.number(1, 20));
    const std::string end = random.chance(0.6) ? random.bases(size) : random.read(contigs, size, 1, 0);
    read = random.chance(0.5) ? read.substr(0, read.size() - size) + end : end + read.substr(size);
  }
  if (random.chance(0.15)) {
    for (char& c : read) {
      c = random.chance(0.08) ? 'N' : c;
    }
  }
  return read.empty() ? "A" : read;
}

/// Mates of which the second one may be a chimera (a part lies near the other mate, and a part elsewhere) or have a
/// poor end; `event`: the first one has a deletion with other bases beside it.
inline Mates poor_mates(RandomCases& random, const std::vector<std::string>& contigs, const map::Options& options,
                        bool event) {
  Mates mates = random_mates(random, contigs, options, 0, 70, true);
  if (random.chance(0.3)) {
    std::string& bases = mates.second.bases;
    const std::string part = random.read(contigs, random.number(20, 60), 1, 0);
    bases = random.chance(0.5) ? bases + part : part + bases;
    mates.second.qualities = "";
  } else if (random.chance(0.3)) {
    mates.second.bases = with_poor_end(random, mates.second.bases);
    mates.second.qualities = "";
  }
  if (event && mates.first.bases.size() >= 30) {
    mates.first.bases = with_event(random, mates.first.bases);
    mates.first.qualities = "";
  }
  return mates;
}

/// Whether the mates overlap as those of a fragment that is shorter than a read, which here they only do by chance:
/// such pairs are mapped by another rule (clip/cut_ends.hpp).
inline bool is_short_fragment(const Mates& mates) {
  clip::MateOverlap overlap;
  return overlap.find(mates.first.bases, mates.first.qualities, mates.second.bases, mates.second.qualities) > 0;
}

/// Whether a read was clipped, and what is aligned lies in a tandem repeat: then its record is that of this part as a
/// read of its own (clip/pieces_in_arrays.hpp), which test_tandem_repeats.py tests.
inline bool is_piece_in_array(const sequence::Reference& reference, const map::Options& options, const Read& read,
                              const align::AlignmentBatch& found, std::size_t r) {
  const align::Alignment* const primary = align::primary_of(found, r);
  if (primary == nullptr || !align::clipped_ends(found, *primary).any()) {
    return false;
  }
  clip::ChainRecords records(reference, options);
  records.load(read.bases, primary->reverse, primary->contig);
  return records.bases_beside_array(records.chain_of(found, *primary)).has_value();
}

inline map::Options poor_options(RandomCases& random) {
  map::Options options;
  options.max_edits = random.chance(0.6)
                          ? map::NumberOrShare{true, static_cast<double>(random.number(20, 180)) / 10, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(3, 8))};
  options.clip.most = random.chance(0.7)
                          ? map::NumberOrShare{true, 49, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(1, 30))};
  options.clip.when = align::ClipWhen::poor;
  options.clip.least_score = static_cast<std::uint32_t>(random.chance(0.3) ? 0 : random.number(5, 35));
  options.eqx = random.chance(0.3);
  options.search = random.chance(0.8) ? map::Search::automatic : map::Search::scan;
  options.pairs.orientation = random.chance(0.7) ? align::Orientation::fr : align::Orientation(random.number(0, 2));
  options.pairs.discordant = align::Discordant(random.number(0, 2));
  return options;
}

}  // namespace trawl::tests
