#include "clip/whole_loci.hpp"

namespace trawl::clip {

void WholeLoci::add(const sequence::EncodedRead& strand, bool reverse, std::uint32_t max_edits,
                    const engine::EndRange& range, ClippedLoci& found) {
  const std::size_t m = strand.length();
  const auto words = static_cast<unsigned>((m + 63) / 64);
  rows_.assign(16 * words, 0);  // [set][word]: the rows that match a text letter's set
  for (std::size_t i = 0; i < m; ++i) {
    for (unsigned set = 1; set < 16; ++set) {
      rows_[set * words + i / 64] |= std::uint64_t{(strand.set(i) & set) != 0} << (i % 64);
    }
  }
  columns_.assign(words, {});
  const std::int64_t begin = static_cast<std::int64_t>(range.first) - static_cast<std::int64_t>(m + max_edits) + 1;
  const auto length = static_cast<std::size_t>(static_cast<std::int64_t>(range.last) - begin + 1);
  text_.load(reference_, begin, length, ambiguous_matches_);
  const std::uint64_t last_row = std::uint64_t{1} << ((m - 1) % 64);
  align::Locus locus;
  std::int64_t best = INT64_MAX;
  std::int64_t distance = static_cast<std::int64_t>(m);
  for (std::size_t j = 0; j < length; ++j) {
    distance += match::myers_step(columns_.data(), rows_.data() + text_.set_at(j) * words, words, last_row);
    const auto end = static_cast<std::uint64_t>(begin + static_cast<std::int64_t>(j));
    if (begin + static_cast<std::int64_t>(j) < static_cast<std::int64_t>(range.first)) {
      continue;
    }
    if (distance < best) {
      best = distance;
      locus.end = end;
    }
    locus.spread = distance == best ? static_cast<std::uint32_t>(end - locus.end) : locus.spread;
  }
  const align::Piece piece{0, static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(best)};
  locus.distance = static_cast<std::uint16_t>(piece.penalty(piece.end));
  locus.reverse = reverse;
  found.loci.push_back(locus);
  found.pieces.push_back(piece);
}

}  // namespace trawl::clip
