#include "map/separation.hpp"

#include <algorithm>

#include "sequence/text_window.hpp"

namespace trawl::map {

void Separation::start(const std::vector<Strand>& strands) {
  strands_ = strands;
  for (Strand& strand : strands_) {
    strand.max_edits = strand.allowed_edits;
  }
  unproven_.assign(strands.size(), false);
  for (WindowQueue& queue : queues_) {
    queue.windows.clear();
  }
}

void Separation::add(std::uint32_t s, std::span<const align::Locus> loci) {
  const Strand& strand = strands_[s];
  const std::uint32_t e = strand.allowed_edits;
  const auto length = static_cast<std::int64_t>(strand.read->length());
  const unsigned band = band_width(e);
  for (std::size_t i = 0; i + 1 < loci.size(); ++i) {
    const align::Locus& left = loci[i];
    const align::Locus& right = loci[i + 1];
    if (reference_.contig_at(left.end) != reference_.contig_at(right.end)) {
      continue;
    }
    // D grows by at most one from end to end. So the ends before `first` belong to the left locus, and those from
    // `behind` on to the right one.
    const std::uint64_t first = left.end + (e - left.distance) + 1;
    const std::uint64_t behind = right.end - std::min<std::uint64_t>(right.end, e - right.distance);
    if (first >= behind) {
      unproven_[s] = true;
      return;
    }
    const std::int64_t begin = static_cast<std::int64_t>(first) - e - length + 1;
    const bool clear =
        strand.read->ambiguous == 0 && sequence::is_clear(reference_, begin, strand.read->length() + band);
    queues_.of(e).push_back(
        {begin, s, clear, static_cast<std::uint8_t>(std::min<std::uint64_t>(63, behind - 1 - first + e))});
  }
}

void Separation::prove() {
  for (const WindowQueue& queue : queues_) {
    verified_.clear();
    verify_windows(reference_, strands_.data(), queue.windows, queue.band, ambiguous_matches_, verified_);
    // If a window is not among those found, none of its ends is within the allowed edits.
    for (const BandDistances& found : verified_) {
      const Window& window = queue.windows[found.window];
      const std::uint32_t e = strands_[window.strand].allowed_edits;
      // Alignments to these ends with up to e edits stay in the band. So D is exact here, or it is more than e.
      std::uint32_t value = found.distance;
      bool separate = false;
      for (unsigned bit = 0; bit + e < queue.band; ++bit) {
        separate = separate || (bit >= e && value > e && bit <= window.last);
        value += static_cast<std::uint32_t>((found.vp >> bit) & 1);
        value -= static_cast<std::uint32_t>((found.vn >> bit) & 1);
      }
      unproven_[window.strand] = unproven_[window.strand] || !separate;
    }
  }
}

}  // namespace trawl::map
