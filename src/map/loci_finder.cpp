#include "map/loci_finder.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "align/host_comparison.hpp"
#include "base/stopwatch.hpp"
#include "map/mismatch_scan.hpp"
#include "map/scanned_loci.hpp"
#include "map/search_depth.hpp"
#include "sequence/packed_letters.hpp"
#include "sequence/plane_window.hpp"

namespace trawl::map {

namespace {

// Strands worked on at the same time, between the steps of seeding: enough to hide cache misses, but so few that their
// data stay in the L2 cache.
constexpr std::size_t kSlots = 8;
// Verification starts when this many windows are waiting.
constexpr std::size_t kQueuedWindows = 512;
// A seed hit costs about as much time as scanning this many reference bases for one 64-base word of one strand, with
// half-full SIMD lanes (docs/record/map.md).
constexpr std::uint64_t kBasesPerHit = 20;
// Strands that share seeds have a gate if it may spare so many windows: a few times as many as fill the SIMD lanes.
constexpr std::size_t kGatedWindows = 64;
// And if they hold so many bases in common: fewer match in too many places.
constexpr std::uint32_t kGateBases = 30;

// What the seeds of a strand are parts of.
const sequence::EncodedRead& seeded_part(const Strand& strand) {
  return strand.region != nullptr ? *strand.region : *strand.read;
}

// How many strands have the seeds of this one, itself included.
std::uint32_t sharing(const Strand& strand) { return strand.region != nullptr ? strand.sharing : 1; }

}  // namespace

LociFinder::LociFinder(const sequence::Reference& reference, const seed::SeedIndex& index, const Options& options)
    : reference_(reference),
      index_(index),
      search_(options.search),
      strata_(SearchDepth::strata(options)),
      kept_strata_(strata_),
      ambiguous_matches_(options.ambiguous == Ambiguous::match),
      max_ambiguous_(options.max_ambiguous),
      gaps_(options.gaps()),
      reference_matches_more_(ambiguous_matches_ && !reference.ambiguous_runs().empty()),
      slots_(kSlots),
      separation_(reference, ambiguous_matches_) {}

void LociFinder::start(const std::vector<Strand>& strands) {
  loci_.clear();
  runs_.clear();
  ranges_.assign(strands.size(), {});
  left_to_scan_.assign(strands.size(), false);
  ends_.resize(strands.size());
  for (auto& ends : ends_) {
    ends.clear();
  }
}

void LociFinder::start_builder(const Strand& strand, bool reverse) {
  builder_.start(reference_, strand.max_edits, reverse, loci_, with_runs_ ? &runs_ : nullptr, !gaps_);
}

void LociFinder::find(const std::vector<Strand>& strands) {
  start(strands);
  seed_strands(strands);
  scan_around_ambiguous(strands);
  for (std::uint32_t s = 0; s < strands.size(); ++s) {
    if (!ends_[s].empty()) {
      build_loci(strands, s, ends_[s]);
    }
  }
  separate(strands);
}

void LociFinder::separate(const std::vector<Strand>& strands) {
  Stopwatch watch;
  separation_.start(strands);
  for (std::uint32_t s = 0; s < strands.size(); ++s) {
    if (gaps_ && strands[s].max_edits < strands[s].allowed_edits && ranges_[s].count > 1) {
      separation_.add(s, loci(s));
    }
  }
  separation_.prove();
  if (reference_.has_repeats() && !with_runs_) {
    drop_repeats();
  }
  watch.lap(seconds_.verify);
}

// Of circular contigs: loci that are the same as others.
void LociFinder::drop_repeats() {
  for (Range& range : ranges_) {
    const auto first = loci_.begin() + static_cast<std::ptrdiff_t>(range.first);
    const auto kept = std::remove_if(first, first + static_cast<std::ptrdiff_t>(range.count), [&](const auto& locus) {
      return !reference_.contigs()[reference_.contig_at(locus.end)].is_own(locus.end);
    });
    range.count = static_cast<std::size_t>(kept - first);
  }
}

bool LociFinder::scan_is_cheaper(const Strand& strand, std::uint64_t hits) const {
  return search_ == Search::automatic &&
         hits * kBasesPerHit > 2 * reference_.bases() * ((strand.read->length() + 63) / 64);
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
    if (strand.region != nullptr && strand.sharing == 0) {
      continue;
    }
    const auto& read = seeded_part(strand);
    std::size_t seeds = strand.region != nullptr ? strand.seeds : strand.max_edits + 1;
    if (!ambiguous_matches_) {
      if (read.ambiguous >= seeds) {
        continue;  // every ambiguous base costs an edit
      }
      seeds -= read.ambiguous;
    }
    const unsigned length = search_ == Search::scan ? 0 : seed::longest_seed_length(read, seeds, index_.q());
    if (length == 0) {
      leave_to_scan(strands, s);
      continue;
    }
    slots_[filled].strand = s;
    slots_[filled].selection.begin(index_, read, seeds, length, seed::widest_step(read, seeds, length));
    if (++filled == kSlots) {
      seed_group(strands, std::span(slots_).first(filled));
      filled = 0;
      watch.lap(seconds_.seed);
      for (auto& queue : queues_) {
        if (queue.windows.size() >= kQueuedWindows) {
          verify(strands, queue);
        }
      }
      watch.lap(seconds_.verify);
    }
  }
  seed_group(strands, std::span(slots_).first(filled));
  watch.lap(seconds_.seed);
  for (auto& queue : queues_) {
    verify(strands, queue);
  }
  watch.lap(seconds_.verify);
}

void LociFinder::seed_group(const std::vector<Strand>& strands, std::span<Slot> slots) {
  for (Slot& slot : slots) {
    slot.selection.choose(index_);
    for (const auto& seed : slot.selection.seeds()) {
      for (const auto& shard : index_.shards()) {
        __builtin_prefetch(index_.find(shard, seed.key, slot.selection.length()).data());
      }
    }
  }
  std::size_t kept = 0;
  for (std::size_t pair = 0; pair < slots.size(); pair += 2) {
    Slot& forward = slots[pair];
    Slot& reverse = slots[pair + 1];
    if (scan_is_cheaper(strands[forward.strand], forward.selection.hits() + reverse.selection.hits())) {
      leave_to_scan(strands, forward.strand);
      leave_to_scan(strands, reverse.strand);
      continue;
    }
    for (Slot* slot : {&forward, &reverse}) {
      const Strand& strand = strands[slot->strand];
      const bool screened = gaps_ && !ambiguous_matches_ && strand.region == nullptr;
      slot->candidates.collect(reference_, index_, slot->selection, seeded_part(strand),
                               screened ? strand.max_edits : 0);
      std::swap(slots[kept++], *slot);
    }
  }
  for (Slot& slot : slots.first(kept)) {
    const auto& diagonals = slot.candidates.filter(reference_, seeded_part(strands[slot.strand]));
    if (sharing(strands[slot.strand]) > 1) {
      verify_sharing(strands, slot.strand, diagonals);
    } else {
      verify_strand(strands, slot.strand, diagonals);
    }
  }
}

// A repeat has many copies that match none of the strands, and each would be verified for every strand. But where a
// strand matches, the bases that all of them hold match, too, with no more edits. So these are verified first.
//
//   region     ==============================
//   strands       [------------------)              7 edits
//                      [------------------)         5 edits
//   gate               [-------------)              where it has 6 edits, only the first strand can match
void LociFinder::verify_sharing(const std::vector<Strand>& strands, std::uint32_t first,
                                const std::vector<std::int64_t>& diagonals) {
  const bool gated =
      diagonals.size() > 1 && diagonals.size() * strands[first].sharing >= kGatedWindows && set_gate(strands, first);
  if (gated) {
    measure_at_gate(diagonals);
  }
  for (std::uint32_t k = 0; k < strands[first].sharing; ++k) {
    const std::uint32_t s = first + 2 * k;
    if (!gated) {
      verify_strand(strands, s, diagonals);
      continue;
    }
    passed_.clear();
    for (std::size_t i = 0; i < diagonals.size(); ++i) {
      if (gate_distances_[i] <= strands[s].max_edits) {
        passed_.push_back(diagonals[i]);
      }
    }
    verify_strand(strands, s, passed_);
  }
}

// False if the strands have no bases in common that are worth it.
bool LociFinder::set_gate(const std::vector<Strand>& strands, std::uint32_t first) {
  const sequence::EncodedRead& region = *strands[first].region;
  std::int64_t begin = 0;
  auto end = static_cast<std::int64_t>(region.length());
  std::uint32_t max_edits = 0;
  for (std::uint32_t k = 0; k < strands[first].sharing; ++k) {
    const Strand& strand = strands[first + 2 * k];
    begin = std::max(begin, strand.offset);
    end = std::min(end, strand.offset + static_cast<std::int64_t>(strand.read->length()));
    max_edits = std::max(max_edits, strand.max_edits);
  }
  const bool fits_lanes = end - begin <= std::int64_t{kMaxLaneRead} && band_width(max_edits) > 0;
  if (end < begin + std::max(kGateBases, max_edits + 1) || (gaps_ && !fits_lanes)) {
    return false;
  }
  gate_bases_.encode_part(region, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
  gate_.front() = {&gate_bases_, max_edits, max_edits};
  gate_.front().offset = begin;
  return true;
}

// The result is in gate_distances_.
void LociFinder::measure_at_gate(const std::vector<std::int64_t>& diagonals) {
  const Strand& gate = gate_.front();
  if (!gaps_) {
    gate_distances_.clear();
    for (const std::int64_t diagonal : diagonals) {
      gate_distances_.push_back(mismatches_at(gate, diagonal + gate.offset).value_or(gate.max_edits + 1));
    }
    return;
  }
  const unsigned band = band_width(gate.max_edits);
  gate_windows_.clear();
  add_windows(gate_, 0, diagonals, gate_windows_);
  verified_.clear();
  verify_windows(reference_, gate_.data(), gate_windows_, band, ambiguous_matches_, verified_);
  gate_distances_.assign(diagonals.size(), gate.max_edits + 1);
  std::size_t i = 0;
  for (const BandDistances& found : verified_) {
    const std::uint32_t distance = smallest_distance(found, band);
    const std::int64_t first = gate_windows_[found.window].begin - gate.offset + gate.max_edits;
    const std::int64_t last = first + band - (2 * std::int64_t{gate.max_edits} + 1);
    while (diagonals[i] < first) {
      ++i;
    }
    for (; i < diagonals.size() && diagonals[i] <= last; ++i) {
      gate_distances_[i] = distance;
    }
  }
}

void LociFinder::verify_strand(const std::vector<Strand>& strands, std::uint32_t strand,
                               const std::vector<std::int64_t>& diagonals) {
  const unsigned band = band_width(strands[strand].max_edits);
  if (diagonals.size() == 1 && add_exact(strands[strand], strand, diagonals.front())) {
    return;
  } else if (!gaps_ || strands[strand].max_edits == 0) {
    count_mismatches(strands, strand, diagonals);
  } else if (band == 0 || strands[strand].read->length() > kMaxLaneRead) {
    verify_wide(strands[strand], diagonals, ends_[strand]);
  } else {
    const auto queue = std::find_if(queues_.begin(), queues_.end(), [&](const Queue& q) { return q.band == band; });
    add_windows(strands, strand, diagonals, queue->windows);
  }
}

void LociFinder::count_mismatches(const std::vector<Strand>& strands, std::uint32_t strand,
                                  const std::vector<std::int64_t>& diagonals) {
  const std::size_t first_locus = loci_.size();
  start_builder(strands[strand], strand % 2 == 1);
  for (const std::int64_t diagonal : diagonals) {
    const std::int64_t begin = diagonal + strands[strand].offset;
    const auto mismatches = mismatches_at(strands[strand], begin);
    if (!mismatches) {
      continue;
    }
    const align::EndDistance end{static_cast<std::uint64_t>(begin) + strands[strand].read->length() - 1,
                                 static_cast<std::uint16_t>(*mismatches)};
    if (reference_matches_more_) {
      ends_[strand].push_back(end);
      continue;
    }
    builder_.add(static_cast<std::int64_t>(end.end), {&end.distance, 1});
  }
  builder_.finish();
  ranges_[strand] = {first_locus, loci_.size() - first_locus};
}

// The mismatches of a read that begins at `begin`, if they are few enough and the read lies in one contig.
std::optional<std::uint32_t> LociFinder::mismatches_at(const Strand& strand, std::int64_t begin) {
  const auto& read = *strand.read;
  const auto length = static_cast<std::uint32_t>(read.length());
  const bool clear = sequence::is_clear(reference_, begin, length);
  if (!clear) {
    const auto& contig =
        reference_.contigs()[reference_.contig_at(static_cast<std::uint64_t>(std::max(begin, std::int64_t{0})))];
    if (begin < static_cast<std::int64_t>(contig.offset) ||
        begin + length > static_cast<std::int64_t>(contig.offset + contig.length)) {
      return std::nullopt;
    }
  }
  std::uint32_t mismatches = 0;
  if (ambiguous_matches_ && (!clear || read.ambiguous > 0)) {
    text_.load(reference_, begin, length, true);
    for (std::uint32_t i = 0; i < length; ++i) {
      mismatches += (text_.set_at(i) & read.set(i)) == 0;
    }
  } else {
    align::HostComparison{reference_, read}.differences(0, static_cast<std::uint64_t>(begin), length,
                                                        [&](std::uint64_t bits, std::uint32_t) {
                                                          mismatches += static_cast<std::uint32_t>(std::popcount(bits));
                                                          return mismatches <= strand.max_edits;
                                                        });
  }
  return mismatches <= strand.max_edits ? std::optional(mismatches) : std::nullopt;
}

// If a strand has one candidate, and matches there without an edit, its only locus is known: where the match ends, and
// with gaps up to max_edits bases further or before. An end further away would need another candidate. False if that is
// not so, or if it is not certain.
bool LociFinder::add_exact(const Strand& strand, std::uint32_t s, std::int64_t diagonal) {
  const auto& read = *strand.read;
  const std::size_t m = read.length();
  const std::int64_t begin = diagonal + strand.offset;
  if (reference_matches_more_ || read.ambiguous > 0 || !sequence::is_clear(reference_, begin, m + strand.max_edits)) {
    return false;
  }
  const sequence::PlaneBlock* const planes = reference_.planes().data();
  for (std::size_t i = 0; i < m; i += 64) {
    const auto text = sequence::planes_at(planes, static_cast<std::uint64_t>(begin) + i);
    const auto inside = sequence::low_ones(static_cast<unsigned>(std::min<std::size_t>(64, m - i)));
    if ((((text.high ^ read.high[i / 64]) | (text.low ^ read.low[i / 64])) & inside) != 0) {
      return false;
    }
  }
  const std::uint64_t end = static_cast<std::uint64_t>(begin) + m - 1;
  const std::uint32_t further = gaps_ ? strand.max_edits : 0;
  ranges_[s] = {loci_.size(), 1};
  loci_.push_back({.end = end, .reverse = s % 2 == 1, .before = further, .after = further});
  if (with_runs_) {
    runs_.push_back({end - further, end + further});
  }
  return true;
}

void LociFinder::leave_to_scan(const std::vector<Strand>& strands, std::uint32_t strand) {
  for (std::uint32_t k = 0; k < sharing(strands[strand]); ++k) {
    left_to_scan_[strand + 2 * k] = true;
  }
}

void LociFinder::add_windows(const std::vector<Strand>& strands, std::uint32_t strand,
                             const std::vector<std::int64_t>& diagonals, std::vector<Window>& windows) {
  const auto& read = *strands[strand].read;
  const std::int64_t edits = strands[strand].max_edits;
  const unsigned band = band_width(strands[strand].max_edits);
  const std::int64_t slack = static_cast<std::int64_t>(band) - (2 * edits + 1);
  for (std::size_t i = 0; i < diagonals.size();) {
    const std::int64_t first = diagonals[i];
    while (i < diagonals.size() && diagonals[i] <= first + slack) {
      ++i;
    }
    const std::int64_t begin = first + strands[strand].offset - edits;
    const bool clear = read.ambiguous == 0 && sequence::is_clear(reference_, begin, read.length() + band);
    if (clear) {
      const sequence::PlaneBlock* planes = reference_.planes().data() + begin / 64;
      __builtin_prefetch(planes);
      __builtin_prefetch(planes + (read.length() + band) / 64 + 1);
    }
    windows.push_back({begin, strand, clear});
  }
}

void LociFinder::verify(const std::vector<Strand>& strands, Queue& queue) {
  verified_.clear();
  verify_windows(reference_, strands.data(), queue.windows, queue.band, ambiguous_matches_, verified_);
  std::uint16_t values[64];
  for (std::size_t v = 0; v < verified_.size();) {
    const std::uint32_t s = queue.windows[verified_[v].window].strand;
    const Strand& strand = strands[s];
    const std::size_t first_locus = loci_.size();
    start_builder(strand, s % 2 == 1);
    for (; v < verified_.size() && queue.windows[verified_[v].window].strand == s; ++v) {
      const BandDistances& found = verified_[v];
      const std::int64_t first_end =
          queue.windows[found.window].begin + static_cast<std::int64_t>(strand.read->length()) - 1;
      int value = static_cast<int>(found.distance);
      for (unsigned bit = 0; bit < queue.band; ++bit) {
        values[bit] = static_cast<std::uint16_t>(value);
        value += static_cast<int>((found.vp >> bit) & 1) - static_cast<int>((found.vn >> bit) & 1);
      }
      if (!reference_matches_more_) {
        builder_.add(first_end, {values, queue.band});
        continue;
      }
      for (unsigned bit = 0; bit < queue.band; ++bit) {
        if (values[bit] <= strand.max_edits) {
          ends_[s].push_back({static_cast<std::uint64_t>(first_end + bit), values[bit]});
        }
      }
    }
    builder_.finish();
    ranges_[s] = {first_locus, loci_.size() - first_locus};
  }
  queue.windows.clear();
}

// Neighbouring diagonals share one window of any width. The columns of the matrix are computed in it, of long reads
// only their part on these diagonals.
void LociFinder::verify_wide(const Strand& strand, const std::vector<std::int64_t>& diagonals,
                             std::vector<align::EndDistance>& found) {
  const auto& read = *strand.read;
  const std::size_t m = read.length();
  const std::int64_t edits = strand.max_edits;
  columns_.start(read);
  for (std::size_t i = 0; i < diagonals.size();) {
    const std::int64_t first = diagonals[i];
    std::int64_t last = first;
    while (i < diagonals.size() && diagonals[i] <= last + 2 * edits + 1) {
      last = diagonals[i++];
    }
    const std::int64_t begin = first + strand.offset - edits;
    const auto length = static_cast<std::size_t>(last - first + 2 * edits) + m;
    text_.load(reference_, begin, length, ambiguous_matches_);
    const auto take = [&](std::size_t j, std::int64_t distance) {
      const std::int64_t end = begin + static_cast<std::int64_t>(j);
      if (distance <= edits && end >= 0) {
        found.push_back({static_cast<std::uint64_t>(end), static_cast<std::uint16_t>(distance)});
      }
    };
    if (const std::size_t width = length - m; m > 4 * width) {
      columns_.run_band(text_, width, take);
    } else {
      columns_.run(text_, take);
    }
  }
}

void LociFinder::scan(const std::vector<Strand>& strands) {
  Stopwatch watch;
  start(strands);
  std::size_t longest = 0;
  std::vector<ScannedLoci> scanned;
  scanned.reserve(strands.size());
  for (std::size_t s = 0; s < strands.size(); ++s) {
    longest = std::max(longest, strands[s].read->length());
    scanned.emplace_back(reference_, strands[s].max_edits, s % 2 == 1, kept_strata_, with_runs_, !gaps_);
  }
  std::vector<align::EndDistance> kept;
  const auto take = [&](std::size_t s, std::span<const align::EndDistance> ends) {
    if (!may_lean()) {
      return scanned[s].add(ends);
    }
    kept.assign(ends.begin(), ends.end());
    drop_leaning(strands[s], kept);
    scanned[s].add(kept);
  };
  if (gaps_) {
    scan_reference(reference_, strands,
                   ambiguous_matches_ ? all_stretches_with_ambiguous(reference_, deepest(strands))
                                      : all_stretches(reference_, longest),
                   ambiguous_matches_, take);
  } else {
    scan_without_gaps(reference_, strands, whole_contigs(reference_), ambiguous_matches_, take);
  }
  for (std::size_t s = 0; s < strands.size(); ++s) {
    const auto& loci = scanned[s].finish();
    ranges_[s] = {loci_.size(), loci.size()};
    loci_.insert(loci_.end(), loci.begin(), loci.end());
    runs_.insert(runs_.end(), scanned[s].runs().begin(), scanned[s].runs().end());
  }
  watch.lap(seconds_.scan);
  separate(strands);
}

void LociFinder::scan_around_ambiguous(const std::vector<Strand>& strands) {
  if (!reference_matches_more_) {
    return;
  }
  Stopwatch watch;
  std::vector<std::uint32_t> seeded;
  std::vector<Strand> chosen;
  std::size_t longest = 0;
  std::uint32_t max_edits = 0;
  for (std::uint32_t s = 0; s < strands.size(); ++s) {
    if (!left_to_scan_[s]) {
      seeded.push_back(s);
      chosen.push_back(strands[s]);
      longest = std::max(longest, strands[s].read->length());
      max_edits = std::max(max_edits, strands[s].max_edits);
    }
  }
  const auto scan = gaps_ ? scan_reference : scan_without_gaps;
  scan(reference_, chosen, stretches_around_ambiguous(reference_, longest, max_edits, deepest(chosen)),
       ambiguous_matches_, [&](std::size_t i, std::span<const align::EndDistance> ends) {
         ends_[seeded[i]].insert(ends_[seeded[i]].end(), ends.begin(), ends.end());
       });
  watch.lap(seconds_.scan);
}

// No alignment that is wanted reaches further into a run of ambiguous bases.
std::uint64_t LociFinder::deepest(const std::vector<Strand>& strands) const {
  std::uint64_t deepest = 0;
  for (const Strand& strand : strands) {
    const std::uint64_t most =
        with_runs_ ? longest_whole_ : max_ambiguous_.with_edits(strand.allowed_edits).of(strand.read->length());
    deepest = std::max(deepest, most + strand.allowed_edits);
  }
  return deepest;
}

// Drops what is no end, because it leans too much on ambiguous bases.
void LociFinder::drop_leaning(const Strand& strand, std::vector<align::EndDistance>& ends) const {
  const sequence::AmbiguousLimit limit = max_ambiguous_.with_edits(strand.allowed_edits);
  std::erase_if(ends, [&](const align::EndDistance& end) {
    return !sequence::allows_end(reference_, limit, strand.read->length(), end.end);
  });
}

void LociFinder::build_loci(const std::vector<Strand>& strands, std::uint32_t strand,
                            std::vector<align::EndDistance>& found) {
  std::sort(found.begin(), found.end(),
            [](const align::EndDistance& a, const align::EndDistance& b) { return a.end < b.end; });
  if (may_lean()) {
    drop_leaning(strands[strand], found);
  }
  const std::size_t first_locus = loci_.size();
  start_builder(strands[strand], strand % 2 == 1);
  for (const align::EndDistance& end : found) {
    builder_.add(static_cast<std::int64_t>(end.end), {&end.distance, 1});
  }
  builder_.finish();
  ranges_[strand] = {first_locus, loci_.size() - first_locus};
}

}  // namespace trawl::map
