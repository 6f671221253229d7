#include "io/stats/command_stats.hpp"

#include <sys/resource.h>

#include <fstream>
#include <string>

#include "io/out/output_file.hpp"

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

void add_seconds(const CommandStats& stats, JsonObject& json) {
  JsonObject seconds(1);
  for (const auto& [stage, value] : stats.seconds) {
    seconds.add(stage, json_number(value));
  }
  json.add("seconds", seconds.text()).add("wall_seconds", json_number(stats.wall_seconds));
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
