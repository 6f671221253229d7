#include "scan/report/collector.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "scan/report/record_maker.hpp"

namespace trawl::scan {

namespace {

// Sites that one thread aligns at a time.
constexpr std::size_t kGrain = 64;

}  // namespace

RecordCollector::RecordCollector(const std::vector<Query>& queries, const Options& options)
    : queries_(queries), options_(options), reach_(SiteFinder(queries, options).reach()), open_(queries.size()) {}

std::vector<RecordCollector::Run> RecordCollector::make_runs(const sequence::TextChunk& chunk,
                                                             std::span<const Site> sites) {
  std::vector<Run> runs;
  for (std::size_t s = 0; s < sites.size(); ++s) {
    const Site& site = sites[s];
    const std::uint64_t contig = chunk.pieces[site.piece].contig;
    const Site* before = s > 0 && sites[s - 1].query == site.query ? &sites[s - 1] : nullptr;
    if (options_.report == Report::loci) {
      if (before != nullptr && before->piece == site.piece && before->key + 1 == site.key) {
        Run& run = runs.back();
        run.last_key = site.key;
        const std::uint32_t best = run.is_improved ? sites[run.best].rank() : open_[site.query].rank;
        if (site.rank() < best) {
          run.best = s;
          run.is_improved = true;
        }
        continue;
      }
      const OpenRun& open = open_[site.query];
      if (before == nullptr && open.is_open && open.contig == contig && open.last_key + 1 == site.key) {
        runs.push_back({s, site.key, true, site.rank() < open.rank, false});
        continue;
      }
    }
    runs.push_back({s, site.key, false, true, false});
  }
  for (Run& run : runs) {
    const Site& site = sites[run.best];
    const auto& piece = chunk.pieces[site.piece];
    const std::uint64_t end = piece.begin + chunk.reference.contigs()[site.piece].length;
    run.may_go_on = options_.report == Report::loci && !piece.is_last && run.last_key + 1 == end;
  }
  return runs;
}

void RecordCollector::add(const sequence::TextChunk& chunk, std::span<const Site> sites, std::vector<Record>& records) {
  const std::vector<Run> runs = make_runs(chunk, sites);
  std::vector<Record> made(runs.size());
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, runs.size(), kGrain), [&](const auto& range) {
    RecordMaker maker(chunk, queries_, options_);
    for (std::size_t r = range.begin(); r < range.end(); ++r) {
      if (runs[r].is_improved) {
        made[r] = maker.make(sites[runs[r].best]);
      }
    }
  });
  std::vector<OpenRun> open(queries_.size());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Site& site = sites[runs[r].best];
    OpenRun& from = open_[site.query];
    std::uint32_t rank = site.rank();
    if (runs[r].goes_on) {
      from.is_open = false;
      if (!runs[r].is_improved) {
        made[r] = std::move(from.best);
        rank = from.rank;
      }
    }
    if (runs[r].may_go_on) {
      open[site.query] = {true, chunk.pieces[site.piece].contig, runs[r].last_key, rank, std::move(made[r])};
    } else {
      records.push_back(std::move(made[r]));
    }
  }
  for (OpenRun& run : open_) {
    if (run.is_open) {
      records.push_back(std::move(run.best));
    }
  }
  open_ = std::move(open);
  update_limit(chunk);
}

void RecordCollector::update_limit(const sequence::TextChunk& chunk) {
  const auto& piece = chunk.pieces.back();
  const std::uint64_t end = piece.begin + chunk.reference.contigs().back().length;
  limit_ = piece.is_last ? std::pair(piece.contig + 1, std::uint64_t{0})
                         : std::pair(piece.contig, end > reach_ ? end - reach_ : 0);
  for (const OpenRun& run : open_) {
    if (run.is_open) {
      limit_ = std::min(limit_, std::pair(run.best.contig, run.best.start));
    }
  }
}

}  // namespace trawl::scan
