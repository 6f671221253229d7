// One chunk of a reference -> ends -> sites -> records, which wait in a queue until they are written in order.
//
//   ScanSearch search(finder, queries, options, stats.seconds);
//   search.run(chunk, [&] { search.queue().write_until(search.collector().limit(), write); });   // after each region
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/write/record_queue.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/find/region_finder.hpp"
#include "scan/find/scan_memory.hpp"
#include "scan/options.hpp"
#include "scan/report/collector.hpp"
#include "scan/report/record.hpp"
#include "scan/report/site.hpp"
#include "sequence/text_chunk.hpp"

namespace trawl::pipeline {

class ScanSearch {
 public:
  /// `seconds` takes the time of the stages find, align and write. All must outlive this object. `held_bytes`: see
  /// scan/find/scan_memory.hpp.
  ScanSearch(scan::Finder& finder, const std::vector<scan::Query>& queries, const scan::ScanOptions& options,
             std::map<std::string, double>& seconds, std::uint64_t held_bytes = scan::held_bytes(1));

  /// Searches a chunk region by region. `write` is called after each; it takes records from the queue. Returns the
  /// number of ends.
  std::uint64_t run(const sequence::TextChunk& chunk, const std::function<void()>& write);

  /// The same, but one thread searches the next region and one writes the records of the last, while those of this one
  /// are made. All are written when it returns. Throws what `write` throws.
  std::uint64_t run_and_write(const sequence::TextChunk& chunk,
                              const std::function<void(std::span<const scan::SiteRecord>)>& write);

  scan::LocusCollector& collector() { return collector_; }
  io::RecordQueue& queue() { return queue_; }

 private:
  scan::SiteFinder site_finder_;
  scan::LocusCollector collector_;
  scan::RegionFinder regions_;
  io::RecordQueue queue_;
  std::vector<scan::Hit> ends_, next_ends_;
  std::map<std::string, double>& seconds_;
  double finding_ = 0, writing_ = 0;  // seconds of the other threads
};

}  // namespace trawl::pipeline
