#include "scan/report/collector.hpp"

#include <tbb/parallel_for.h>

#include "base/stop.hpp"

namespace trawl::scan {

namespace {

// About how many sites one thread makes into records at a time.
constexpr std::size_t kSitesAPiece = 512;
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

LocusCollector::LocusCollector(const std::vector<Query>& queries, const ScanOptions& options)
    : queries_(queries), options_(options), reach_(SiteFinder(queries, options).reach()), joiner_(options) {}

// Makes the records of the queries that need no runs and no alignments, and returns the other sites.
std::span<const Site> LocusCollector::add_single(const sequence::TextChunk& chunk, std::span<const Site> sites,
                                                 const Take& take) {
  if (options_.max_edits > 0) {
    return sites;
  }
  rest_.clear();
  std::vector<SiteRecord> records;
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

// The run that begins with site `first`; returns the first site after it.
std::size_t LocusCollector::next_run(const sequence::TextChunk& chunk, std::span<const Site> sites, std::size_t first,
                                     SiteRun& run) const {
  const Site& site = sites[first];
  const std::uint64_t contig = chunk.slices[site.slice].contig;
  run = {first, first, first, false, is_cut_ && ContigPlace(contig, site.key) == first_};
  if (!options_.joins_ends()) {
    return first + 1;
  }
  run.goes_on = (first == 0 || sites[first - 1].query != site.query) && joiner_.goes_on(site.query, contig, site.key);
  while (run.last + 1 < sites.size() && is_joined(sites, run.last + 1)) {
    ++run.last;
    if (sites[run.last].rank() < sites[run.best].rank()) {
      run.best = run.last;
    }
  }
  return run.last + 1;
}

// The records of a run. `part` may have been one of another run.
void LocusCollector::fill_part(const SiteRun& run, std::span<const Site> sites, bool with_path, LocusRecordMaker& maker,
                               RunPart& part) const {
  const Site& best = sites[run.best];
  part.query = best.query;
  part.rank = best.rank();
  part.last_key = sites[run.last].key;
  part.is_head = run.is_head;
  part.ungapped.clear();
  if (options_.max_bulges > 0) {
    const bool is_compared = with_path || (best.has_bulges() && run.last > run.first);
    for (std::size_t s = run.first; s <= run.last; ++s) {
      if (sites[s].has_ungapped()) {
        const Site site = sites[s].ungapped();
        MadeRecord made = maker.make({&site, 1}, is_compared);
        part.ungapped.push_back({.rank = site.rank(), .cfd = made.cfd, .record = std::move(made.record)});
      }
    }
  }
  if (!part.is_in_best() || !is_candidate(run, best)) {
    return;
  }
  part.best = maker.make(sites.subspan(run.best, run.last + 1 - run.best), with_path);
}

// The runs that begin with the sites from `first` to before `last`.
void LocusCollector::make_parts(const sequence::TextChunk& chunk, std::span<const Site> sites, std::size_t first,
                                std::size_t last, Made& made) const {
  LocusRecordMaker maker(chunk, queries_, options_);
  RunPart room;
  made.records.reserve(last - first);
  SiteRun run;
  for (std::size_t next; first < last; first = next) {
    next = next_run(chunk, sites, first, run);
    const std::uint64_t contig = chunk.slices[sites[first].slice].contig;
    const bool may_go_on = options_.joins_ends() && ContigPlace(contig, sites[run.last].key + 1) >= next_;
    if (run.goes_on || run.is_head || may_go_on) {
      RunPart& part = made.parts.emplace_back(RunPart{}, run.goes_on).first;
      fill_part(run, sites, true, maker, part);
      part.contig = contig;
    } else {
      fill_part(run, sites, false, maker, room);
      RunJoiner::close(room, made.records);
    }
  }
}

void LocusCollector::add(const sequence::TextChunk& chunk, const Region& region, std::span<const Site> all,
                         const Take& take) {
  const std::span<const Site> sites = add_single(chunk, all, take);
  next_ = next_after(chunk, region);
  // What threads do: each the sites from cuts[i] to before cuts[i + 1], which begin and end with a run.
  std::vector<std::size_t> cuts{0};
  std::vector<SiteRecord> records;
  std::vector<Made> made;
  for (std::size_t last = 0; last < sites.size();) {
    cuts.assign(1, last);
    for (std::uint64_t letters = 0; last < sites.size() && letters < kLetters;) {
      const std::size_t before = last;
      last = std::min(last + kSitesAPiece, sites.size());
      while (last < sites.size() && is_joined(sites, last)) {
        ++last;
      }
      cuts.push_back(last);
      letters += (last - before) * (kLettersOfOne + queries_[sites[before].query].length());
    }
    made.clear();
    made.resize(cuts.size() - 1);
    tbb::parallel_for(std::size_t{0}, made.size(),
                      Stop::carry([&](std::size_t i) { make_parts(chunk, sites, cuts[i], cuts[i + 1], made[i]); }));
    for (Made& some : made) {
      take(some.records);
      for (auto& [part, goes_on] : some.parts) {
        joiner_.add(std::move(part), goes_on, next_, records);
      }
    }
    take(records);
  }
  joiner_.close_before(next_, records);
  take(records);
}

void LocusCollector::begin_alone(const sequence::TextChunk& chunk) {
  (void)joiner_.take_parts();
  const auto& slice = chunk.slices.front();
  is_cut_ = options_.joins_ends() && slice.fresh > 0;
  first_ = {slice.contig, slice.fresh};
  next_ = first_;
}

ContigPlace LocusCollector::heads_end() const {
  ContigPlace end = first_;
  for (const RunPart& head : joiner_.closed_heads()) {
    for_each_record(
        head, [&](const SiteRecord& record) { end = std::max(end, ContigPlace(record.contig, record.start + 1)); });
  }
  return end;
}

}  // namespace trawl::scan
