#include "scan/report/collector.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace trawl::scan {

namespace {

// Number of sites that one thread aligns at a time.
constexpr std::size_t kGrain = 64;
// Records are passed on when they have this many letters. One record has a few times the letters of its pattern, and a
// few more.
constexpr std::uint64_t kLetters = std::uint64_t{1} << 22;
constexpr std::uint64_t kLettersOfOne = 64;
constexpr std::size_t kSingles = std::size_t{1} << 14;

// The smallest contig and key that a site after a region can have.
ContigPlace next_after(const sequence::TextChunk& chunk, const Region& region) {
  const bool at_end = region.end >= chunk.reference.size();
  const auto at = at_end ? chunk.slices.size() - 1 : chunk.reference.contig_at(region.end);
  const auto& slice = chunk.slices[at];
  const auto& contig = chunk.reference.contigs()[at];
  if (at_end && slice.is_last) {
    return {slice.contig + 1, 0};
  }
  const std::uint64_t done = std::max(region.end, contig.offset) - contig.offset;
  return {slice.contig, std::max(slice.fresh, slice.begin + (slice.is_last ? done : std::min(done, contig.length)))};
}

}  // namespace

RecordCollector::RecordCollector(const std::vector<Query>& queries, const Options& options)
    : queries_(queries), options_(options), reach_(SiteFinder(queries, options).reach()), joiner_(options) {}

// Makes the records of the queries that need no runs and no alignments, and returns the other sites.
std::span<const Site> RecordCollector::add_single(const sequence::TextChunk& chunk, std::span<const Site> sites,
                                                  const Take& take) {
  if (options_.max_edits > 0) {
    return sites;
  }
  rest_.clear();
  std::vector<Record> records;
  records.reserve(std::min(sites.size(), kSingles));
  for (std::size_t s = 0; s < sites.size(); ++s) {
    constexpr std::size_t kAhead = 16;
    if (s + kAhead < sites.size()) {
      __builtin_prefetch(&queries_[sites[s + kAhead].query]);
    }
    const Site& site = sites[s];
    const Query& query = queries_[site.query];
    if (!is_single(query)) {
      rest_.push_back(site);
      continue;
    }
    records.push_back(exact_record(query, chunk.slices[site.slice].contig, site.key + 1 - query.length()));
    if (records.size() == kSingles) {
      take(records);
    }
  }
  take(records);
  return rest_;
}

std::vector<RecordCollector::Run> RecordCollector::make_runs(const sequence::TextChunk& chunk,
                                                             std::span<const Site> sites) const {
  std::vector<Run> runs;
  for (std::size_t s = 0; s < sites.size(); ++s) {
    const Site& site = sites[s];
    const std::uint64_t contig = chunk.slices[site.slice].contig;
    const Site* before = s > 0 && sites[s - 1].query == site.query ? &sites[s - 1] : nullptr;
    if (options_.joins_ends()) {
      if (before != nullptr && before->slice == site.slice && before->key + 1 == site.key) {
        Run& run = runs.back();
        run.last = s;
        if (site.rank() < sites[run.best].rank()) {
          run.best = s;
        }
        continue;
      }
      if (before == nullptr && joiner_.goes_on(site.query, contig, site.key)) {
        runs.push_back({s, s, s, true});
        continue;
      }
    }
    runs.push_back({s, s, s, false});
  }
  return runs;
}

// The records of a run.
RunPart RecordCollector::part_of(const Run& run, std::span<const Site> sites, RecordMaker& maker) const {
  const Site& best = sites[run.best];
  RunPart part;
  part.query = best.query;
  part.rank = best.rank();
  part.last_key = sites[run.last].key;
  if (options_.max_bulges > 0) {
    for (std::size_t s = run.first; s <= run.last; ++s) {
      if (sites[s].has_ungapped()) {
        const Site site = sites[s].ungapped();
        part.ungapped.push_back({.rank = site.rank(), .record = maker.make({&site, 1}).record});
      }
    }
  }
  if (part.is_in_best() && is_candidate(run, best)) {
    part.best = maker.make(sites.subspan(run.best, run.last + 1 - run.best));
  }
  return part;
}

void RecordCollector::add(const sequence::TextChunk& chunk, const Region& region, std::span<const Site> all,
                          const Take& take) {
  const std::span<const Site> sites = add_single(chunk, all, take);
  const std::vector<Run> runs = make_runs(chunk, sites);
  next_ = next_after(chunk, region);
  std::vector<RunPart> parts;
  std::vector<Record> records;
  for (std::size_t first = 0; first < runs.size();) {
    std::size_t last = first;
    for (std::uint64_t letters = 0; last < runs.size() && letters < kLetters; ++last) {
      letters += kLettersOfOne + queries_[sites[runs[last].best].query].length();
    }
    parts.clear();
    parts.resize(last - first);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(first, last, kGrain), [&](const auto& range) {
      RecordMaker maker(chunk, queries_, options_);
      for (std::size_t r = range.begin(); r < range.end(); ++r) {
        parts[r - first] = part_of(runs[r], sites, maker);
      }
    });
    for (std::size_t r = first; r < last; ++r) {
      const Run& run = runs[r];
      RunPart& part = parts[r - first];
      part.contig = chunk.slices[sites[run.first].slice].contig;
      part.is_head = is_cut_ && ContigPlace(part.contig, sites[run.first].key) == first_;
      joiner_.add(std::move(part), run.goes_on, next_, records);
    }
    take(records);
    first = last;
  }
  joiner_.close_before(next_, records);
  take(records);
  limit_ = joiner_.limit({next_.first, next_.second - std::min(next_.second, reach_)});
}

void RecordCollector::begin_alone(const sequence::TextChunk& chunk) {
  (void)take_parts();
  const auto& slice = chunk.slices.front();
  is_cut_ = options_.joins_ends() && slice.fresh > 0;
  first_ = {slice.contig, slice.fresh};
  next_ = first_;
  limit_ = {next_.first, next_.second - std::min(next_.second, reach_)};
}

ContigPlace RecordCollector::heads_end() const {
  ContigPlace end = first_;
  for (const RunPart& head : joiner_.closed_heads()) {
    for_each_record(head,
                    [&](const Record& record) { end = std::max(end, ContigPlace(record.contig, record.start + 1)); });
  }
  return end;
}

ChunkParts RecordCollector::take_parts() {
  ChunkParts parts;
  joiner_.take_parts(parts.heads, parts.open);
  return parts;
}

}  // namespace trawl::scan
