#include "clip/local_search.hpp"

#include <algorithm>
#include <cmath>

#include "align/cigar.hpp"
#include "align/clip_rule.hpp"
#include "align/locus.hpp"
#include "align/mapq.hpp"

namespace trawl::clip {

namespace {

std::uint32_t edits_of(const WindowScores::Piece& piece) {
  return (piece.bases - static_cast<std::uint32_t>(piece.score)) / align::kEditPoints;
}

}  // namespace

bool LocalSearch::is_poor(const sequence::ReadBatch& batch, std::size_t r, const align::Alignment& place) {
  const std::size_t length = batch.length(r);
  return length <= WindowScores::kLongestRead &&
         static_cast<std::int32_t>(length) - place.score > static_cast<std::int32_t>(align::most_well_penalty(length));
}

const std::vector<std::uint32_t>& LocalSearch::widen(const sequence::ReadBatch& batch, align::AlignmentBatch& results) {
  widened_.clear();
  for (std::size_t r = 0; r < batch.size(); ++r) {
    const align::Alignment* const place = align::primary_of(results, r);
    if (place == nullptr || !is_poor(batch, r, *place) || !align::clipped_ends(results, *place).any()) {
      continue;
    }
    const bool reverse = place->reverse;
    const Found found = find(batch, r, reverse, window_around(batch, r, results, *place));
    if (found.piece.score > place->score) {
      align::Alignment wider = describe(found, reverse, results);
      align::Alignment& primary = *align::primary_of(results, r);
      wider.mapq = primary.mapq;
      primary = wider;
      widened_.push_back(static_cast<std::uint32_t>(r));
    }
  }
  return widened_;
}

const std::vector<std::uint32_t>& LocalSearch::find_mates(const sequence::ReadBatch& batch,
                                                          align::AlignmentBatch& results) {
  mates_.clear();
  for (std::size_t p = 0; p < results.pairs.size(); ++p) {
    if (results.pairs[p].count > 0) {
      continue;
    }
    for (std::size_t r = 2 * p; r < 2 * p + 2; ++r) {
      if (is_sought(batch, r, results) && find_near(batch, r, results)) {
        mates_.push_back(static_cast<std::uint32_t>(r));
        break;
      }
    }
  }
  return mates_;
}

bool LocalSearch::is_sought(const sequence::ReadBatch& batch, std::size_t r, const align::AlignmentBatch& results) {
  if (align::primary_of(results, r ^ 1) == nullptr) {
    return false;
  }
  const align::Alignment* const place = align::primary_of(results, r);
  const std::size_t length = batch.length(r);
  return place != nullptr ? is_poor(batch, r, *place)
                          : results.reads[r].unmapped == align::Unmapped::no_locus &&
                                length >= std::size_t{kLeastScore} && length <= WindowScores::kLongestRead;
}

LocalSearch::Window LocalSearch::window_around(const sequence::ReadBatch& batch, std::size_t r,
                                               const align::AlignmentBatch& results,
                                               const align::Alignment& place) const {
  const sequence::Contig& contig = reference_.contigs()[place.contig];
  const auto [left, right] = align::clipped_ends(results, place);
  // No piece of the read has more bases deleted.
  const std::uint64_t deleted = batch.length(r) / align::kEditPoints;
  const std::uint64_t before = std::min<std::uint64_t>(place.start, left + deleted);
  const std::uint64_t end = std::min(place.start + place.span + right + deleted, contig.length);
  return {contig.offset + place.start - before, contig.offset + end};
}

LocalSearch::Window LocalSearch::window_near(std::size_t r, bool reverse, const align::Alignment& partner) const {
  const sequence::Contig& contig = reference_.contigs()[partner.contig];
  const std::uint64_t size = std::min(inserts_.max, kLargestWindow);
  const std::uint64_t begin = contig.offset + partner.start;
  const std::uint64_t end = begin + partner.span;
  const bool is_first = r % 2 == 0;
  const bool first_is_left = align::first_is_left(options_.pairs.orientation, is_first ? reverse : partner.reverse);
  const bool partner_is_left = first_is_left != is_first;
  return partner_is_left ? Window{begin, std::min(begin + size, contig.offset + contig.length)}
                         : Window{std::max(contig.offset, end - std::min(end, size)), end};
}

LocalSearch::Found LocalSearch::find(const sequence::ReadBatch& batch, std::size_t r, bool reverse,
                                     const Window& window) {
  const bool ambiguous_matches = options_.ambiguous == map::Ambiguous::match;
  strands_[0].encode(batch.bases(r), ambiguous_matches);
  strands_[1].encode_reverse_complement(strands_[0]);
  read_sets_.resize(batch.length(r));
  for (std::size_t i = 0; i < read_sets_.size(); ++i) {
    read_sets_[i] = static_cast<std::uint8_t>(strands_[reverse].set(i));
  }
  text_sets_.resize(static_cast<std::size_t>(window.end - window.begin));
  text_.load(reference_, static_cast<std::int64_t>(window.begin), text_sets_.size(), ambiguous_matches);
  for (std::size_t i = 0; i < text_sets_.size(); ++i) {
    text_sets_[i] = static_cast<std::uint8_t>(text_.set_at(i));
  }
  scores_.find(read_sets_, text_sets_);
  Found found;
  for (std::size_t i = 0; i < text_sets_.size(); ++i) {
    const WindowScores::Piece piece = scores_.at(i);
    if (piece.score > found.piece.score || (piece.score == found.piece.score && piece.bases > found.piece.bases)) {
      found = {piece, window.begin + i, edits_of(piece)};
    }
  }
  if (found.edits > align::kMaxEdits ||
      (ambiguous_matches && !sequence::allows_end(reference_, options_.max_ambiguous.with_edits(found.edits),
                                                  found.piece.bases, found.last))) {
    return {};
  }
  return found;
}

align::Alignment LocalSearch::describe(const Found& found, bool reverse, align::AlignmentBatch& results) {
  const auto length = static_cast<std::uint32_t>(strands_[0].length());
  const align::Locus locus{
      found.last, static_cast<std::uint16_t>(length - static_cast<std::uint32_t>(found.piece.score)), reverse, 0};
  const align::Piece piece{found.piece.read_begin(), found.piece.read_end, found.edits};
  const align::PieceLimits limits{length, std::vector<std::uint32_t>(found.edits + 1, length)};
  align::ReadLoci loci;
  loci.loci = {&locus, 1};
  loci.strands[0] = &strands_[0];
  loci.strands[1] = &strands_[1];
  loci.max_edits = found.edits;
  loci.pieces = &piece;
  loci.limits = &limits;
  return reporter_.describe(loci, 0, reporter_.find_path(loci, 0), results);
}

bool LocalSearch::find_near(const sequence::ReadBatch& batch, std::size_t r, align::AlignmentBatch& results) {
  const align::Alignment partner = *align::primary_of(results, r ^ 1);
  const align::Alignment* const place = align::primary_of(results, r);
  const bool reverse = partner.reverse == (options_.pairs.orientation == align::Orientation::ff);
  const Window window = window_near(r, reverse, partner);
  const Found found = find(batch, r, reverse, window);
  if (found.piece.score < kLeastScore || (place != nullptr && found.piece.score + kUnpaired <= place->score)) {
    return false;
  }
  align::Alignment near = describe(found, reverse, results);
  const align::Extent extents[2] = {align::extent_of(near), align::extent_of(partner)};
  if (near.contig != partner.contig ||
      !align::is_concordant(options_.pairs.orientation, inserts_, extents[r % 2], extents[1 - r % 2])) {
    return false;
  }
  near.mapq = quality(found, window, reference_.contigs()[near.contig].offset + near.start, partner, place);
  align::ReadResult result;
  result.first = results.alignments.size();
  result.count = result.best_count = 1;
  result.near_mate = true;
  results.reads[r] = result;
  results.alignments.push_back(near);
  return true;
}

std::uint8_t LocalSearch::quality(const Found& found, const Window& window, std::uint64_t begin,
                                  const align::Alignment& partner, const align::Alignment* other_place) const {
  // The best piece that shares no position with the chosen one.
  std::int64_t rival = other_place != nullptr ? other_place->score - kUnpaired : 0;
  for (std::uint64_t i = window.begin; i < window.end; ++i) {
    const WindowScores::Piece piece = scores_.at(static_cast<std::size_t>(i - window.begin));
    if (i < begin || i >= found.last + piece.bases + edits_of(piece)) {
      rival = std::max<std::int64_t>(rival, piece.score);
    }
  }
  const double positions = static_cast<double>(window.end - window.begin);
  const auto window_cost = static_cast<std::uint32_t>(std::lround(10 * std::log10(positions)));
  const std::int64_t by_chance = align::chance_cost(found.piece.bases, found.edits, window_cost);
  const std::int64_t beside_rival = std::int64_t{align::MapqModel::kClipCost} * (found.piece.score - rival);
  return static_cast<std::uint8_t>(
      std::max<std::int64_t>(0, std::min({std::int64_t{partner.mapq}, by_chance, beside_rival})));
}

}  // namespace trawl::clip
