// What --stats reports for every command: what ran, on which reference, and how long. Each command adds its own values.
//
//   CommandStats stats;
//   stats.command_line = "trawl map genome.fa reads.fq";
//   stats.seconds["read"] += 0.25;
//   JsonObject json = begin_json(stats);
//   json.add("reads", 2);                        // the command's own keys
//   add_seconds(stats, json);
//   write_stats_text(json.text(), "run.json");
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "io/format/json.hpp"

namespace trawl::io {

struct CommandStats {
  std::string version;
  std::string command_line;
  std::string engine;
  unsigned threads = 1;

  std::uint64_t contigs = 0;
  std::uint64_t reference_bases = 0;

  std::map<std::string, double> seconds;  // per stage; stages may overlap or be sums over threads
  double wall_seconds = 0;

  /// What one rank has done, under mpirun.
  struct Rank {
    std::string host;
    std::string engine;
    unsigned threads = 1;
    std::uint64_t done = 0;  // units of work, for example reads
    std::map<std::string, double> seconds;
    std::uint64_t peak_resident_bytes = 0;
    std::uint64_t messages_sent = 0;
    std::uint64_t bytes_sent = 0;

    template <class Self>
    static auto members(Self& self) {
      return std::tie(self.host, self.engine, self.threads, self.done, self.seconds, self.peak_resident_bytes,
                      self.messages_sent, self.bytes_sent);
    }
  };
  std::vector<Rank> ranks;  // by rank; empty without mpirun
};

/// The first keys of the JSON object: the command and its reference.
JsonObject begin_json(const CommandStats& stats);
/// The keys after the command's own: the seconds.
void add_seconds(const CommandStats& stats, JsonObject& json);

/// The list of ranks, if there is one.
void add_ranks(const std::vector<CommandStats::Rank>& ranks, JsonObject& json);

/// The largest resident memory of this process so far, in bytes.
std::uint64_t peak_resident_bytes();

/// Writes the text. The file appears only when it is complete. Throws IoError.
void write_stats_text(const std::string& text, const std::string& path);

}  // namespace trawl::io
