#include "io/stats/amplicon_stats.hpp"

#include "io/format/json.hpp"

namespace trawl::io {

std::string stats_json(const AmpliconStats& stats) {
  JsonObject primers(1);
  if (stats.is_table_of_pairs) {
    primers.add("pairs", stats.patterns / 2);
  }
  primers.add("primers", stats.patterns)
      .add("loci", stats.records)
      .add("other_places", stats.other_places)
      .add("loci_by_distance", json_array(stats.records_by_distance));
  JsonObject all = begin_json(stats);
  all.add("primers", primers.text())
      .add("amplicons", stats.amplicons)
      .add("expected_amplicons", stats.expected_amplicons);
  if (stats.dimers) {
    all.add("dimers", *stats.dimers);
  }
  add_seconds(stats, all);
  all.add("peak_resident_bytes", peak_resident_bytes());
  return all.text() + "\n";
}

}  // namespace trawl::io
