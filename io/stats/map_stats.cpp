#include "io/stats/map_stats.hpp"

#include <algorithm>
#include <functional>

#include "io/stats/json.hpp"

namespace trawl::io {
namespace {

void count_at(std::vector<std::uint64_t>& histogram, std::size_t at) {
  if (histogram.size() <= at) {
    histogram.resize(at + 1);
  }
  ++histogram[at];
}

}  // namespace

void RunCounts::add(const sequence::ReadBatch& batch, const align::AlignmentBatch& results) {
  for (std::size_t i = 0; i < results.reads.size(); ++i) {
    const auto& read = results.reads[i];
    ++reads;
    read_bases += batch.length(i);
    dropped += read.dropped;
    reads_with_dropped += read.dropped > 0 ? 1 : 0;
    if (read.count == 0) {
      ++(read.unmapped == align::Unmapped::too_short ? unmapped_too_short : unmapped_no_locus);
      continue;
    }
    ++mapped;
    alignments += read.count;
    count_at(primary_by_distance, results.alignments[read.first].distance);
    for (std::uint64_t a = read.first; a < read.first + read.count; ++a) {
      count_at(all_by_distance, results.alignments[a].distance);
    }
  }
}

RunCounts& RunCounts::operator+=(const RunCounts& other) {
  reads += other.reads;
  read_bases += other.read_bases;
  mapped += other.mapped;
  unmapped_no_locus += other.unmapped_no_locus;
  unmapped_too_short += other.unmapped_too_short;
  alignments += other.alignments;
  dropped += other.dropped;
  reads_with_dropped += other.reads_with_dropped;
  const auto add_each = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
    to.resize(std::max(to.size(), from.size()));
    std::transform(from.begin(), from.end(), to.begin(), to.begin(), std::plus<>());
  };
  add_each(primary_by_distance, other.primary_by_distance);
  add_each(all_by_distance, other.all_by_distance);
  return *this;
}

std::string stats_json(const RunStats& stats) {
  JsonObject reads(1);
  reads.add("total", stats.reads)
      .add("bases", stats.read_bases)
      .add("mapped", stats.mapped)
      .add("unmapped_no_locus", stats.unmapped_no_locus)
      .add("unmapped_too_short", stats.unmapped_too_short);
  JsonObject alignments(1);
  alignments.add("total", stats.alignments)
      .add("dropped_by_max_hits", stats.dropped)
      .add("reads_with_dropped", stats.reads_with_dropped)
      .add("primary_by_distance", json_array(stats.primary_by_distance))
      .add("all_by_distance", json_array(stats.all_by_distance));
  JsonObject all = begin_json(stats);
  all.add("reads", reads.text()).add("alignments", alignments.text());
  add_seconds(stats, all);
  all.add("reads_per_second",
          json_number(stats.wall_seconds > 0 ? static_cast<double>(stats.reads) / stats.wall_seconds : 0))
      .add("peak_resident_bytes", peak_resident_bytes());
  return all.text() + "\n";
}

}  // namespace trawl::io
