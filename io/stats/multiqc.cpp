#include "io/stats/multiqc.hpp"

#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "io/format/json.hpp"
#include "io/stats/command_stats.hpp"

namespace trawl::io {
namespace {

constexpr std::string_view kEnding = "_mqc.json";

// "qc/liver" of "qc/liver_mqc.json"
std::string stem_of(const std::string& path) { return path.substr(0, path.size() - kEnding.size()); }

std::string section_file(const std::string& path, std::string_view section) {
  return stem_of(path).append("_").append(section).append(kEnding);
}

std::string sample_of(const std::string& path) {
  const std::string stem = stem_of(path);
  return stem.substr(stem.find_last_of('/') + 1);
}

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

// [[x, y], ...]: JSON has no numbers as keys.
class PlotLine {
 public:
  void add(double x, double y) {
    text_ += (text_.empty() ? "[" : ", [") + json_number(x) + ", " + json_number(y) + "]";
  }
  std::string json() const { return "[" + (text_.empty() ? "[0, 0]" : text_) + "]"; }

 private:
  std::string text_;
};

// The index is x. In percent of `all`, or as they are.
std::string line_of(const std::vector<std::uint64_t>& counts, std::optional<std::uint64_t> all) {
  PlotLine line;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    line.add(static_cast<double>(i), all ? 100 * share(counts[i], *all) : static_cast<double>(counts[i]));
  }
  return line.json();
}

std::string percent_line(const std::vector<std::uint64_t>& counts) {
  return line_of(counts, std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
}

struct PlotSection {
  std::string command;  // map or scan
  std::string id;       // also in the file's name
  std::string name;
  std::string description;
  std::string plot;  // bargraph or linegraph
  std::string x;     // titles of the axes
  std::string y;
};

void write_section(const PlotSection& section, const std::string& path, const std::string& data) {
  const bool is_line = section.plot == "linegraph";
  const std::string id = "trawl_" + section.command + "_" + section.id;
  JsonObject plot(1);
  plot.add("id", json_string(id + "_plot"))
      .add("title", json_string("Trawl " + section.command + ": " + section.name))
      .add("ylab", json_string(section.y));
  if (is_line) {
    plot.add("xlab", json_string(section.x)).add("ymin", 0);
  }
  JsonObject samples(1);
  samples.add(sample_of(path), data);
  JsonObject all(0);
  all.add("id", json_string(id))
      .add("parent_id", json_string("trawl_" + section.command))
      .add("parent_name", json_string("Trawl " + section.command))
      .add("parent_description", json_string("finds every place where a sequence occurs within an edit distance."))
      .add("section_name", json_string(section.name))
      .add("description", json_string(section.description))
      .add("plot_type", json_string(section.plot))
      .add("pconfig", plot.text())
      .add("data", samples.text());
  write_stats_text(all.text() + "\n", section_file(path, section.id));
}

// How a column looks: the keys of its header in MultiQC, and their JSON.
using Look = std::initializer_list<std::pair<const char*, const char*>>;

// Columns of the table at the top of a report.
class GeneralStatistics {
 public:
  GeneralStatistics(std::string command, const std::string& path) : command_(std::move(command)), path_(path) {}

  /// Without a value, the sample has no cell in the column. The column is there all the same: of several samples
  /// MultiQC takes only the columns of the last file.
  GeneralStatistics& add(const std::string& id, const std::string& title, const std::string& description, Look look,
                         std::optional<double> value) {
    JsonObject column(3);
    column.add("title", json_string(title))
        .add("description", json_string(description))
        .add("namespace", json_string("Trawl " + command_));
    for (const auto& [key, json] : look) {
      column.add(key, std::string(json));
    }
    const std::string name = command_ + "_" + id;
    JsonObject entry(2);
    entry.add(name, column.text());
    columns_ += (columns_.empty() ? "" : ", ") + entry.text();
    if (value) {
      values_.add(name, json_number(*value));
    }
    return *this;
  }

  void write() const {
    JsonObject samples(1);
    samples.add(sample_of(path_), values_.text());
    JsonObject all(0);
    all.add("id", json_string("trawl_" + command_ + "_general"))
        .add("plot_type", json_string("generalstats"))
        .add("pconfig", "[" + columns_ + "]")
        .add("data", samples.text());
    write_stats_text(all.text() + "\n", path_);
  }

 private:
  std::string command_;
  std::string path_;
  std::string columns_;
  JsonObject values_{2};
};

constexpr Look kCount = {{"format", R"("{:,.0f}")"}, {"min", "0"}, {"scale", R"("Blues")"}};
constexpr Look kPercent = {{"suffix", R"("%")"}, {"min", "0"}, {"max", "100"}, {"scale", R"("RdYlGn")"}};
constexpr Look kMean = {{"format", R"("{:,.2f}")"}, {"min", "0"}, {"scale", R"("Oranges")"}};

double mean_distance(const RunStats& stats) {
  std::uint64_t edits = 0;
  for (std::size_t d = 0; d < stats.primary_by_distance.size(); ++d) {
    edits += d * stats.primary_by_distance[d];
  }
  return share(edits, stats.mapped);
}

void write_loci(const RunStats& stats, const std::string& path) {
  JsonObject reads(2);
  for (const CountBins::Bin& bin : stats.bins_of_best_loci()) {
    reads.add(bin.name, bin.count);
  }
  write_section({"map", "loci", "Loci per read",
                 "How many loci each read has with the smallest number of edits. 0: the read is not mapped; "
                 "unknown: it was found near its mate or by words of it only. A mate counts as a read of its own.",
                 "bargraph", "", "Reads"},
                path, reads.text());
}

void write_pairs(const RunStats& stats, const std::string& path) {
  const PairCounts& counts = stats.pairs;
  JsonObject pairs(2);
  pairs.add("concordant", counts.concordant)
      .add("discordant", counts.discordant)
      .add("one mate mapped", counts.one_end)
      .add("not mapped", counts.unmapped);
  write_section({"map", "pairs", "Pairs",
                 "Concordant pairs fit together in orientation and insert size. Of discordant ones both mates have "
                 "loci, but no two of them fit together.",
                 "bargraph", "", "Pairs"},
                path, pairs.text());
  PlotLine sizes;
  for (const Histogram::Bin& bin : counts.inserts.bins()) {
    sizes.add(bin.size, 100 * share(bin.count, counts.concordant));
  }
  write_section({"map", "insert", "Insert sizes",
                 "Bases from the outer end of one mate to that of the other, of the primary concordant pairs.",
                 "linegraph", "Insert size", "% of concordant pairs"},
                path, sizes.json());
}

}  // namespace

std::vector<std::string> multiqc_files(const std::string& path) {
  if (!path.ends_with(kEnding) || sample_of(path).empty()) {
    throw UsageError(
        "--multiqc " + path +
        ": MultiQC knows the file by the end of its name; name it NAME_mqc.json, where NAME is the sample");
  }
  std::vector<std::string> files = {path};
  for (const char* section : {"distance", "loci", "mapq", "pairs", "insert"}) {
    files.push_back(section_file(path, section));
  }
  return files;
}

void write_multiqc(const RunStats& stats, const std::string& path) {
  const bool paired = stats.pairs.total > 0;
  const auto if_paired = [&](double value) { return paired ? std::optional(value) : std::nullopt; };
  GeneralStatistics("map", path)
      .add("reads", "Reads", "Reads; a pair has two", kCount, static_cast<double>(stats.reads))
      .add("mapped", "Mapped", "Reads with at least one record", kPercent, 100 * share(stats.mapped, stats.reads))
      .add("concordant", "Concordant", "Pairs whose mates fit together", kPercent,
           if_paired(100 * share(stats.pairs.concordant, stats.pairs.total)))
      .add("insert", "Insert", "Mean insert size, from the first pairs", kCount,
           if_paired(static_cast<double>(stats.insert.model.most.mean)))
      .add("duplicates", "Duplicates", "Mapped reads that --mark-duplicates has marked", kPercent,
           stats.sort && stats.sort->duplicates
               ? std::optional(100 * share(stats.sort->duplicates->all(), stats.mapped))
               : std::nullopt)
      .add("edits", "Edits", "Mean edits of the primary records", kMean, mean_distance(stats))
      .add("records", "Records", "Records of each mapped read, with the secondary ones", kMean,
           share(stats.alignments, stats.mapped))
      .write();
  write_section({"map", "distance", "Edit distance", "Edits of the primary record of each mapped read.", "linegraph",
                 "Edits", "% of mapped reads"},
                path, percent_line(stats.primary_by_distance));
  write_loci(stats, path);
  write_section(
      {"map", "mapq", "Mapping quality",
       "MAPQ of the primary record of each mapped read, computed from all its loci. 0: another locus is as good.",
       "linegraph", "MAPQ", "% of mapped reads"},
      path, percent_line(stats.primary_by_mapq));
  if (paired) {
    write_pairs(stats, path);
  }
}

void write_multiqc(const ScanStats& stats, const std::string& path) {
  GeneralStatistics general("scan", path);
  general
      .add("patterns", "Patterns", "Patterns searched", kCount,
           static_cast<double>(stats.patterns - stats.patterns_not_searched))
      .add("records", "Records", "Records of all patterns", kCount, static_cast<double>(stats.records))
      .write();
  write_section({"scan", "distance", "Distance", "Records of all patterns by their distance from the pattern.",
                 "linegraph", "Distance", "Records"},
                path, line_of(stats.records_by_distance, {}));
}

}  // namespace trawl::io
