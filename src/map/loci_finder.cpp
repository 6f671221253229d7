#include "map/loci_finder.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/stop.hpp"
#include "base/stopwatch.hpp"
#include "map/reference_scan.hpp"
#include "map/search_depth.hpp"
#include "sequence/text_window.hpp"

namespace trawl::map {

namespace {

// Strands worked on at the same time, between the steps of seeding: enough to hide cache misses, but so few that their
// data stay in the L2 cache.
constexpr std::size_t kSlots = 8;
// Positions of a seed that are asked for early; and how many are in a line of the cache.
constexpr std::size_t kPrefetched = 64;
constexpr std::size_t kPositionsOfLine = 16;
// Verification starts when this many windows are waiting.
constexpr std::size_t kQueuedWindows = 512;
// A seed hit costs about as much time as scanning this many reference bases for one 64-base word of one strand, with
// half-full SIMD lanes (docs/record/map.md).
constexpr std::uint64_t kBasesPerHit = 20;

}  // namespace

LociFinder::LociFinder(const sequence::Reference& reference, const seed::SeedIndex& index, const MapOptions& options)
    : rule_(reference, options),
      index_(index),
      strata_(SearchDepth::strata(options)),
      kept_strata_(strata_),
      found_(rule_),
      verification_(rule_, found_),
      separation_(reference, rule_.ambiguous_matches),
      slots_(kSlots) {}

void LociFinder::find(const std::vector<Strand>& strands) {
  left_to_scan_.assign(strands.size(), false);
  found_.start(strands);
  verification_.start(strands);
  seed_strands(strands);
  if (rule_.reference_matches_more) {
    Stopwatch watch;
    scan_around_ambiguous(rule_, strands, left_to_scan_, found_);
    watch.lap(seconds_.scan);
  }
  found_.finish();
  separate(strands);
}

void LociFinder::scan(const std::vector<Strand>& strands) {
  Stopwatch watch;
  found_.start(strands);
  scan_strands(rule_, strands, kept_strata_, found_);
  watch.lap(seconds_.scan);
  separate(strands);
}

void LociFinder::separate(const std::vector<Strand>& strands) {
  Stopwatch watch;
  separation_.start(strands);
  for (std::uint32_t s = 0; s < strands.size(); ++s) {
    if (rule_.gaps && strands[s].max_edits < strands[s].allowed_edits && loci(s).size() > 1) {
      separation_.add(s, loci(s));
    }
  }
  separation_.prove();
  if (rule_.reference.has_repeats() && !rule_.with_runs) {
    found_.drop_repeats();
  }
  watch.lap(seconds_.verify);
}

void LociFinder::seed_strands(const std::vector<Strand>& strands) {
  Stopwatch watch;
  // All lanes of a SIMD group run for as many rows as the longest read among them has.
  order_.resize(strands.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return strands[a].read->length() < strands[b].read->length();
  });
  std::size_t filled = 0;
  for (const std::uint32_t s : order_) {
    const Strand& strand = strands[s];
    const auto& read = strand.seeded_part();
    std::size_t seeds = strand.region != nullptr ? strand.seeds : strand.max_edits + 1;
    const std::size_t lost = rule_.ambiguous_matches ? 0 : read.ambiguous;  // every ambiguous base costs an edit
    if (strand.with_its_seeds() == 0 || lost >= seeds || !strand.is_searched) {
      continue;
    }
    seeds -= lost;
    const auto plan = rule_.search == SearchMethod::scan ? seed::SeedPlan()
                                                         : seed::SeedPlan::of(read, seeds, index_.q(), are_own(strand));
    if (plan.length == 0) {
      leave_to_scan(strands, s);
      continue;
    }
    slots_[filled].strand = s;
    slots_[filled].selection.begin(index_, read, plan);
    if (++filled == kSlots) {
      seed_group(strands, std::span(slots_).first(filled));
      filled = 0;
      watch.lap(seconds_.seed);
      verification_.verify_waiting(kQueuedWindows);
      watch.lap(seconds_.verify);
    }
  }
  seed_group(strands, std::span(slots_).first(filled));
  watch.lap(seconds_.seed);
  verification_.verify_waiting(0);
  watch.lap(seconds_.verify);
}

void LociFinder::seed_group(const std::vector<Strand>& strands, std::span<SeededStrand> slots) {
  Stop::look();
  for (SeededStrand& slot : slots) {
    slot.selection.choose(index_);
    for (const auto& seed : slot.selection.seeds()) {
      for (const auto& shard : index_.shards()) {
        const auto positions = index_.find(shard, seed.key, slot.selection.length());
        for (std::size_t p = 0; p < std::min(positions.size(), kPrefetched); p += kPositionsOfLine) {
          __builtin_prefetch(positions.data() + p);
        }
      }
    }
  }
  std::size_t kept = 0;
  for (std::size_t first = 0, together = 0; first < slots.size(); first += together) {
    const std::uint32_t s = slots[first].strand;
    together = first + 1 < slots.size() && slots[first + 1].strand / 2 == s / 2 ? 2 : 1;  // the strands of one read
    const std::span<SeededStrand> read = slots.subspan(first, together);
    const Strand& strand = strands[s];
    if (scan_is_cheaper(strand, read)) {
      leave_to_scan(strands, s);
      continue;
    }
    for (SeededStrand& slot : read) {
      slot.candidates.collect(rule_.reference, index_, slot.selection, strands[slot.strand].seeded_part(),
                              rule_.gaps && are_own(strand) ? strand.max_edits : 0);
      if (SeededStrand& to = slots[kept++]; &to != &slot) {
        std::swap(to, slot);
      }
    }
  }
  for (SeededStrand& slot : slots.first(kept)) {
    verification_.take(slot.strand, slot.candidates.filter(rule_.reference, strands[slot.strand].seeded_part()));
  }
}

bool LociFinder::are_own(const Strand& strand) const {
  return strand.region == nullptr && !(rule_.gaps && rule_.ambiguous_matches);
}

bool LociFinder::scan_is_cheaper(const Strand& strand, std::span<const SeededStrand> read) const {
  std::uint64_t hits = 0;
  for (const SeededStrand& slot : read) {
    hits += slot.selection.hits();
  }
  return rule_.search == SearchMethod::automatic &&
         hits * kBasesPerHit > 2 * rule_.reference.bases() * ((strand.read->length() + 63) / 64);
}

void LociFinder::leave_to_scan(const std::vector<Strand>& strands, std::uint32_t strand) {
  const std::uint32_t forward = strand & ~1u;
  for (std::uint32_t s = forward; s < forward + 2 * strands[strand].with_its_seeds(); ++s) {
    left_to_scan_[s] = true;
  }
}

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
      const BandWindow& window = queue.windows[found.window];
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
