#include "clip/whole_loci.hpp"

#include <algorithm>

namespace trawl::clip {

void WholeLoci::add(const sequence::EncodedRead& strand, bool reverse, std::uint32_t max_edits,
                    const engine::EndRange& range, const sequence::AmbiguousLimit& limit, ClippedLoci& found) {
  const std::size_t m = strand.length();
  columns_.start(strand);
  const std::int64_t begin = static_cast<std::int64_t>(range.first) - static_cast<std::int64_t>(m + max_edits) + 1;
  text_.load(reference_, begin, static_cast<std::size_t>(static_cast<std::int64_t>(range.last) - begin + 1),
             ambiguous_matches_);
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
  columns_.run(text_, [&](std::size_t j, std::int64_t distance) {
    const std::int64_t here = begin + static_cast<std::int64_t>(j);
    if (here < static_cast<std::int64_t>(range.first)) {
      return;
    }
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
