#include "io/stats/map_stats.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "align/cigar.hpp"
#include "io/format/json.hpp"

namespace trawl::io {
namespace {

void count_at(std::vector<std::uint64_t>& histogram, std::size_t at, std::uint64_t times) {
  if (histogram.size() <= at) {
    histogram.resize(at + 1);
  }
  histogram[at] += times;
}

void add_pair(const align::PairResult& pair, std::uint64_t times, PairCounts& counts) {
  counts.total += times;
  (pair.kind == align::PairKind::concordant   ? counts.concordant
   : pair.kind == align::PairKind::discordant ? counts.discordant
   : pair.kind == align::PairKind::one_end    ? counts.one_end
                                              : counts.unmapped) += times;
  if (pair.count > 0) {
    counts.inserts.add(pair.insert, times);
  }
}

// Why the primary records of a discordant pair are no concordant one.
void add_reason(const align::Alignment& first, const align::Alignment& second, std::uint64_t times,
                PairCounts& counts) {
  if (first.contig != second.contig) {
    counts.on_two_contigs += times;
    return;
  }
  const auto extent = [](const align::Alignment& mate) {
    return align::Extent{mate.start, mate.start + mate.span, mate.reverse};
  };
  align::Extent one = extent(first), other = extent(second);
  align::bring_together(first.circle, one, other);
  const align::InsertModel any{.min = 0, .max = std::numeric_limits<std::uint32_t>::max()};
  (align::is_concordant(counts.orientation, any, one, other) ? counts.other_sizes : counts.turned) += times;
}

std::uint32_t longest_gap(const align::AlignmentBatch& batch, const align::Alignment& alignment) {
  std::uint32_t longest = 0;
  for (std::uint32_t e = 0; e < alignment.cigar_length; ++e) {
    const std::uint32_t element = batch.cigar_of(alignment)[e];
    const auto op = static_cast<align::CigarOp>(element & 15);
    if (op == align::CigarOp::insertion || op == align::CigarOp::deletion) {
      longest = std::max(longest, element >> 4);
    }
  }
  return longest;
}

void add_clips(const align::AlignmentBatch& batch, const align::ReadResult& read, const align::Alignment& primary,
               std::uint64_t times, ClipCounts& counts) {
  const align::ClippedEnds ends = align::clipped_ends(batch, primary);
  const std::uint64_t bases = std::uint64_t{ends.left} + ends.right;
  if (bases > 0) {
    counts.reads += times;
    counts.reads_by_bases.add(bases, times);
  }
  counts.bases += bases * times;
  counts.supplementary_records += read.supplementary_count * times;
}

void add_pairs_and_inserts(const RunStats& stats, JsonObject& all) {
  const PairCounts& counts = stats.pairs;
  JsonObject pairs(1);
  pairs.add("total", counts.total)
      .add("concordant", counts.concordant)
      .add("discordant", counts.discordant)
      .add("one_end", counts.one_end)
      .add("unmapped", counts.unmapped)
      .add("found_near_mate", counts.near_mates)
      .add("discordant_on_two_contigs", counts.on_two_contigs)
      .add("discordant_turned", counts.turned)
      .add("discordant_other_sizes", counts.other_sizes);
  JsonObject insert(1);
  insert.add("source", json_string(stats.insert.source))
      .add("min", stats.insert.model.min)
      .add("max", stats.insert.model.max)
      .add("mean", stats.insert.model.most.mean)
      .add("standard_deviation", stats.insert.model.most.deviation)
      .add("other_mean", stats.insert.model.others.mean)
      .add("other_standard_deviation", stats.insert.model.others.deviation)
      .add("pairs_examined", stats.insert.pairs_examined)
      .add("pairs_used", stats.insert.pairs_used)
      .add("histogram", stats.insert.histogram.json(2))
      .add("concordant_histogram", counts.inserts.json(2));
  all.add("pairs", pairs.text()).add("insert", insert.text());
}

void add_damage(const RunStats& stats, JsonObject& all) {
  const align::DamageRates& rates = stats.damage_rates.rates;
  const auto counts = [](const align::DamageCounts::Counts& of) { return json_array({of.begin(), of.end()}); };
  JsonObject damage(1);
  damage.add("library", json_string(rates.single_stranded ? "single-stranded" : "double-stranded"))
      .add("source", json_string(stats.damage_rates.source))
      .add("first", json_number(rates.first))
      .add("decay", json_number(rates.decay))
      .add("interior", json_number(rates.interior))
      .add("reads_examined", stats.damage_rates.reads_examined)
      .add("reads_used", stats.damage_rates.reads_used)
      .add("five_prime", counts(stats.damage.five_prime))
      .add("five_prime_damaged", counts(stats.damage.five_prime_damaged))
      .add("three_prime", counts(stats.damage.three_prime))
      .add("three_prime_damaged", counts(stats.damage.three_prime_damaged));
  all.add("damage", damage.text());
}

}  // namespace

std::uint64_t reads_of(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  const std::size_t before = name.find_last_not_of(kDigits);
  if (before == name.npos || before == 0 || before + 1 == name.size()) {
    return 1;
  }
  const bool is_count =
      name[before] == 'x' ? name[before - 1] == '_' : name[before] == '-' && name.find_first_not_of(kDigits) == before;
  std::uint32_t count = 1;  // stays so if it is too large
  std::from_chars(name.data() + before + 1, name.data() + name.size(), count);
  return is_count ? std::max(count, 1U) : 1;
}

void RunCounts::add(const sequence::ReadBatch& batch, const align::AlignmentBatch& results) {
  for (std::size_t p = 0; p < results.pairs.size(); ++p) {
    if (results.pairs[p].kind == align::PairKind::single) {
      continue;
    }
    const std::uint64_t times = weight(batch.name(2 * p));
    add_pair(results.pairs[p], times, pairs);
    const align::Alignment* const mates[2] = {align::primary_of(results, 2 * p), align::primary_of(results, 2 * p + 1)};
    if (results.pairs[p].kind == align::PairKind::discordant && mates[0] != nullptr && mates[1] != nullptr) {
      add_reason(*mates[0], *mates[1], times, pairs);
    }
  }
  for (std::size_t i = 0; i < results.reads.size(); ++i) {
    if (i % 2 > 0 && results.mates_from(i) == 1 && !results.pairs.empty()) {
      continue;  // the absent mate of a single read
    }
    const auto& read = results.reads[i];
    const align::PairResult pair = results.pairs.empty() ? align::PairResult() : results.pairs[i / 2];
    const std::uint64_t times = weight(batch.name(i));
    ++sequences;
    reads += times;
    read_bases += batch.length(i) * times;
    const std::uint64_t left_out = std::uint64_t{read.dropped} + pair.dropped;
    dropped += left_out * times;
    reads_with_dropped += left_out > 0 ? times : 0;
    if (read.found_by == align::FoundBy::search) {
      reads_by_best_loci.add(read.best_count, times);
    } else {
      reads_of_unknown_loci += times;
    }
    if (read.count + pair.count == 0) {
      (read.unmapped == align::Unmapped::too_short   ? unmapped_too_short
       : read.unmapped == align::Unmapped::many_loci ? unmapped_many_loci
       : read.best_count > 0                         ? pairs.discordant_mates
                                                     : unmapped_no_locus) += times;
      continue;
    }
    mapped += times;
    one_of_many_loci += read.max_loci > 0 ? times : 0;
    pairs.near_mates += read.found_by == align::FoundBy::mate ? times : 0;
    clipped.found_by_anchors += read.found_by == align::FoundBy::anchors ? times : 0;
    records += std::uint64_t{read.count} + pair.count;
    alignments += (std::uint64_t{read.count} + pair.count) * times;
    const auto mate_of = [&](std::uint64_t p) { return results.concordant_pairs[p].mates[i % 2]; };
    const align::Alignment& primary = *align::primary_of(results, i);
    count_at(primary_by_distance, primary.distance, times);
    count_at(primary_by_mapq, primary.mapq, times);
    primary_by_longest_gap.add(longest_gap(results, primary), times);
    add_clips(results, read, primary, times, clipped);
    damage.add(results, primary, batch.bases(i), times);
    for (std::uint64_t p = pair.first; p < pair.first + pair.count; ++p) {
      count_at(all_by_distance, results.alignments[mate_of(p)].distance, times);
    }
    for (std::uint64_t a = read.first; a < read.first + read.count; ++a) {
      count_at(all_by_distance, results.alignments[a].distance, times);
    }
  }
}

LimitCounts& LimitCounts::operator+=(const LimitCounts& other) {
  clip_limited += other.clip_limited;
  many_edits += other.many_edits;
  many_ambiguous += other.many_ambiguous;
  longer_than_circle += other.longer_than_circle;
  phred64 += other.phred64;
  phred33 += other.phred33;
  const FewerEdits& theirs = other.edits_limited;
  if (theirs.count > 0 && (edits_limited.count == 0 || theirs.batch < edits_limited.batch)) {
    edits_limited.batch = theirs.batch;
    edits_limited.first = theirs.first;
  }
  edits_limited.count += theirs.count;
  return *this;
}

std::vector<CountBins::Bin> RunCounts::bins_of_best_loci() const {
  std::vector<CountBins::Bin> bins = reads_by_best_loci.bins();
  bins.push_back({"unknown", reads_of_unknown_loci});
  return bins;
}

std::string stats_json(const RunStats& stats) {
  JsonObject reads(1);
  reads.add("total", stats.reads)
      .add("bases", stats.read_bases)
      .add("mapped", stats.mapped)
      .add("unmapped_no_locus", stats.unmapped_no_locus)
      .add("unmapped_too_short", stats.unmapped_too_short)
      .add("unmapped_many_loci", stats.unmapped_many_loci)
      .add("one_of_many_loci", stats.one_of_many_loci)
      .add("edits_limited", stats.limits.edits_limited.count);
  if (stats.collapsed) {
    reads.add("sequences", stats.sequences);
  }
  if (stats.pairs.total > 0) {
    reads.add("unmapped_discordant", stats.pairs.discordant_mates);
  }
  JsonObject loci(2);
  for (const CountBins::Bin& bin : stats.bins_of_best_loci()) {
    loci.add(bin.name, bin.count);
  }
  reads.add("by_best_loci", loci.text());
  JsonObject alignments(1);
  alignments.add("total", stats.alignments)
      .add("dropped_by_max_hits", stats.dropped)
      .add("reads_with_dropped", stats.reads_with_dropped)
      .add("primary_by_distance", json_array(stats.primary_by_distance))
      .add("all_by_distance", json_array(stats.all_by_distance))
      .add("primary_by_mapq", json_array(stats.primary_by_mapq))
      .add("primary_by_longest_gap", stats.primary_by_longest_gap.json(2));
  JsonObject clipped(1);
  clipped.add("reads", stats.clipped.reads)
      .add("bases", stats.clipped.bases)
      .add("supplementary_records", stats.clipped.supplementary_records)
      .add("found_by_anchors", stats.clipped.found_by_anchors)
      .add("reads_by_bases", stats.clipped.reads_by_bases.json(2));
  JsonObject all = begin_json(stats);
  all.add("reads", reads.text()).add("alignments", alignments.text()).add("clipped", clipped.text());
  if (!stats.insert.source.empty()) {
    add_pairs_and_inserts(stats, all);
  }
  if (stats.damage_rates.rates.on()) {
    add_damage(stats, all);
  }
  if (stats.sort) {
    JsonObject sort(1);
    sort.add("merge_seconds", json_number(stats.sort->merge_seconds)).add("spilled_bytes", stats.sort->spilled_bytes);
    all.add("sort", sort.text());
    if (const auto& duplicates = stats.sort->duplicates) {
      JsonObject counts(1);
      counts.add("reads", duplicates->all())
          .add("reads_of_pairs", duplicates->reads_of_pairs)
          .add("single_reads", duplicates->single_reads);
      all.add("duplicates", counts.text());
    }
  }
  add_seconds(stats, all);
  add_ranks(stats.ranks, all);
  all.add("reads_per_second",
          json_number(stats.wall_seconds > 0 ? static_cast<double>(stats.sequences) / stats.wall_seconds : 0))
      .add("peak_resident_bytes", peak_resident_bytes());
  return all.text() + "\n";
}

}  // namespace trawl::io
