#include "map/mismatch_scan.hpp"

#include <algorithm>
#include <bit>

#include "match/mismatch_counts.hpp"
#include "sequence/text_window.hpp"

namespace trawl::map {

namespace {

// Positions whose bit planes are loaded at once.
constexpr std::uint64_t kWindow = 1 << 14;

}  // namespace

std::vector<Stretch> whole_contigs(const sequence::Reference& reference) {
  std::vector<Stretch> stretches;
  for (const auto& contig : reference.contigs()) {
    stretches.push_back({contig.offset, contig.offset + contig.length});
  }
  return stretches;
}

void scan_without_gaps(const sequence::Reference& reference, const std::vector<Strand>& strands,
                       const std::vector<Stretch>& stretches, bool ambiguous_matches, const TakeEnds& take) {
  std::size_t longest = 0;
  for (const Strand& strand : strands) {
    longest = std::max(longest, strand.read->length());
  }
  sequence::TextWindow text;
  std::vector<align::EndDistance> found;
  for (const Stretch& stretch : stretches) {
    for (std::uint64_t begin = stretch.begin; begin < stretch.end; begin += kWindow) {
      text.load(reference, static_cast<std::int64_t>(begin), kWindow + longest + 64, ambiguous_matches);
      for (std::size_t s = 0; s < strands.size(); ++s) {
        const auto& read = *strands[s].read;
        const std::size_t length = read.length();
        // The read may begin at the first `starts` positions.
        const std::uint64_t starts =
            stretch.end - begin < length ? 0 : std::min(kWindow, stretch.end - begin - length + 1);
        found.clear();
        for (std::uint64_t at = 0; at < starts; at += 64) {
          match::MismatchCounts counts(strands[s].max_edits);
          for (std::size_t i = 0; i < length && counts.within() != 0; ++i) {
            counts.add(~text.match_bits(read, i, at + i));
          }
          std::uint64_t within = counts.within();
          if (starts - at < 64) {
            within &= (std::uint64_t{1} << (starts - at)) - 1;
          }
          for (; within != 0; within &= within - 1) {
            const auto bit = static_cast<unsigned>(std::countr_zero(within));
            found.push_back({begin + at + bit + length - 1, static_cast<std::uint16_t>(counts.at(bit))});
          }
        }
        if (!found.empty()) {
          take(s, found);
        }
      }
    }
  }
}

}  // namespace trawl::map
