#include "map/verification.hpp"

#include <algorithm>

#include "align/host_comparison.hpp"
#include "base/bits.hpp"

namespace trawl::map {

namespace {

// Strands that share seeds have a gate if it may spare this number of windows: a few times the SIMD lanes.
constexpr std::size_t kGatedWindows = 64;
// And if they have this number of bases in common: fewer match in too many places.
constexpr std::uint32_t kGateBases = 30;

}  // namespace

// A repeat has many copies that match none of the strands, and each would be verified for every strand. But where a
// strand matches, the bases that all of them hold match, too, with no more edits. So these are verified first.
//
//   region     ==============================
//   strands       [------------------)              7 edits
//                      [------------------)         5 edits
//   gate               [-------------)              where it has 6 edits, only the first strand can match
void Verification::take(std::uint32_t first, const std::vector<std::int64_t>& diagonals) {
  const std::uint32_t strands = strands_[first].with_its_seeds();
  const bool gated =
      strands > 1 && diagonals.size() > 1 && diagonals.size() * strands >= kGatedWindows && set_gate(first);
  if (gated) {
    measure_at_gate(diagonals);
  }
  for (std::uint32_t k = 0; k < strands; ++k) {
    const std::uint32_t s = first + 2 * k;
    if (!gated) {
      verify(s, diagonals);
      continue;
    }
    passed_.clear();
    for (std::size_t i = 0; i < diagonals.size(); ++i) {
      if (gate_distances_[i] <= strands_[s].max_edits) {
        passed_.push_back(diagonals[i]);
      }
    }
    verify(s, passed_);
  }
}

// False if the strands have no bases in common that are worth it.
bool Verification::set_gate(std::uint32_t first) {
  const sequence::EncodedRead& region = *strands_[first].region;
  std::int64_t begin = 0;
  auto end = static_cast<std::int64_t>(region.length());
  std::uint32_t max_edits = 0;
  for (std::uint32_t k = 0; k < strands_[first].sharing; ++k) {
    const Strand& strand = strands_[first + 2 * k];
    begin = std::max(begin, strand.offset);
    end = std::min(end, strand.offset + static_cast<std::int64_t>(strand.read->length()));
    max_edits = std::max(max_edits, strand.max_edits);
  }
  const bool fits_lanes = end - begin <= std::int64_t{kMaxLaneRead} && band_width(max_edits) > 0;
  if (end < begin + std::max(kGateBases, max_edits + 1) || (rule_.gaps && !fits_lanes)) {
    return false;
  }
  gate_bases_.encode_part(region, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  gate_ = {&gate_bases_, max_edits, max_edits};
  gate_.offset = begin;
  return true;
}

// The result is in gate_distances_.
void Verification::measure_at_gate(const std::vector<std::int64_t>& diagonals) {
  gate_distances_.assign(diagonals.size(), gate_.max_edits + 1);
  if (!rule_.gaps) {
    for (std::size_t i = 0; i < diagonals.size(); ++i) {
      gate_distances_[i] = mismatches_at(gate_, diagonals[i] + gate_.offset).value_or(gate_distances_[i]);
    }
    return;
  }
  const unsigned band = band_width(gate_.max_edits);
  gate_windows_.clear();
  add_windows(gate_, 0, diagonals, gate_windows_);
  verified_.clear();
  verify_windows(rule_.reference, &gate_, gate_windows_, band, rule_.ambiguous_matches, verified_);
  std::size_t i = 0;
  for (const BandDistances& found : verified_) {
    const std::uint32_t distance = smallest_distance(found, band);
    const std::int64_t first = gate_windows_[found.window].begin - gate_.offset + gate_.max_edits;
    const std::int64_t last = first + band - (2 * std::int64_t{gate_.max_edits} + 1);
    while (diagonals[i] < first) {
      ++i;
    }
    for (; i < diagonals.size() && diagonals[i] <= last; ++i) {
      gate_distances_[i] = distance;
    }
  }
}

void Verification::verify(std::uint32_t strand, const std::vector<std::int64_t>& diagonals) {
  const std::uint32_t max_edits = strands_[strand].max_edits;
  if (!rule_.gaps || max_edits == 0) {
    count_mismatches(strand, diagonals);
  } else if (band_width(max_edits) == 0 || strands_[strand].read->length() > kMaxLaneRead) {
    verify_columns(strand, diagonals);
  } else {
    add_windows(strands_[strand], strand, diagonals, queues_.of(max_edits));
  }
}

void Verification::count_mismatches(std::uint32_t strand, const std::vector<std::int64_t>& diagonals) {
  const Strand& own = strands_[strand];
  found_.begin(strand);
  for (const std::int64_t diagonal : diagonals) {
    const std::int64_t begin = diagonal + own.offset;
    if (const auto mismatches = mismatches_at(own, begin)) {
      const auto distance = static_cast<std::uint16_t>(*mismatches);
      found_.add(begin + static_cast<std::int64_t>(own.read->length()) - 1, {&distance, 1});
    }
  }
  found_.end();
}

// The mismatches of a read that begins at `begin`, if they are few enough and the read lies in one contig.
std::optional<std::uint32_t> Verification::mismatches_at(const Strand& strand, std::int64_t begin) const {
  const auto length = static_cast<std::uint32_t>(strand.read->length());
  const bool clear = sequence::is_clear(rule_.reference, begin, length);
  if (!clear) {
    const auto& contig =
        rule_.reference
            .contigs()[rule_.reference.contig_at(static_cast<std::uint64_t>(std::max(begin, std::int64_t{0})))];
    if (begin < static_cast<std::int64_t>(contig.offset) ||
        begin + length > static_cast<std::int64_t>(contig.offset + contig.length)) {
      return std::nullopt;
    }
  }
  std::uint32_t mismatches = 0;
  const auto count = [&](const auto& comparison) {
    comparison.differences(0, static_cast<std::uint64_t>(begin), length, [&](std::uint64_t bits, std::uint32_t) {
      mismatches += popcount(bits);
      return mismatches <= strand.max_edits;
    });
  };
  const align::HostComparison plain{rule_.reference, *strand.read};
  if (rule_.ambiguous_matches && (!clear || strand.read->ambiguous > 0)) {
    count(align::SetComparison{plain});
  } else {
    count(plain);
  }
  return mismatches <= strand.max_edits ? std::optional(mismatches) : std::nullopt;
}

// Neighbouring diagonals share one window of any width. Only the part of the matrix on these diagonals is computed:
// ends on other diagonals have candidates of their own.
void Verification::verify_columns(std::uint32_t strand, const std::vector<std::int64_t>& diagonals) {
  const Strand& own = strands_[strand];
  const std::size_t length = own.read->length();
  const std::int64_t edits = own.max_edits;
  columns_.start(*own.read);
  found_.begin(strand);
  for (std::size_t i = 0; i < diagonals.size();) {
    const std::int64_t first = diagonals[i];
    std::int64_t last = first;
    while (i < diagonals.size() && diagonals[i] <= last + 2 * edits + 1) {
      last = diagonals[i++];
    }
    const std::int64_t begin = first + own.offset - edits;
    const auto width = static_cast<std::size_t>(last - first + 2 * edits);
    text_.load(rule_.reference, begin, length + width, rule_.ambiguous_matches);
    columns_.run(text_, width, [&](std::size_t j, std::int64_t found) {
      if (found <= edits && j + 1 >= length) {
        const auto distance = static_cast<std::uint16_t>(found);
        found_.add(begin + static_cast<std::int64_t>(j), {&distance, 1});
      }
    });
  }
  found_.end();
}

void Verification::add_windows(const Strand& strand, std::uint32_t number, const std::vector<std::int64_t>& diagonals,
                               std::vector<BandWindow>& windows) const {
  const auto& read = *strand.read;
  const std::int64_t edits = strand.max_edits;
  const unsigned band = band_width(strand.max_edits);
  const std::int64_t slack = static_cast<std::int64_t>(band) - (2 * edits + 1);
  for (std::size_t i = 0; i < diagonals.size();) {
    const std::int64_t first = diagonals[i];
    while (i < diagonals.size() && diagonals[i] <= first + slack) {
      ++i;
    }
    const std::int64_t begin = first + strand.offset - edits;
    const bool clear = read.ambiguous == 0 && sequence::is_clear(rule_.reference, begin, read.length() + band);
    if (clear) {
      const sequence::PlaneBlock* planes = rule_.reference.planes().data() + begin / 64;
      __builtin_prefetch(planes);
      __builtin_prefetch(planes + (read.length() + band) / 64 + 1);
    }
    windows.push_back({begin, number, clear});
  }
}

void Verification::verify_waiting(std::size_t at_least) {
  for (WindowQueue& queue : queues_) {
    if (queue.windows.size() >= at_least) {
      verify(queue);
    }
  }
}

void Verification::verify(WindowQueue& queue) {
  verified_.clear();
  verify_windows(rule_.reference, strands_.data(), queue.windows, queue.band, rule_.ambiguous_matches, verified_);
  std::uint16_t values[64];
  for (std::size_t v = 0; v < verified_.size();) {
    const std::uint32_t s = queue.windows[verified_[v].window].strand;
    found_.begin(s);
    for (; v < verified_.size() && queue.windows[verified_[v].window].strand == s; ++v) {
      const BandDistances& found = verified_[v];
      auto value = static_cast<int>(found.distance);
      for (unsigned bit = 0; bit < queue.band; ++bit) {
        values[bit] = static_cast<std::uint16_t>(value);
        value += static_cast<int>((found.vp >> bit) & 1) - static_cast<int>((found.vn >> bit) & 1);
      }
      found_.add(queue.windows[found.window].begin + static_cast<std::int64_t>(strands_[s].read->length()) - 1,
                 {values, queue.band});
    }
    found_.end();
  }
  queue.windows.clear();
}

}  // namespace trawl::map
