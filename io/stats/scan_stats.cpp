#include "io/stats/scan_stats.hpp"

#include "io/stats/json.hpp"

namespace trawl::io {
namespace {

// One line per pattern; null for a pattern that was not searched.
std::string counts_of(const std::vector<PatternCounts>& patterns) {
  std::string text = "[";
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    text += (p > 0 ? ",\n      " : "\n      ") + std::string("{\"name\": ") + json_string(patterns[p].name) +
            ", \"by_distance\": " + (patterns[p].searched ? json_array(patterns[p].by_distance) : "null") + "}";
  }
  return text + "\n    ]";
}

}  // namespace

std::string stats_json(const ScanStats& stats) {
  JsonObject patterns(1);
  patterns.add("total", stats.patterns).add("not_searched", stats.patterns_not_searched);
  JsonObject records(1);
  records.add("total", stats.records)
      .add("by_distance", json_array(stats.records_by_distance))
      .add("by_pattern", counts_of(stats.records_by_pattern));
  JsonObject all = begin_json(stats);
  all.add("patterns", patterns.text()).add("records", records.text());
  add_seconds(stats, all);
  all.add("peak_resident_bytes", peak_resident_bytes());
  return all.text() + "\n";
}

}  // namespace trawl::io
