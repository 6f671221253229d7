#include "clip/piece_ends.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace trawl::clip {

void ClippedLoci::sort_and_unite() {
  std::vector<std::uint32_t> order(loci.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto key = [&](std::uint32_t i) {
    return std::tuple(loci[i].reverse, loci[i].end, pieces[i].begin, pieces[i].end, pieces[i].edits);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return key(a) == key(b); };
  order.erase(std::unique(order.begin(), order.end(), same), order.end());
  const ClippedLoci before = std::exchange(*this, {});
  for (const std::uint32_t i : order) {
    loci.push_back(before.loci[i]);
    pieces.push_back(before.pieces[i]);
  }
}

template <class Visit>
void PieceEnds::visit_ends(const sequence::EncodedRead& read, std::uint32_t max_edits, std::int64_t first,
                           std::int64_t last, const Visit& visit) {
  const std::int64_t begin = first + 1 - static_cast<std::int64_t>(read.length() + max_edits);
  text_.load(reference_, begin, static_cast<std::size_t>(last - begin + 1), ambiguous_matches_);
  columns_.run(text_, text_.length(), [&](std::size_t j, std::int64_t distance) {
    const std::int64_t end = begin + static_cast<std::int64_t>(j);
    if (end >= first) {
      visit(end, distance);
    }
  });
}

std::int64_t PieceEnds::leftmost_end(const sequence::EncodedRead& strand, const align::Piece& piece,
                                     std::span<const MiddleNode> nodes, std::uint32_t row) {
  // An end lies at most `edits` diagonals from its node. So nodes further than twice that from the first one do not
  // matter.
  const auto edits = static_cast<std::int64_t>(piece.edits);
  const std::int64_t first = nodes.front().diagonal - edits;
  const auto lanes = static_cast<std::size_t>(4 * edits + 1);
  const std::uint32_t none = piece.edits + 1;
  row_.assign(lanes + 1, none);
  for (const MiddleNode& node : nodes) {
    if (node.diagonal <= nodes.front().diagonal + 2 * edits) {
      row_[static_cast<std::size_t>(node.diagonal - first)] = node.edits;
    }
  }
  text_.load(reference_, first + row, piece.end - row + lanes, ambiguous_matches_);
  for (std::uint32_t i = row; i < piece.end; ++i) {
    const unsigned set = strand.set(i);
    for (std::size_t k = 0; k < lanes; ++k) {
      const bool match = (text_.set_at(i - row + k) & set) != 0;
      row_[k] = std::min({row_[k] + (match ? 0u : 1u), row_[k + 1] + 1, k > 0 ? row_[k - 1] + 1 : none, none});
    }
  }
  for (std::size_t k = 0; k < lanes; ++k) {
    if (row_[k] <= piece.edits) {
      return first + static_cast<std::int64_t>(piece.end + k) - 1;
    }
  }
  throw std::logic_error("a piece has no end; please report this");
}

std::uint32_t PieceEnds::spread(const sequence::EncodedRead& strand, const align::Piece& piece, std::int64_t end,
                                std::uint32_t max_edits, const sequence::Contig& contig) {
  const auto contig_end = static_cast<std::int64_t>(contig.offset + contig.length);
  part_.encode_part(strand, piece.begin, piece.end);
  columns_.start(part_);
  std::int64_t last = end;
  bool goes_on = true;
  for (std::int64_t first = end, next = end + max_edits + 1; goes_on; first = next, next += 64 + 2 * max_edits) {
    visit_ends(part_, max_edits, first, next - 1, [&](std::int64_t here, std::int64_t distance) {
      goes_on = goes_on && distance <= max_edits && here < contig_end;
      last = goes_on && distance == piece.edits ? here : last;
    });
  }
  return static_cast<std::uint32_t>(last - end);
}

void PieceEnds::add_whole(const sequence::EncodedRead& strand, bool reverse, std::uint32_t max_edits,
                          const engine::EndRange& range, const sequence::AmbiguousLimit& limit, ClippedLoci& found) {
  const std::size_t m = strand.length();
  columns_.start(strand);
  align::Locus locus;
  locus.reverse = reverse;
  std::int64_t best = INT64_MAX;
  std::uint64_t first = 0;  // ends of the run
  std::uint64_t last = 0;
  const auto flush = [&] {
    if (best < INT64_MAX) {
      const align::Piece piece{0, static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(best)};
      locus.distance = static_cast<std::uint16_t>(piece.penalty(piece.end));
      locus.before = static_cast<std::uint32_t>(locus.end - first);
      locus.after = static_cast<std::uint32_t>(last - locus.end);
      found.loci.push_back(locus);
      found.pieces.push_back(piece);
      best = INT64_MAX;
    }
  };
  visit_ends(strand, max_edits, static_cast<std::int64_t>(range.first), static_cast<std::int64_t>(range.last),
             [&](std::int64_t here, std::int64_t distance) {
               const auto end = static_cast<std::uint64_t>(here);
               if (ambiguous_matches_ && !sequence::allows_end(reference_, limit, m, end)) {
                 flush();
                 return;
               }
               first = best == INT64_MAX ? end : first;
               last = end;
               if (distance < best) {
                 best = distance;
                 locus.end = end;
               }
               locus.spread = distance == best ? static_cast<std::uint32_t>(end - locus.end) : locus.spread;
             });
  flush();
}

}  // namespace trawl::clip
