#include "scan/report/run_joiner.hpp"

#include <iterator>
#include <memory>

namespace trawl::scan {

void RunJoiner::add(RunPart part, bool goes_on, const ContigPlace& next, std::vector<SiteRecord>& records) {
  const auto listed = open_.find(part.query);
  OpenRun own;
  OpenRun& open = listed != open_.end() ? listed->second : own;
  if (!goes_on) {
    close(open, records);
    open.is_open = true;
    open.part = std::move(part);
  } else {
    join(open.part, std::move(part));
  }
  RunPart& run = open.part;
  give_perfect(run, records);
  if (!options_.joins_ends() || !may_go_on(run, next)) {
    close(open, records);
  } else if (listed == open_.end()) {
    open_.emplace(run.query, std::move(own));
  }
}

// Adds the part after the end of a run.
void RunJoiner::join(RunPart& run, RunPart part) {
  run.last_key = part.last_key;
  if (part.rank < run.rank ||
      (part.rank == run.rank && !run.is_given && run.is_in_best() && goes_before(part.best, run.best))) {
    run.rank = part.rank;
    run.best = std::move(part.best);
  }
  std::move(part.ungapped.begin(), part.ungapped.end(), std::back_inserter(run.ungapped));
}

// No site can be better: passes the record on without waiting for the rest of the run.
void RunJoiner::give_perfect(RunPart& run, std::vector<SiteRecord>& records) {
  if (run.rank > 0 || run.is_head) {
    return;
  }
  if (!run.is_given && run.is_in_best()) {
    records.push_back(std::move(run.best.record));
    run.is_given = true;
  }
  for (UngappedSite& site : run.ungapped) {
    if (site.rank == 0 && !site.is_given) {
      records.push_back(std::move(site.record));
      site.is_given = true;
    }
  }
}

void RunJoiner::close(OpenRun& run, std::vector<SiteRecord>& records) {
  if (run.is_open && run.part.is_head) {
    heads_.push_back(std::move(run.part));
  } else if (run.is_open) {
    close(run.part, records);
  }
  run.is_open = false;
  run.part = {};
}

void RunJoiner::close(RunPart& part, std::vector<SiteRecord>& records) {
  if (!part.ungapped.empty()) {
    const auto goes_before = [](const UngappedSite& a, const UngappedSite& b) {
      return a.rank != b.rank ? a.rank < b.rank : a.cfd > b.cfd;
    };
    const auto beside = std::min_element(part.ungapped.begin(), part.ungapped.end(), goes_before);
    if (beside != part.ungapped.end() && part.is_in_best()) {
      if (!part.best.record.texts) {
        part.best.record.texts = std::make_unique<RecordTexts>();
      }
      part.best.record.texts->ungapped = std::make_shared<const SiteRecord>(std::move(beside->record));
      beside->is_given = true;
    }
  }
  for_each_record(part, [&](SiteRecord& record) { records.push_back(std::move(record)); });
}

void RunJoiner::close_before(const ContigPlace& next, std::vector<SiteRecord>& records) {
  for (auto entry = open_.begin(); entry != open_.end();) {
    OpenRun& run = entry->second;
    if (run.is_open && !may_go_on(run.part, next)) {
      close(run, records);
    }
    entry = run.is_open ? std::next(entry) : open_.erase(entry);
  }
}

ContigPlace RunJoiner::limit(ContigPlace limit) const {
  for (const auto& [query, open] : open_) {
    if (open.is_open) {
      for_each_record(open.part, [&](const SiteRecord& record) {
        limit = std::min(limit, ContigPlace(record.contig, record.start));
      });
    }
  }
  return limit;
}

bool RunJoiner::has_open_head() const {
  return std::any_of(open_.begin(), open_.end(),
                     [](const auto& entry) { return entry.second.is_open && entry.second.part.is_head; });
}

ChunkParts RunJoiner::take_parts() {
  ChunkParts parts{std::exchange(heads_, {}), {}};
  for (auto& [query, run] : std::exchange(open_, {})) {
    if (run.is_open) {
      parts.open.push_back(std::move(run.part));
    }
  }
  return parts;
}

}  // namespace trawl::scan
