#include "io/scan_stats.hpp"

#include "io/json.hpp"
#include "io/output_file.hpp"
#include "io/run_stats.hpp"

namespace trawl::io {

void write_stats_json(const ScanStats& stats, const std::string& path) {
  JsonObject seconds(1);
  for (const auto& [stage, value] : stats.seconds) {
    seconds.add(stage, json_number(value));
  }
  JsonObject reference(1);
  reference.add("contigs", stats.contigs).add("bases", stats.reference_bases);
  JsonObject patterns(1);
  patterns.add("total", stats.patterns).add("not_searched", stats.patterns_not_searched);
  JsonObject records(1);
  records.add("total", stats.records).add("by_distance", json_array(stats.records_by_distance));
  JsonObject all(0);
  all.add("version", json_string(stats.version))
      .add("command_line", json_string(stats.command_line))
      .add("engine", json_string(stats.engine))
      .add("threads", stats.threads)
      .add("reference", reference.text())
      .add("patterns", patterns.text())
      .add("records", records.text())
      .add("seconds", seconds.text())
      .add("wall_seconds", json_number(stats.wall_seconds))
      .add("peak_resident_bytes", peak_resident_bytes());
  OutputFile file(path);
  file.write(all.text() + "\n");
  file.commit();
}

}  // namespace trawl::io
