#include "io/stats/mappability_stats.hpp"

#include <algorithm>

#include "io/format/json.hpp"

namespace trawl::io {

void MappabilityStats::add(std::span<const std::uint64_t> counts) {
  positions += counts.size();
  for (const std::uint64_t count : counts) {
    no_locus += count == 0 ? 1 : 0;
    one_locus += count == 1 ? 1 : 0;
    more_loci += count > 1 ? 1 : 0;
    loci += count;
    most_loci = std::max(most_loci, count);
  }
}

std::string stats_json(const MappabilityStats& stats) {
  JsonObject positions(1);
  positions.add("total", stats.positions)
      .add("no_locus", stats.no_locus)
      .add("one_locus", stats.one_locus)
      .add("more_loci", stats.more_loci);
  JsonObject loci(1);
  loci.add("total", stats.loci).add("most", stats.most_loci);
  JsonObject all = begin_json(stats);
  all.add("read_length", stats.read_length)
      .add("max_edits", stats.max_edits)
      .add("metric", json_string(stats.metric))
      .add("positions", positions.text())
      .add("loci", loci.text())
      .add("intervals", stats.intervals);
  add_seconds(stats, all);
  all.add("peak_resident_bytes", peak_resident_bytes());
  return all.text() + "\n";
}

}  // namespace trawl::io
