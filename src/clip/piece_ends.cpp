#include "clip/piece_ends.hpp"

#include <algorithm>
#include <stdexcept>

#include "align/report_rule.hpp"
#include "base/wide_word.hpp"
#include "match/banded_myers.hpp"

namespace trawl::clip {

namespace {

template <class BitsAt>
void set_bits(std::uint64_t& word, std::size_t i, const BitsAt& bits_at) {
  word = bits_at(i);
}

template <unsigned kLimbs, class BitsAt>
void set_bits(WideWord<kLimbs>& word, std::size_t i, const BitsAt& bits_at) {
  for (std::size_t limb = 0; limb < kLimbs; ++limb) {
    word.limbs[limb] = bits_at(i + 64 * limb);
  }
}

}  // namespace

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

template <class Word>
std::uint32_t PieceEnds::spread_with(const sequence::EncodedRead& strand, const align::Piece& piece, std::int64_t end,
                                     std::uint32_t max_edits, const sequence::Contig& contig) {
  constexpr unsigned kBits = 8 * sizeof(Word);
  const std::uint32_t length = piece.length();
  const auto contig_end = static_cast<std::int64_t>(contig.offset + contig.length);
  std::int64_t last = end;
  for (std::int64_t first_end = end;; first_end += kBits - 2 * max_edits) {
    const std::int64_t begin = first_end + 1 - static_cast<std::int64_t>(length + max_edits);
    text_.load(reference_, begin, length + kBits, ambiguous_matches_);
    match::BandState<Word> state;
    std::uint32_t distance = length;
    for (std::uint32_t i = 0; i < length; ++i) {
      Word eq;
      set_bits(eq, i, [&](std::size_t at) { return text_.match_bits(strand, piece.begin + i, at); });
      distance -= bit(match::banded_row(match::PlainOps<Word>{}, state, eq).d0, 0) ? 1 : 0;
    }
    for (unsigned b = 0; b < kBits - max_edits; ++b) {
      if (b >= max_edits) {
        const std::int64_t here = first_end + b - max_edits;
        if (distance > max_edits || here >= contig_end) {
          return static_cast<std::uint32_t>(last - end);
        }
        last = distance == piece.edits ? here : last;
      }
      distance = distance + (bit(state.vp, b) ? 1 : 0) - (bit(state.vn, b) ? 1 : 0);
    }
  }
}

std::uint32_t PieceEnds::spread(const sequence::EncodedRead& strand, const align::Piece& piece, std::int64_t end,
                                std::uint32_t max_edits, const sequence::Contig& contig) {
  if (max_edits <= 24) {
    return spread_with<std::uint64_t>(strand, piece, end, max_edits, contig);
  }
  if (max_edits <= 48) {
    return spread_with<WideWord<2>>(strand, piece, end, max_edits, contig);
  }
  static_assert(2 * align::kMaxEdits < 8 * sizeof(WideWord<9>));
  return spread_with<WideWord<9>>(strand, piece, end, max_edits, contig);
}

}  // namespace trawl::clip
