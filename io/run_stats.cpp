#include "io/run_stats.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>

#include "io/output_file.hpp"

namespace trawl::io {
namespace {

void count_at(std::vector<std::uint64_t>& histogram, std::size_t at) {
  if (histogram.size() <= at) {
    histogram.resize(at + 1);
  }
  ++histogram[at];
}

// Length of the UTF-8 sequence at the start of `text`; 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) {
      return 0;
    }
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool surrogate = first == 0xed && byte(1) >= 0xa0;
  const bool too_large = first == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

// The shortest text that reads back as the same number, whatever the locale.
std::string json_number(double value) {
  if (!std::isfinite(value)) {
    return "null";
  }
  char text[64];
  const auto result = std::to_chars(text, text + sizeof text, value);
  return std::string(text, result.ptr);
}

std::string json_array(const std::vector<std::uint64_t>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  }
  return text + "]";
}

class JsonObject {
 public:
  explicit JsonObject(int depth) : indent_(static_cast<std::size_t>(depth) * 2, ' ') {}

  JsonObject& add(std::string_view key, const std::string& json) {
    text_ += (text_.empty() ? "" : ",") + std::string("\n") + indent_ + "  " + json_string(key) + ": " + json;
    return *this;
  }
  JsonObject& add(std::string_view key, std::uint64_t value) { return add(key, std::to_string(value)); }
  std::string text() const { return text_.empty() ? "{}" : "{" + text_ + "\n" + indent_ + "}"; }

 private:
  std::string indent_;
  std::string text_;
};

}  // namespace

void RunCounts::add(const sequence::ReadBatch& batch, const map::AlignmentBatch& results) {
  for (std::size_t i = 0; i < results.reads.size(); ++i) {
    const auto& read = results.reads[i];
    ++reads;
    read_bases += batch.length(i);
    dropped += read.dropped;
    reads_with_dropped += read.dropped > 0 ? 1 : 0;
    if (read.count == 0) {
      ++(read.unmapped == map::Unmapped::too_short ? unmapped_too_short : unmapped_no_locus);
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

std::uint64_t peak_resident_bytes() {
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = 1;
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      out += escaped;
    } else if ((length = utf8_length(text)) > 0) {
      out += text.substr(0, length);
    } else {
      out += "\\ufffd";
      length = 1;
    }
    text.remove_prefix(length);
  }
  return out + '"';
}

std::string stats_json(const RunStats& stats) {
  JsonObject seconds(1);
  for (const auto& [stage, value] : stats.seconds) {
    seconds.add(stage, json_number(value));
  }
  JsonObject reference(1);
  reference.add("contigs", stats.contigs).add("bases", stats.reference_bases);
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
  JsonObject all(0);
  all.add("version", json_string(stats.version))
      .add("command_line", json_string(stats.command_line))
      .add("engine", json_string(stats.engine))
      .add("threads", stats.threads)
      .add("reference", reference.text())
      .add("reads", reads.text())
      .add("alignments", alignments.text())
      .add("seconds", seconds.text())
      .add("wall_seconds", json_number(stats.wall_seconds))
      .add("reads_per_second",
           json_number(stats.wall_seconds > 0 ? static_cast<double>(stats.reads) / stats.wall_seconds : 0))
      .add("peak_resident_bytes", peak_resident_bytes());
  return all.text() + "\n";
}

void write_stats_json(const RunStats& stats, const std::string& path) {
  OutputFile file(path);
  file.write(stats_json(stats));
  file.commit();
}

}  // namespace trawl::io
