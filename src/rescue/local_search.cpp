#include "rescue/local_search.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "align/cigar.hpp"
#include "align/clip_rule.hpp"
#include "align/locus.hpp"
#include "align/mapq.hpp"
#include "align/select.hpp"
#include "base/stop.hpp"
#include "polish/chain.hpp"
#include "rescue/pair_up.hpp"
#include "sequence/alphabet.hpp"

namespace trawl::rescue {

namespace {

// A piece that is worse by more does not make a place less sure.
constexpr std::int32_t kNoRival = align::MapqModel::kMaxMapq / align::MapqModel::kClipCost;

// Bases that are not known match all others.
void let_unknown_match(sequence::EncodedRead& strand) {
  for (std::size_t i = 0; i < strand.sets.size(); ++i) {
    strand.sets[i] = strand.codes[i] == sequence::kAmbiguous ? 15 : strand.sets[i];
  }
}

}  // namespace

std::uint32_t LocalSearch::unknown_of(const LocalPiece& piece) const {
  const auto bases = std::span(read_sets_).subspan(piece.read_begin(), piece.bases);
  return static_cast<std::uint32_t>(std::count(bases.begin(), bases.end(), WindowScores::kUnknown));
}

std::uint32_t LocalSearch::edits_of(const LocalPiece& piece) const {
  constexpr std::uint32_t kUnknownCost = polish::kMatch - polish::kUnknown;
  return (piece.bases - static_cast<std::uint32_t>(piece.score) - kUnknownCost * unknown_of(piece)) /
         align::kEditPoints;
}

bool LocalSearch::exclude_each_other(const LocalHit& a, const LocalHit& b) const {
  const auto piece_of = [&](const LocalHit& hit) {
    const align::Piece piece{hit.piece.read_begin(), hit.piece.read_end, hit.edits};
    return hit.reverse ? piece.turned(static_cast<std::uint32_t>(strands_[0].length())) : piece;
  };
  return align::exclude_each_other(piece_of(a), piece_of(b));
}

bool LocalSearch::is_poor(const sequence::ReadBatch& batch, std::size_t r, const align::Alignment& place) {
  const std::size_t length = batch.length(r);
  return length <= WindowScores::kLongestRead &&
         static_cast<std::int32_t>(length) - place.score > static_cast<std::int32_t>(align::most_well_penalty(length));
}

const std::vector<std::uint32_t>& LocalSearch::find_mates(const sequence::ReadBatch& batch,
                                                          align::AlignmentBatch& results) {
  mates_.clear();
  for (std::size_t p = 0; p < results.pairs.size(); ++p) {
    if (results.pairs[p].count > 0) {
      continue;
    }
    // First a mate that may as well lie elsewhere.
    const std::size_t first = 2 * p + (!is_tied(2 * p, results) && is_tied(2 * p + 1, results) ? 1 : 0);
    for (const std::size_t r : {first, first ^ 1}) {
      if (is_sought(batch, r, results) && find_near(batch, r, results)) {
        mates_.push_back(static_cast<std::uint32_t>(r));
        break;
      }
    }
  }
  return mates_;
}

bool LocalSearch::is_tied(std::size_t r, const align::AlignmentBatch& results) {
  const align::Alignment* const place = align::primary_of(results, r);
  return place != nullptr && place->mapq == 0;
}

bool LocalSearch::is_sought(const sequence::ReadBatch& batch, std::size_t r,
                            const align::AlignmentBatch& results) const {
  const align::Alignment* const partner = align::primary_of(results, r ^ 1);
  const std::size_t length = batch.length(r);
  if (partner == nullptr || length > WindowScores::kLongestRead) {
    return false;
  }
  const align::Alignment* const place = align::primary_of(results, r);
  if (place == nullptr) {
    return results.reads[r].unmapped == align::Unmapped::no_locus && length >= std::size_t{kLeastScore};
  }
  const bool is_less_sure = results.reads[r].found_by == align::FoundBy::anchors && place->mapq < partner->mapq;
  return is_less_sure || is_tied(r, results) || (is_poor(batch, r, *place) && !fits(r, *place, *partner));
}

bool LocalSearch::fits(std::size_t r, const align::Alignment& place, const align::Alignment& partner) const {
  const bool is_first = r % 2 == 0;
  return are_concordant(reference_, options_, inserts_, is_first ? place : partner, is_first ? partner : place);
}

LocalSearch::SearchWindow LocalSearch::window_near(std::size_t r, std::size_t length, bool reverse,
                                                   const align::Alignment& partner) const {
  const sequence::Contig& contig = reference_.contigs()[partner.contig];
  // On a circle, not further than once round.
  const std::uint64_t most = contig.circle() > 0 ? contig.circle() : kLargestWindow;
  const std::uint64_t size = std::min({std::uint64_t{inserts_.max} + length, std::uint64_t{kLargestWindow}, most});
  const std::uint64_t begin = contig.offset + partner.start;
  const std::uint64_t end = begin + partner.span;
  const bool is_first = r % 2 == 0;
  const bool first_is_left = align::first_is_left(options_.pairs.orientation, is_first ? reverse : partner.reverse);
  const bool partner_is_left = first_is_left != is_first;
  return partner_is_left ? SearchWindow{begin, std::min(begin + size, contig.offset + contig.length)}
                         : SearchWindow{std::max(contig.offset, end - std::min(end, size)), end};
}

void LocalSearch::load(const sequence::ReadBatch& batch, std::size_t r, bool reverse, const SearchWindow& window) {
  const bool ambiguous_matches = options_.ambiguous == map::Ambiguous::match;
  strands_[0].encode(batch.bases(r), ambiguous_matches);
  strands_[1].encode_reverse_complement(strands_[0]);
  read_sets_.resize(batch.length(r));
  for (std::size_t i = 0; i < read_sets_.size(); ++i) {
    const unsigned set = strands_[reverse].set(i);
    read_sets_[i] = set == 0 ? WindowScores::kUnknown : static_cast<std::uint8_t>(set);
  }
  if (!ambiguous_matches) {
    let_unknown_match(strands_[0]);
    let_unknown_match(strands_[1]);
  }
  text_sets_.resize(static_cast<std::size_t>(window.end - window.begin));
  text_.load(reference_, static_cast<std::int64_t>(window.begin), text_sets_.size(), ambiguous_matches);
  text_.put_sets(0, text_sets_);
}

LocalSearch::LocalHit LocalSearch::find(const sequence::ReadBatch& batch, std::size_t r, bool reverse,
                                        const SearchWindow& window, std::int32_t least) {
  Stop::look();
  load(batch, r, reverse, window);
  const BestScore best = scores_.find_best(read_sets_, text_sets_);
  if (best.score < least) {
    return {};
  }
  // Few pieces with the best score begin before this position.
  const std::size_t reach = read_sets_.size() + read_sets_.size() / align::kEditPoints;
  const std::size_t from = best.first + 1 - std::min(best.first + 1, reach);
  scores_.find(read_sets_, std::span(text_sets_).subspan(from, best.last + 1 - from));
  LocalHit found;
  for (std::size_t i = from; i <= best.last; ++i) {
    const LocalPiece piece = scores_.at(i - from);
    if (piece.score > found.piece.score || (piece.score == found.piece.score && piece.bases > found.piece.bases)) {
      found = {piece, best.score, window.begin + i, edits_of(piece), unknown_of(piece), reverse};
    }
  }
  if (found.edits > align::kMaxEdits ||
      (options_.ambiguous == map::Ambiguous::match &&
       !sequence::allows_end(reference_, options_.max_ambiguous.with_edits(found.edits), found.piece.bases,
                             found.last))) {
    return {};
  }
  return found;
}

align::Alignment LocalSearch::describe(const LocalHit& found, align::AlignmentBatch& results) {
  const auto length = static_cast<std::uint32_t>(strands_[0].length());
  align::Locus locus;
  locus.end = found.last;
  locus.distance = static_cast<std::uint16_t>(length - static_cast<std::uint32_t>(found.piece.score));
  locus.reverse = found.reverse;
  const align::Piece piece{found.piece.read_begin(), found.piece.read_end, found.edits};
  const align::PieceLimits limits{length, std::vector<std::uint32_t>(found.edits + 1, length)};
  align::ReadLoci loci;
  loci.loci = {&locus, 1};
  loci.strands[0] = &strands_[0];
  loci.strands[1] = &strands_[1];
  loci.max_edits = found.edits;
  loci.pieces = &piece;
  loci.limits = &limits;
  align::Alignment alignment = reporter_.describe(loci, 0, reporter_.find_path(loci, 0), results);
  if (found.unknown > 0) {
    alignment.distance = static_cast<std::uint16_t>(std::min<std::uint32_t>(alignment.edits, UINT16_MAX));
  }
  return alignment;
}

bool LocalSearch::find_near(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& results) {
  const align::Alignment partner = *align::primary_of(results, r ^ 1);
  const align::Alignment* const place = align::primary_of(results, r);
  const bool reverse = partner.reverse == (options_.pairs.orientation == align::Orientation::ff);
  const SearchWindow window = window_near(r, batch.length(r), reverse, partner);
  // A mate in one of many copies of a repeat is no reason to leave a place that is surer.
  const std::int32_t less = place != nullptr && place->mapq > partner.mapq ? 0 : kUnpaired - 1;
  const std::int32_t least = place == nullptr ? kLeastScore : std::max(kLeastScore, place->score - less);
  const LocalHit found = find(batch, r, reverse, window, least);
  if (found.score == 0) {
    return false;
  }
  align::Alignment near = describe(found, results);
  if (!fits(r, near, partner)) {
    return false;
  }
  const std::uint64_t begin_of_near = reference_.contigs()[near.contig].offset + near.start;
  // A piece with the least score may be there by chance, or since repeats have a few bases in common.
  const bool is_elsewhere =
      place != nullptr && (place->contig != near.contig || place->reverse != near.reverse ||
                           place->start >= near.start + near.span || near.start >= place->start + place->span);
  const std::int64_t at_other_place = std::max(kLeastScore, is_elsewhere ? place->score - kUnpaired : 0);
  const std::int64_t rival = std::max<std::int64_t>(at_other_place, rival_in(window, found, begin_of_near));
  const auto positions = static_cast<double>(window.end - window.begin);
  near.mapq = static_cast<std::uint8_t>(std::min(std::int64_t{partner.mapq}, quality(found, positions, rival)));
  put(near, r, align::FoundBy::mate, results);
  return true;
}

void LocalSearch::put(const align::Alignment& alignment, std::size_t r, align::FoundBy by,
                      align::AlignmentBatch& results) {
  align::ReadResult& result = results.reads[r];
  result.best_count = 1;
  result.next_count = 0;
  result.next_known = false;
  result.found_by = by;
  if (align::Alignment* const place = align::primary_of(results, r)) {
    *place = alignment;
    return;
  }
  result.first = results.alignments.size();
  result.count = 1;
  results.alignments.push_back(alignment);
}

std::int32_t LocalSearch::rival_in(const SearchWindow& window, const LocalHit& found, std::uint64_t begin) {
  const std::span<const std::uint8_t> text(text_sets_);
  const auto bases = std::span(read_sets_).subspan(found.piece.read_begin(), found.piece.bases);
  // With a mismatch in place of a gap, the alignment that is described may begin before the window.
  const auto before = static_cast<std::size_t>(std::max(begin, window.begin) - window.begin);
  const auto after = static_cast<std::size_t>(found.last + 1 - window.begin);
  return std::max(scores_.find_best(bases, text.first(before)).score,
                  scores_.find_best(bases, text.subspan(after)).score);
}

std::int64_t LocalSearch::quality(const LocalHit& found, double positions, std::int64_t rival) const {
  const auto position_cost = static_cast<std::uint32_t>(std::lround(10 * std::log10(positions)));
  const std::int64_t by_chance = align::chance_cost(found.piece.bases - found.unknown, found.edits, position_cost);
  const std::int64_t beside_rival = std::int64_t{align::MapqModel::kClipCost} * (found.score - rival);
  return std::clamp<std::int64_t>(std::min(by_chance, beside_rival), 0, align::MapqModel::kMaxMapq);
}

// Words that lie at too many places were not looked at. Each of these places may be another one of the piece: it has
// none of the other words, so an edit in each of those that do not overlap. Short pieces are of repeats.
std::int64_t LocalSearch::quality_beside_frequent(const LocalHit& found, const Anchors::AnchorStretch& stretch) {
  constexpr std::int64_t kEdit = align::MapqModel::kClipCost * align::kEditPoints;
  constexpr std::int64_t kPlaces = 20;  // 10 log10 of Anchors::kMostPlaces
  constexpr std::int64_t kShort = 20;
  return std::max<std::int64_t>(0,
                                std::min(kEdit * stretch.separate - kPlaces, std::int64_t{found.piece.bases} - kShort));
}

const std::vector<std::uint32_t>& LocalSearch::place(const sequence::ReadBatch& batch,
                                                     std::span<const std::uint32_t> reads, const Anchors& anchors,
                                                     align::AlignmentBatch& results) {
  placed_.clear();
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (place_read(batch, reads[i], anchors.of(i), anchors.has_frequent(i), results)) {
      placed_.push_back(reads[i]);
    }
  }
  return placed_;
}

bool LocalSearch::place_read(const sequence::ReadBatch& batch, std::size_t r,
                             std::span<const Anchors::AnchorStretch> stretches, bool has_frequent,
                             align::AlignmentBatch& results) {
  const std::size_t searched = std::min(stretches.size(), Anchors::kMostStretches);
  const auto window_of = [&](std::size_t k) { return SearchWindow{stretches[k].begin, stretches[k].end}; };
  LocalHit found[Anchors::kMostStretches];
  const auto rank = [&](std::size_t k) { return std::pair(found[k].score, found[k].piece.bases); };
  std::size_t best = 0;
  for (std::size_t k = 0; k < searched; ++k) {
    found[k] = find(batch, r, stretches[k].reverse, window_of(k), std::max(1, found[best].score - kNoRival));
    best = rank(k) > rank(best) ? k : best;
  }
  std::vector<std::size_t> equal;
  for (std::size_t k = 0; k < searched; ++k) {
    if (rank(k) == rank(best)) {
      equal.push_back(k);
    }
  }
  best = equal.empty() ? 0 : equal[align::name_hash(batch.name(r)) % equal.size()];
  const LocalHit& chosen = found[best];
  if (searched == 0 || chosen.score < std::max(kLeastScore, static_cast<std::int32_t>(options_.clip.least_score))) {
    return false;
  }
  align::Alignment placed = describe(chosen, results);
  const std::uint64_t begin = reference_.contigs()[placed.contig].offset + placed.start;
  // A stretch that was not searched may hold as good a place.
  std::int32_t rival =
      searched < stretches.size() && stretches[searched].words >= stretches[best].words ? chosen.score : 0;
  for (std::size_t k = 0; k < searched; ++k) {
    const bool same_place = found[k].reverse == chosen.reverse && found[k].last >= begin &&
                            reference_.contig_at(found[k].last) == placed.contig &&
                            found[k].last < chosen.last + found[k].piece.bases + found[k].edits;
    if (k != best && !same_place && exclude_each_other(found[k], chosen)) {
      rival = std::max(rival, found[k].score);
    }
  }
  load(batch, r, chosen.reverse, window_of(best));
  rival = std::max(rival, rival_in(window_of(best), chosen, begin));
  std::int64_t most = quality(chosen, 2.0 * static_cast<double>(reference_.bases()), rival);
  if (has_frequent) {
    most = std::min(most, quality_beside_frequent(chosen, stretches[best]));
  }
  placed.mapq = static_cast<std::uint8_t>(most);
  put(placed, r, align::FoundBy::anchors, results);
  return true;
}

}  // namespace trawl::rescue
