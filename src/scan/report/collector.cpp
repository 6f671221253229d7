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
RecordCollector::Place next_after(const sequence::TextChunk& chunk, const Region& region) {
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
    : queries_(queries), options_(options), reach_(SiteFinder(queries, options).reach()) {}

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
    if (options_.report == Report::loci) {
      if (before != nullptr && before->slice == site.slice && before->key + 1 == site.key) {
        Run& run = runs.back();
        run.last = s;
        if (site.rank() < sites[run.best].rank()) {
          run.best = s;
        }
        continue;
      }
      const OpenRun* const open = before == nullptr ? open_run_of(site.query) : nullptr;
      if (open != nullptr && open->contig == contig && open->last_key + 1 == site.key) {
        runs.push_back({s, s, true});
        continue;
      }
    }
    runs.push_back({s, s, false});
  }
  return runs;
}

void RecordCollector::add(const sequence::TextChunk& chunk, const Region& region, std::span<const Site> all,
                          const Take& take) {
  const std::span<const Site> sites = add_single(chunk, all, take);
  const std::vector<Run> runs = make_runs(chunk, sites);
  next_ = next_after(chunk, region);
  std::vector<RecordMaker::Made> made;
  std::vector<Record> records;
  for (std::size_t first = 0; first < runs.size();) {
    std::size_t last = first;
    for (std::uint64_t letters = 0; last < runs.size() && letters < kLetters; ++last) {
      letters += kLettersOfOne + queries_[sites[runs[last].best].query].length();
    }
    made.clear();
    made.resize(last - first);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(first, last, kGrain), [&](const auto& range) {
      RecordMaker maker(chunk, queries_, options_);
      for (std::size_t r = range.begin(); r < range.end(); ++r) {
        const Run& run = runs[r];
        if (is_candidate(run, sites[run.best])) {
          made[r - first] = maker.make(sites.subspan(run.best, run.last + 1 - run.best));
        }
      }
    });
    for (std::size_t r = first; r < last; ++r) {
      add_run(runs[r], sites, chunk.slices[sites[runs[r].best].slice].contig, made[r - first], records);
    }
    take(records);
    first = last;
  }
  for (auto entry = open_.begin(); entry != open_.end();) {
    OpenRun& run = entry->second;
    if (run.is_open && !may_go_on(run)) {
      close(run, records);
    }
    entry = run.is_open ? std::next(entry) : open_.erase(entry);
  }
  take(records);
  update_limit();
}

// `made`: if is_candidate() is true, the record of the run's best sites in this region.
void RecordCollector::add_run(const Run& run, std::span<const Site> sites, std::uint64_t contig,
                              RecordMaker::Made& made, std::vector<Record>& records) {
  const Site& site = sites[run.best];
  const auto listed = open_.find(site.query);
  OpenRun own;
  OpenRun& open = listed != open_.end() ? listed->second : own;
  const bool is_better =
      is_candidate(run, site) &&
      (!run.goes_on || site.rank() < open.rank ||
       (!open.is_given && !queries_[site.query].has_pam() && align::goes_before(made.path, open.best.path)));
  if (!run.goes_on) {
    close(open, records);
    open.is_open = true;
    open.contig = contig;
  }
  open.last_key = sites[run.last].key;
  if (is_better) {
    open.rank = site.rank();
    open.best = std::move(made);
  }
  // No site can be better: pass the record on without waiting for the rest of the run.
  if (open.rank == 0 && !open.is_given) {
    records.push_back(std::move(open.best.record));
    open.is_given = true;
  }
  if (options_.report == Report::ends || !may_go_on(open)) {
    close(open, records);
  } else if (listed == open_.end()) {
    open_.emplace(site.query, std::move(own));
  }
}

void RecordCollector::close(OpenRun& run, std::vector<Record>& records) {
  if (run.is_open && !run.is_given) {
    records.push_back(std::move(run.best.record));
  }
  run.is_open = false;
  run.is_given = false;
  run.best = {};
}

void RecordCollector::update_limit() {
  limit_ = {next_.first, next_.second - std::min(next_.second, reach_)};
  for (const auto& [query, open] : open_) {
    if (!open.is_given) {
      limit_ = std::min(limit_, Place(open.best.record.contig, open.best.record.start));
    }
  }
}

}  // namespace trawl::scan
