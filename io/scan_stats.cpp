#include "io/scan_stats.hpp"

#include "io/json.hpp"
#include "io/output_file.hpp"
#include "io/run_stats.hpp"

namespace trawl::io {
namespace {

// A line each; null for one that was not searched.
std::string counts_of(const std::vector<PatternCounts>& patterns) {
  std::string text = "[";
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    text += (p > 0 ? ",\n      " : "\n      ") + std::string("{\"name\": ") + json_string(patterns[p].name) +
            ", \"by_distance\": " + (patterns[p].searched ? json_array(patterns[p].by_distance) : "null") + "}";
  }
  return text + "\n    ]";
}

}  // namespace

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
  records.add("total", stats.records)
      .add("by_distance", json_array(stats.records_by_distance))
      .add("by_pattern", counts_of(stats.records_by_pattern));
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
