#include "io/stats/command_stats.hpp"

#include <sys/resource.h>

#include <fstream>

#include "io/write/output_file.hpp"

namespace trawl::io {

JsonObject begin_json(const CommandStats& stats) {
  JsonObject reference(1);
  reference.add("contigs", stats.contigs).add("bases", stats.reference_bases);
  JsonObject json(0);
  json.add("version", json_string(stats.version))
      .add("command_line", json_string(stats.command_line))
      .add("engine", json_string(stats.engine))
      .add("threads", stats.threads)
      .add("reference", reference.text());
  return json;
}

namespace {

std::string seconds_json(const std::map<std::string, double>& seconds, int depth) {
  JsonObject json(depth);
  for (const auto& [stage, value] : seconds) {
    json.add(stage, json_number(value));
  }
  return json.text();
}

}  // namespace

void add_seconds(const CommandStats& stats, JsonObject& json) {
  json.add("seconds", seconds_json(stats.seconds, 1)).add("wall_seconds", json_number(stats.wall_seconds));
}

void add_ranks(const std::vector<CommandStats::Rank>& ranks, JsonObject& json) {
  if (ranks.empty()) {
    return;
  }
  std::string list = "[";
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const CommandStats::Rank& rank = ranks[r];
    JsonObject one(2);
    one.add("rank", r)
        .add("host", json_string(rank.host))
        .add("engine", json_string(rank.engine))
        .add("threads", rank.threads)
        .add("done", rank.done)
        .add("messages_sent", rank.messages_sent)
        .add("bytes_sent", rank.bytes_sent)
        .add("seconds", seconds_json(rank.seconds, 3))
        .add("peak_resident_bytes", rank.peak_resident_bytes);
    list += (r > 0 ? ",\n    " : "\n    ") + one.text();
  }
  json.add("ranks", list + "\n  ]");
}

std::uint64_t peak_resident_bytes() {
  // getrusage() also counts the program that started this one, if it was larger. So read /proc.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::stoull(line.substr(line.find_first_of("0123456789"))) * 1024;
    }
  }
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void write_stats_text(const std::string& text, const std::string& path) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace trawl::io
