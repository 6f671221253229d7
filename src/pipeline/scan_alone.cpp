#include "pipeline/scan_alone.hpp"

#include <algorithm>
#include <utility>

#include "io/write/stored_record.hpp"
#include "pipeline/chunk_reader.hpp"
#include "scan/report/site.hpp"

namespace trawl::pipeline {

namespace {

constexpr scan::ContigPlace kAfterAll{UINT64_MAX, UINT64_MAX};

}  // namespace

AloneScan::AloneScan(scan::Finder& finder, const std::vector<scan::Query>& queries, const scan::ScanOptions& options,
                     io::ScanLines& lines, io::ScanStats& stats)
    : search_(finder, queries, options, stats.seconds), lines_(lines), stats_(stats) {}

FoundChunk AloneScan::run(const sequence::TextChunk& chunk, io::HeldText& text) {
  FoundChunk found;
  scan::LocusCollector& collector = search_.collector();
  io::RecordQueue& queue = search_.queue();
  add_contig_names(chunk, contig_names_);
  collector.begin_alone(chunk);
  const auto to_loose = [&](std::span<const scan::SiteRecord> records) {
    for (const scan::SiteRecord& record : records) {
      io::append_record(found.loose, record);
    }
  };
  const auto to_text = [&](std::span<const scan::SiteRecord> records) {
    lines_.write(records, contig_names_, [&](std::string_view some) { text.append(some); });
    stats_.count(records);
  };
  // The text begins when it is known where: after the records of all runs that begin with the chunk.
  bool has_begun = false;
  found.ends = search_.run(chunk, [&] {
    const scan::ContigPlace limit = collector.limit();
    if (!has_begun) {
      if (!collector.has_open_head()) {
        found.low = std::max(found.low, collector.heads_end());
        has_begun = found.low < limit;
      }
      queue.write_until(has_begun ? found.low : limit, to_loose);
      found.low = std::max(found.low, has_begun ? found.low : limit);
    }
    if (has_begun) {
      queue.write_until(limit, to_text);
    }
  });
  queue.write_until(kAfterAll, to_loose);
  found.next = collector.next();
  found.parts = collector.take_parts();
  return found;
}

ScanMerge::ScanMerge(const std::vector<scan::Query>& queries, const scan::ScanOptions& options, Write write)
    : joiner_(options),
      reach_(scan::SiteFinder(queries, options).reach()),
      write_(std::move(write)),
      queue_(2 * scan::held_bytes(1)) {}

void ScanMerge::begin(FoundChunk found, bool has_text) {
  const scan::ContigPlace first = next_;
  next_ = found.next;
  for (scan::RunPart& head : found.parts.heads) {
    const bool goes_on = joiner_.goes_on(head.query, head.contig, first.second);
    head.is_head = false;
    joiner_.add(std::move(head), goes_on, next_, records_);
  }
  for (scan::RunPart& open : found.parts.open) {
    const bool goes_on = open.is_head && joiner_.goes_on(open.query, open.contig, first.second);
    open.is_head = false;
    joiner_.add(std::move(open), goes_on, next_, records_);
  }
  joiner_.close_before(next_, records_);
  queue_.take(records_);
  std::string_view loose = found.loose;
  while (!loose.empty()) {
    scan::SiteRecord record;
    loose.remove_prefix(io::parse_record(loose, record));
    records_.push_back(std::move(record));
  }
  queue_.take(records_);
  if (has_text) {
    queue_.write_until(found.low, write_);
  }
}

void ScanMerge::end() {
  queue_.write_until(joiner_.limit({next_.first, next_.second - std::min(next_.second, reach_)}), write_);
}

void ScanMerge::finish() {
  joiner_.close_before(kAfterAll, records_);
  queue_.take(records_);
  queue_.write_until(kAfterAll, write_);
}

}  // namespace trawl::pipeline
