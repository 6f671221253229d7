#include "io/stats/scan_stats.hpp"

#include <string_view>

#include "io/format/json.hpp"
#include "io/write/output_file.hpp"
#include "io/write/scan_lines.hpp"
#include "io/write/table_file.hpp"
#include "scan/find/query.hpp"

namespace trawl::io {

namespace {

// Stands for a value that is written later. No JSON text has this character.
constexpr char kLater = '\1';

// One line per pattern; null for a pattern that was not searched.
void write_counts(const PatternCounts& counts, const sequence::PatternList& patterns, OutputFile& file) {
  std::string text = "[";
  for (std::size_t p = 0; p < counts.patterns(); ++p) {
    text.append(p > 0 ? ",\n      " : "\n      ").append("{\"name\": ").append(json_string(patterns[p].name));
    text.append(", \"by_distance\": ").append(counts.is_searched(p) ? json_array(counts.of(p)) : "null").append("}");
    if (text.size() >= kWriteSize) {
      file.write(text);
      text.clear();
    }
  }
  file.write(text + "\n    ]");
}

}  // namespace

void ScanStats::count(std::span<const scan::SiteRecord> written) {
  if (guides) {
    guides->add(written);
  }
  for (const scan::SiteRecord& record : written) {
    ++records;
    if (records_by_distance.size() <= record.distance) {
      records_by_distance.resize(record.distance + std::size_t{1});
    }
    ++records_by_distance[record.distance];
    if (records_by_pattern && record.pattern < records_by_pattern->patterns()) {  // any combination has none
      records_by_pattern->add(record.pattern, record.distance);
    }
    if (sites) {
      sites->add(record);
    }
  }
}

void ScanStats::count(std::span<const scan::ReadCall> calls) {
  for (const scan::ReadCall& call : calls) {
    ++(call.kind == scan::CallKind::assigned    ? reads->assigned
       : call.kind == scan::CallKind::ambiguous ? reads->ambiguous
                                                : reads->unassigned);
    reads->several_places += call.kind == scan::CallKind::assigned && call.places > 1 ? 1 : 0;
    if (call.kind == scan::CallKind::assigned) {
      count({&call.best, 1});
    }
  }
}

void ScanStats::add(const ScanStats& other) {
  contigs += other.contigs;
  reference_bases += other.reference_bases;
  records += other.records;
  add_counts(records_by_distance, other.records_by_distance);
  if (records_by_pattern) {
    records_by_pattern->add(*other.records_by_pattern);
  }
  if (guides) {
    guides->add(*other.guides);
  }
  if (sites) {
    sites->add(*other.sites);
  }
}

void write_stats(const ScanStats& stats, const sequence::PatternList& patterns, const std::string& path) {
  JsonObject of_patterns(1);
  of_patterns.add("total", stats.patterns).add("not_searched", stats.patterns_not_searched);
  JsonObject records(1);
  records.add("total", stats.records)
      .add("by_distance", json_array(stats.records_by_distance))
      .add("by_pattern", std::string(1, kLater));
  JsonObject all = begin_json(stats);
  all.add("patterns", of_patterns.text()).add("records", records.text());
  if (stats.reads) {
    JsonObject reads(1);
    reads.add("assigned", stats.reads->assigned)
        .add("ambiguous", stats.reads->ambiguous)
        .add("unassigned", stats.reads->unassigned)
        .add("several_places", stats.reads->several_places);
    all.add("reads", reads.text());
    std::string samples;
    for (const SampleCounts& sample : stats.samples) {
      samples += (samples.empty() ? "\n    {\"name\": " : ",\n    {\"name\": ") + json_string(sample.name) +
                 ", \"reads\": " + std::to_string(sample.reads) + ", \"assigned\": " + std::to_string(sample.assigned) +
                 '}';
    }
    all.add("samples", '[' + samples + "\n  ]");
  }
  add_seconds(stats, all);
  add_ranks(stats.ranks, all);
  all.add("peak_resident_bytes", peak_resident_bytes());
  const std::string json = all.text() + "\n";
  const std::size_t later = json.find(kLater);
  OutputFile file(path);
  file.write(std::string_view(json).substr(0, later));
  write_counts(stats.records_by_pattern.value(), patterns, file);
  file.write(std::string_view(json).substr(later + 1));
  file.commit();
}

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

namespace {

// For each number of bulges, each number of mismatches that is possible with it.
template <class Use>
void for_each_kind(const scan::GuideSummary& summary, Use&& use) {
  for (std::uint32_t bulges = 0; bulges <= summary.max_bulges(); ++bulges) {
    for (std::uint32_t mismatches = 0; mismatches <= summary.max_mismatches(); ++mismatches) {
      if (mismatches + bulges <= summary.max_edits()) {
        use(mismatches, bulges);
      }
    }
  }
}

}  // namespace

void write_guide_table(const scan::GuideSummary& summary, const sequence::PatternList& patterns,
                       const std::string& path, int compression_level) {
  check_table_name("--summary", path);
  const ScanFormat format = scan_format(path);
  TableFile table(path, level_of(format, compression_level), separator(format));
  for (const char* column : {"pattern", "sequence", "sites", "cfd_specificity", "mit_specificity", "without_score"}) {
    table.cell(column);
  }
  for_each_kind(summary, [&](std::uint32_t mismatches, std::uint32_t bulges) {
    table.cell("mismatches_" + std::to_string(mismatches) + (bulges > 0 ? "_bulges_" + std::to_string(bulges) : ""));
  });
  table.end_line();
  for (std::size_t g = 0; g < patterns.size(); ++g) {
    const auto [name, bases] = patterns[g];
    const bool is_searched = !scan::matches_everywhere({name, bases}, summary.max_edits());
    const auto number = [&](std::uint64_t value) { is_searched ? table.number(value) : table.cell("."); };
    const auto score = [&](std::optional<double> value) {
      is_searched&& value ? table.fixed(*value, 2) : table.cell(".");
    };
    table.cell(name).cell(bases);
    number(summary.sites(g));
    score(summary.cfd_specificity(g));
    score(summary.mit_specificity(g));
    number(summary.without_score(g));
    for_each_kind(
        summary, [&](std::uint32_t mismatches, std::uint32_t bulges) { number(summary.sites(g, mismatches, bulges)); });
    table.end_line();
  }
  table.close();
}

}  // namespace trawl::io
