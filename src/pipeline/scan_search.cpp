#include "pipeline/scan_search.hpp"

#include <algorithm>
#include <future>
#include <utility>

#include "base/stopwatch.hpp"

namespace trawl::pipeline {

namespace {

// How many ends are made into records at a time: as many as `bytes` hold, while others are searched or written.
std::size_t most_ends(const std::vector<scan::Query>& queries, std::uint64_t bytes) {
  std::uint64_t letters = 0;
  for (const scan::Query& query : queries) {
    letters += query.length();
  }
  constexpr std::uint64_t kBytesOfOne = 256;
  constexpr std::uint64_t kStages = 3;
  return bytes / kStages / (kBytesOfOne + 3 * letters / std::max<std::size_t>(1, queries.size()));
}

}  // namespace

ScanSearch::ScanSearch(scan::Finder& finder, const std::vector<scan::Query>& queries, const scan::ScanOptions& options,
                       std::map<std::string, double>& seconds, std::uint64_t held_bytes)
    : site_finder_(queries, options),
      collector_(queries, options),
      regions_(finder, site_finder_.look_back(), most_ends(queries, held_bytes)),
      queue_(held_bytes),
      seconds_(seconds) {}

std::uint64_t ScanSearch::run(const sequence::TextChunk& chunk, const std::function<void()>& write) {
  Stopwatch watch;
  std::uint64_t found = 0;
  scan::Region region;
  regions_.begin(chunk.reference, site_finder_.first_position(chunk));
  while (regions_.next(region, ends_)) {
    found += ends_.size();
    watch.lap(seconds_["find"]);
    collector_.add(chunk, region, site_finder_.find(chunk, region, ends_),
                   [&](std::vector<scan::SiteRecord>& records) { queue_.take(records); });
    watch.lap(seconds_["align"]);
    write();
    watch.lap(seconds_["write"]);
  }
  watch.lap(seconds_["find"]);
  return found;
}

std::uint64_t ScanSearch::run_and_write(const sequence::TextChunk& chunk,
                                        const std::function<void(std::span<const scan::SiteRecord>)>& write) {
  std::uint64_t found = 0;
  scan::Region region, next;
  regions_.begin(chunk.reference, site_finder_.first_position(chunk));
  const auto find_next = [&] {
    Stopwatch own;
    const bool is_there = regions_.next(next, next_ends_);
    own.lap(finding_);
    return is_there;
  };
  std::future<void> writing;
  std::future<bool> finding = std::async(std::launch::async, find_next);
  while (finding.get()) {
    region = next;
    ends_.swap(next_ends_);
    finding = std::async(std::launch::async, find_next);
    found += ends_.size();
    Stopwatch watch;
    std::vector<std::vector<scan::SiteRecord>> made;
    collector_.add(chunk, region, site_finder_.find(chunk, region, ends_),
                   [&](std::vector<scan::SiteRecord>& records) { made.push_back(std::exchange(records, {})); });
    watch.lap(seconds_["align"]);
    if (writing.valid()) {
      writing.get();
    }
    writing =
        std::async(std::launch::async, [this, &write, made = std::move(made), limit = collector_.limit()]() mutable {
          Stopwatch own;
          queue_.take(made);
          queue_.write_until(limit, write);
          own.lap(writing_);
        });
  }
  if (writing.valid()) {
    writing.get();
  }
  seconds_["find"] = finding_;
  seconds_["write"] = writing_;
  return found;
}

}  // namespace trawl::pipeline
