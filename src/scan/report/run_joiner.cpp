#include "scan/report/run_joiner.hpp"

#include <algorithm>
#include <iterator>

namespace trawl::scan {

void RunJoiner::add(RunPart part, bool goes_on, const ContigPlace& next, std::vector<Record>& records) {
  const auto listed = open_.find(part.query);
  OpenRun own;
  OpenRun& open = listed != open_.end() ? listed->second : own;
  if (!goes_on) {
    close(open, records);
    open.is_open = true;
    open.part = std::move(part);
  } else {
    RunPart& run = open.part;
    run.last_key = part.last_key;
    if (part.rank < run.rank || (part.rank == run.rank && !run.is_given && !queries_[run.query].has_pam() &&
                                 align::goes_before(part.best.path, run.best.path))) {
      run.rank = part.rank;
      run.best = std::move(part.best);
    }
  }
  RunPart& run = open.part;
  // No site can be better: pass the record on without waiting for the rest of the run.
  if (run.rank == 0 && !run.is_given && !run.is_head) {
    records.push_back(std::move(run.best.record));
    run.is_given = true;
  }
  if (!options_.joins_ends() || !may_go_on(run, next)) {
    close(open, records);
  } else if (listed == open_.end()) {
    open_.emplace(run.query, std::move(own));
  }
}

void RunJoiner::close(OpenRun& run, std::vector<Record>& records) {
  if (run.is_open && run.part.is_head) {
    heads_.push_back(std::move(run.part));
  } else if (run.is_open && !run.part.is_given) {
    records.push_back(std::move(run.part.best.record));
  }
  run.is_open = false;
  run.part = {};
}

void RunJoiner::close_before(const ContigPlace& next, std::vector<Record>& records) {
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
    if (open.is_open && !open.part.is_given) {
      limit = std::min(limit, ContigPlace(open.part.best.record.contig, open.part.best.record.start));
    }
  }
  return limit;
}

bool RunJoiner::has_open_head() const {
  return std::any_of(open_.begin(), open_.end(),
                     [](const auto& entry) { return entry.second.is_open && entry.second.part.is_head; });
}

void RunJoiner::take_parts(std::vector<RunPart>& heads, std::vector<RunPart>& open) {
  heads = std::move(heads_);
  heads_.clear();
  open.clear();
  for (auto& [query, run] : open_) {
    if (run.is_open) {
      open.push_back(std::move(run.part));
    }
  }
  open_.clear();
}

}  // namespace trawl::scan
