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
#include "align/select.hpp"
#include "polish/chain_records.hpp"
#include "rescue/mate_overlap.hpp"
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
  std::size_t near_unmapped = 0;  // mates found near their mates, which had no place
  std::size_t near_poor = 0;      // and those which had one
  std::size_t rivals = 0;         // and another place made them less sure
  std::size_t settled = 0;        // whole reads whose gaps are settled
  std::size_t in_array = 0;       // pieces in tandem repeats, which are not compared
  std::size_t by_words = 0;       // placed where words match
  std::size_t beside_words = 0;   // and there was another place
};

inline map::MapOptions with_clipping(map::MapOptions options, align::ClipWhen when) {
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

// The rule, made of the oracle of whole reads and of what is found by words and near mates.
class PoorOracle {
 public:
  PoorOracle(const std::vector<std::string>& contigs, const map::MapOptions& options)
      : contigs_(contigs),
        reference_(make_reference(contigs)),
        options_(options),
        whole_(contigs, with_clipping(options, align::ClipWhen::poor)) {}

  /// What is said of reads that are clipped where they lie in a tandem repeat: their records are those of this part as
  /// a read of its own (rescue/pieces_in_arrays.cpp), which test_tandem_repeats.py tests.
  static constexpr const char* kInArray = "in a tandem repeat";

  std::string single(const Read& read, PoorCounts& seen) const {
    const ReadLoci whole = whole_.find(read);
    const auto text_of_placed = [&](const Placed& placed) {
      const AlignedLocus last = trimmed_piece(read, placed.locus, seen);
      return is_piece_in_array(read, last) ? kInArray
                                           : "1,?,0,0\n" + text_of(last) + " q" + std::to_string(placed.mapq);
    };
    if (whole.loci.empty()) {
      ++seen.unmapped_whole;
      const auto placed = whole.is_too_short() ? std::nullopt : placed_by_words(read, seen);
      return placed ? text_of_placed(*placed) : text_of_single(whole, options_.report_rule());
    }
    const SingleSelection selection = select_single(whole, options_.report_rule());
    const AlignedLocus& primary = *selection.reported.front();
    const AlignedLocus changed = trimmed_or_settled(whole, primary, seen);
    if (is_unclear(read, changed, selection.mapq, whole.best_count(), whole.next_count())) {
      ++seen.poor;
      const auto placed = placed_by_words(read, seen);
      if (placed && is_better(*placed, changed, selection.mapq)) {
        note_poor(placed->locus, primary, seen);
        return text_of_placed(*placed);
      }
    }
    const AlignedLocus last = trimmed_piece(read, changed, seen);
    return is_piece_in_array(read, last) ? kInArray : with_primary(whole, primary, last);
  }

  std::string pair(const Mates& mates, const align::InsertModel& inserts, PoorCounts& seen) const {
    const Read* const reads[2] = {&mates.first, &mates.second};
    ReadLoci loci[2] = {whole_.find(mates.first), whole_.find(mates.second)};
    const PairOracle pairs(options_, inserts);
    ExpectedPair expected = pairs.expect(loci[0], loci[1]);
    AlignedLocus changed[2];
    for (std::size_t m = 0; m < 2; ++m) {
      if (const AlignedLocus* const primary = primary_of(expected, m)) {
        changed[m] = trimmed_or_settled(loci[m], *primary, seen);
        put_primary(expected, m, changed[m]);
      }
    }
    std::optional<Placed> placed[2];
    for (std::size_t m = 0; m < 2; ++m) {
      const ExpectedMate& mate = expected.mates[m];
      const AlignedLocus* const primary = primary_of(expected, m);
      if (primary == nullptr) {
        const bool is_searched = mate.best_count == 0 && !mate.too_short;
        seen.unmapped_whole += is_searched;
        placed[m] = is_searched ? placed_by_words(*reads[m], seen) : std::nullopt;
      } else if (is_unclear(*reads[m], *primary, mate.mapq, mate.best_count, mate.next_count)) {
        ++seen.poor;
        seen.beside_poor += primary_of(expected, 1 - m) != nullptr;
        placed[m] = placed_by_words(*reads[m], seen);
        if (placed[m] && !is_better(*placed[m], *primary, mate.mapq)) {
          placed[m].reset();
        }
      }
    }
    for (std::size_t m = 0; m < 2; ++m) {
      if (placed[m] && !put_placed(*reads[m], m, inserts, *placed[m], expected)) {
        placed[m].reset();
      }
    }
    AlignedLocus near;
    const auto is_tied = [&](std::size_t m) {
      return primary_of(expected, m) != nullptr && expected.mates[m].mapq == 0;
    };
    const std::size_t first = !is_tied(0) && is_tied(1) ? 1 : 0;
    for (const std::size_t m : {first, 1 - first}) {
      if (expected.pairs.empty()) {
        find_near(*reads[m], m, inserts, placed[m].has_value(), expected, near, seen);
      }
    }
    if (expected.pairs.empty() && (placed[0] || placed[1])) {
      const bool drops_first = placed[0] && (!placed[1] || expected.mates[0].mapq < expected.mates[1].mapq);
      pair_up(*reads[0], drops_first ? 0 : 1, inserts, expected);
    }
    seen.concordant += !expected.pairs.empty();
    AlignedLocus last[2];
    for (std::size_t m = 0; m < 2; ++m) {
      if (const AlignedLocus* const primary = primary_of(expected, m)) {
        last[m] = trimmed_piece(*reads[m], *primary, seen);
        put_primary(expected, m, last[m]);
        if (is_piece_in_array(*reads[m], last[m])) {
          return kInArray;
        }
      }
    }
    if (!expected.pairs.empty()) {
      const OraclePair& first_pair = expected.pairs.front();
      expected.pairs.front().insert = std::max(first_pair.mates[0]->stop(), first_pair.mates[1]->stop()) -
                                      std::min(first_pair.mates[0]->start, first_pair.mates[1]->start);
    }
    return text_of(expected);
  }

 private:
  static void put_primary(ExpectedPair& pair, std::size_t m, const AlignedLocus& locus) {
    (pair.pairs.empty() ? pair.mates[m].alone.front() : pair.pairs.front().mates[m]) = &locus;
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
    std::size_t separate;  // of them: how many do not overlap
  };

  struct WordStretches {
    std::vector<WordStretch> all;
    bool has_frequent = false;  // words at more than 100 places
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

  WordStretches stretches_of(const Strands& strands, bool second_mate) const {
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
    // Of equal words the first one.
    std::set<std::string> known;
    std::erase_if(words_of_read, [&](const auto& word) {
      return !known.insert(strands.bases[0].substr(word.first, word.second)).second;
    });
    const auto apart = static_cast<std::ptrdiff_t>(length / 5);
    WordStretches found;
    std::vector<WordHit> hits[2];
    for (const auto& [i, word_length] : words_of_read) {
      const std::size_t at[2] = {i, length - i - word_length};
      std::vector<std::pair<std::size_t, std::size_t>> places[2];
      for (const bool reverse : {false, true}) {
        const std::string word = strands.bases[reverse].substr(at[reverse], word_length);
        if (word.find_first_not_of("ACGT") == std::string::npos && whole_.is_searched(reverse, second_mate)) {
          places[reverse] = places_of(word);
        }
      }
      if (places[0].size() + places[1].size() > 100) {
        found.has_frequent = true;
      } else {
        for (const bool reverse : {false, true}) {
          for (const auto& [contig, start] : places[reverse]) {
            hits[reverse].push_back(
                {contig, static_cast<std::ptrdiff_t>(start) - static_cast<std::ptrdiff_t>(at[reverse]), i});
          }
        }
      }
    }
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
        std::size_t separate = 0;
        std::size_t free_from = 0;
        for (const auto& [i, word_length] : words_of_read) {
          if (words.count(i) > 0 && i >= free_from) {
            ++separate;
            free_from = i + word_length;
          }
        }
        found.all.push_back({first->contig, static_cast<std::size_t>(begin), static_cast<std::size_t>(end), reverse,
                             words.size(), separate});
        first = last + 1;
      }
    }
    std::stable_sort(found.all.begin(), found.all.end(),
                     [](const WordStretch& a, const WordStretch& b) { return a.words > b.words; });
    return found;
  }

  // The best score of a piece in [begin, end) of a contig.
  int best_score(const std::string& strand, std::size_t contig, std::size_t begin, std::size_t end) const {
    return begin < end ? best_with_events(strand, std::string_view(contigs_[contig]).substr(begin, end - begin)).score
                       : 0;
  }

  std::optional<Placed> placed_by_words(const Read& read, PoorCounts& seen) const {
    constexpr std::size_t kMost = 4;
    const Strands strands(read);
    const WordStretches looked_up = stretches_of(strands, read.second_mate);
    const std::vector<WordStretch>& stretches = looked_up.all;
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
    const auto rank = [&](std::size_t k) { return std::pair(found[k].score, found[k].piece.bases); };
    std::vector<std::size_t> equal;
    for (std::size_t k = 0; k < found.size(); ++k) {
      if (rank(k) == rank(best)) {
        equal.push_back(k);
      }
    }
    best = equal.empty() ? 0 : equal[align::name_hash(read.name) % equal.size()];
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
    const bool fits = 4 * (bases - score) <= bases;
    const int of_piece = 2 * bases >= length ? 60 : bases - 20;
    int most = std::min(60, fits ? of_piece : (300 * score / length + score) / 5 - 23);
    if (unknown > 0 && placed.locus.piece.length() == strands.length() &&
        placed.locus.distance - unknown <= static_cast<int>(options_.max_edits.of(strands.length()))) {
      most = 60;
    }
    const int beside_frequent = looked_up.has_frequent ? std::min(30 * static_cast<int>(s.separate) - 20,
                                                                  static_cast<int>(chosen.piece.bases) - 20)
                                                       : 60;
    placed.mapq = std::max(0, std::min({by_chance, 6 * (chosen.score - rival), most, beside_frequent}));
    return placed;
  }

  static bool is_better(const Placed& placed, const AlignedLocus& before, unsigned mapq) {
    return placed.locus.score > before.score ||
           (placed.locus.score == before.score && placed.mapq > static_cast<int>(mapq));
  }

  // Whether the primaries of both mates are a concordant pair.
  bool are_concordant(const Read& read, const align::InsertModel& inserts, const AlignedLocus& first,
                      const AlignedLocus& second) const {
    ReadLoci both[2] = {whole_.find(read), whole_.find(read)};
    both[0].loci = {first};
    both[1].loci = {second};
    return !PairOracle(options_, inserts).concordant_pairs(both[0], both[1]).empty();
  }

  // Gives mate m the place found by its words, if a concordant pair stays one.
  bool put_placed(const Read& read, std::size_t m, const align::InsertModel& inserts, const Placed& placed,
                  ExpectedPair& expected) const {
    if (!expected.pairs.empty()) {
      const AlignedLocus& other = *primary_of(expected, 1 - m);
      if (!are_concordant(read, inserts, m == 0 ? placed.locus : other, m == 0 ? other : placed.locus)) {
        return false;
      }
    }
    ExpectedMate& mate = expected.mates[m];
    mate.best_count = 1;
    mate.next_count = 0;
    mate.next_known = false;
    mate.mapq = static_cast<unsigned>(placed.mapq);
    if (expected.pairs.empty()) {
      mate.alone = {&placed.locus};
    } else {
      put_primary(expected, m, placed.locus);
    }
    return true;
  }

  // Makes a pair of mates, one of which at least was placed by its words; with `--discordant never` mate m is dropped
  // if they are not concordant.
  void pair_up(const Read& read, std::size_t m, const align::InsertModel& inserts, ExpectedPair& expected) const {
    const AlignedLocus* const primaries[2] = {primary_of(expected, 0), primary_of(expected, 1)};
    if (primaries[0] == nullptr || primaries[1] == nullptr) {
      expected.kind = align::PairKind::one_end;
      return;
    }
    expected.kind = align::PairKind::discordant;
    if (are_concordant(read, inserts, *primaries[0], *primaries[1])) {
      OraclePair pair;
      pair.mates[0] = primaries[0];
      pair.mates[1] = primaries[1];
      expected.kind = align::PairKind::concordant;
      expected.pairs = {pair};
      expected.mates[0].alone.clear();
      expected.mates[1].alone.clear();
    } else if (options_.pairs.discordant == align::Discordant::never) {
      expected.mates[m] = {};
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

  static const AlignedLocus* primary_of(const ExpectedPair& pair, std::size_t m) {
    return !pair.pairs.empty()            ? pair.pairs.front().mates[m]
           : !pair.mates[m].alone.empty() ? pair.mates[m].alone.front()
                                          : nullptr;
  }

  // Searches mate m near its mate; a place that makes them a pair becomes its own.
  void find_near(const Read& read, std::size_t m, const align::InsertModel& inserts, bool is_by_words,
                 ExpectedPair& expected, AlignedLocus& near, PoorCounts& seen) const {
    const auto length = static_cast<int>(read.bases.size());
    const AlignedLocus* const partner = primary_of(expected, 1 - m);
    const AlignedLocus* const place = primary_of(expected, m);
    const unsigned mapq_of_place = expected.mates[m].mapq;
    const unsigned mapq_of_partner = expected.mates[1 - m].mapq;
    if (partner == nullptr) {
      return;
    }
    const auto concordant = [&](const AlignedLocus& mate) {
      return are_concordant(read, inserts, m == 0 ? mate : *partner, m == 0 ? *partner : mate);
    };
    const bool is_sought = place == nullptr ? !expected.mates[m].too_short && length >= 20
                                            : (is_by_words && mapq_of_place < mapq_of_partner) || mapq_of_place == 0 ||
                                                  (length - place->score > length / 5 && !concordant(*place));
    if (!is_sought) {
      return;
    }
    const align::Orientation orientation = options_.pairs.orientation;
    const bool reverse = orientation == align::Orientation::ff ? partner->reverse : !partner->reverse;
    const bool first_reverse = m == 0 ? reverse : partner->reverse;
    const bool first_is_left = orientation == align::Orientation::rf ? first_reverse : !first_reverse;
    const bool partner_is_left = first_is_left == (m == 1);
    const std::string& contig = contigs_[partner->contig];
    const std::size_t size = inserts.max + read.bases.size();
    const std::size_t begin =
        partner_is_left ? partner->start : partner->stop() - std::min<std::size_t>(partner->stop(), size);
    const std::size_t end =
        partner_is_left ? std::min<std::size_t>(partner->start + size, contig.size()) : partner->stop();
    const auto [score, best, last] =
        best_piece(Strands(read).bases[reverse], std::string_view(contig).substr(begin, end - begin));
    const bool is_surer = place != nullptr && expected.mates[m].mapq > expected.mates[1 - m].mapq;
    if (score < 20 || (place != nullptr && score <= place->score - (is_surer ? 1 : 15))) {
      return;
    }
    const AlignedLocus found = whole_.locus_of(read, best.piece(), partner->contig, begin + last + 1, reverse);
    if (!concordant(found)) {
      return;
    }
    const std::string strand = Strands(read).bases[reverse].substr(found.piece.begin, found.piece.length());
    const bool is_elsewhere = place != nullptr && (place->contig != found.contig || place->reverse != found.reverse ||
                                                   place->start >= found.stop() || found.start >= place->stop());
    const int rival =
        std::max({20, is_elsewhere ? place->score - 15 : 0, best_score(strand, partner->contig, begin, found.start),
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
  }

  // Reads with a large penalty after their ends are left out; and those of which ends are left out, if the place of the
  // whole read is not clear.
  bool is_unclear(const Read& read, const AlignedLocus& changed, unsigned mapq, std::size_t best_count,
                  std::size_t next_count) const {
    const auto length = static_cast<int>(read.bases.size());
    const bool has_others = best_count > 1 || next_count > 0;
    const bool is_sure = !has_others && mapq == 60;
    return whole_.least_penalty(Strands(read), changed) > length / 5 ||
           (!is_sure && changed.piece.length() < read.bases.size()) ||
           (has_others && changed.steps.find_first_not_of('M') != std::string::npos);
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

  static void note_poor(const AlignedLocus& placed, const AlignedLocus& whole, PoorCounts& seen) {
    seen.poor_elsewhere += placed.contig != whole.contig || placed.start > whole.stop() || placed.stop() < whole.start;
  }

  bool is_piece_in_array(const Read& read, const AlignedLocus& locus) const {
    if (locus.piece.length() == read.bases.size()) {
      return false;
    }
    polish::ChainRecords records(reference_, options_);
    records.load(read.bases, locus.reverse, locus.contig);
    polish::Chain chain;
    for (const char step : locus.steps) {
      chain.add(step == 'M' ? match::Step::diagonal : step == 'I' ? match::Step::insertion : match::Step::deletion, 1);
    }
    chain.start = static_cast<std::int64_t>(reference_.contigs()[locus.contig].offset + locus.start);
    chain.left = locus.piece.begin;
    chain.right = static_cast<std::uint32_t>(read.bases.size()) - locus.piece.end;
    return records.bases_beside_array(chain).has_value();
  }

  const std::vector<std::string>& contigs_;
  sequence::Reference reference_;
  map::MapOptions options_;
  ReadOracle whole_;
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
inline Mates poor_mates(RandomCases& random, const std::vector<std::string>& contigs, const map::MapOptions& options,
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
/// such pairs are mapped by another rule (rescue/short_fragments.cpp).
inline bool is_short_fragment(const Mates& mates) {
  rescue::MateOverlap overlap;
  return overlap.find(mates.first.bases, mates.first.qualities, mates.second.bases, mates.second.qualities) > 0;
}

inline map::MapOptions poor_options(RandomCases& random) {
  map::MapOptions options;
  options.max_edits = random.chance(0.6)
                          ? map::NumberOrShare{true, static_cast<double>(random.number(20, 180)) / 10, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(3, 8))};
  options.clip.most = random.chance(0.7)
                          ? map::NumberOrShare{true, 49, 0}
                          : map::NumberOrShare{false, 0, static_cast<std::uint32_t>(random.number(1, 30))};
  options.clip.when = align::ClipWhen::poor;
  options.clip.least_score = static_cast<std::uint32_t>(random.chance(0.3) ? 0 : random.number(5, 35));
  options.eqx = random.chance(0.3);
  options.search = random.chance(0.8) ? map::SearchMethod::automatic : map::SearchMethod::scan;
  options.pairs.orientation = random.chance(0.7) ? align::Orientation::fr : align::Orientation(random.number(0, 2));
  options.pairs.discordant = align::Discordant(random.number(0, 2));
  options.strands = random_strands(random);
  return options;
}

}  // namespace trawl::tests
