#include "io/report/map_report.hpp"

#include <algorithm>

#include "align/records.hpp"
#include "io/format/json.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::io {
namespace {

std::vector<std::uint64_t> depth_of(const std::vector<std::int64_t>& changes) {
  std::vector<std::uint64_t> depth;
  std::int64_t now = 0;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    now += changes[i];
    depth.push_back(static_cast<std::uint64_t>(now));
  }
  return depth;
}

std::string alignment_json(const WindowAlignment& a) {
  return "[" + json_string(a.name) + "," + std::to_string(a.start) + "," + json_string(a.cigar) + "," +
         json_string(a.letters) + "," + std::to_string(a.flag) + "," + std::to_string(a.mapq) + "," +
         std::to_string(a.edits) + "]";
}

std::string window_json(const SampledWindow& window, const sequence::Reference& reference) {
  const sequence::Contig& contig = reference.contigs()[window.place.contig];
  const std::string letters =
      sequence::letters_at(reference, contig.offset + window.place.begin, window.place.end - window.place.begin);
  std::string alignments;
  for (const WindowAlignment& alignment : window.alignments) {
    alignments += (alignments.empty() ? "\n" : ",\n") + alignment_json(alignment);
  }
  JsonObject json(2);
  json.add("contig", json_string(contig.name))
      .add("begin", window.place.begin)
      .add("end", window.place.end)
      .add("records", window.records)
      .add("letters", json_string(letters))
      .add("depth", json_array(depth_of(window.changes)))
      .add("primary_depth", json_array(depth_of(window.primary_changes)))
      .add("alignments", "[" + alignments + "]");
  return json.text();
}

}  // namespace

MapReport::MapReport(const sequence::Reference& reference, bool collapsed)
    : reference_(reference),
      collapsed_(collapsed),
      lengths_(lengths_of(reference.contigs())),
      counts_([this] {
        return Counts{ContigBins(lengths_), ContigBins(lengths_), {}, {}};
      }),
      windows_(reference.contigs()) {}

void MapReport::add(const sequence::ReadBatch& batch, const align::AlignmentBatch& results) {
  Counts& counts = counts_.local();
  struct OfRead {
    std::uint64_t times = 1;
    std::uint32_t records = 0;
    std::uint16_t best = 0;
  };
  std::vector<OfRead> reads(batch.size());
  for (std::size_t i = 0; collapsed_ && i < reads.size(); ++i) {
    reads[i].times = reads_of(batch.name(i));
  }
  const align::RecordRule rule{.keep_unmapped = false};
  align::for_each_record(results, rule, [&](const align::AlignmentRecord& record) {
    if (record.alignment != nullptr && !record.supplementary()) {
      OfRead& read = reads[record.read];
      read.best = read.records++ == 0 ? record.alignment->distance : std::min(read.best, record.alignment->distance);
    }
  });
  for (const OfRead& read : reads) {
    if (read.records > 0) {
      counts.records_by_read.add(read.records, read.times);
    }
  }
  align::for_each_record(results, rule, [&](const align::AlignmentRecord& record) {
    if (record.alignment == nullptr) {
      return;
    }
    const align::Alignment& own = *record.alignment;
    const std::uint64_t times = reads[record.read].times;
    counts.all.add(own.contig, own.start, own.start + own.span, times);
    if (!record.secondary()) {
      counts.primary.add(own.contig, own.start, own.start + own.span, times);
    }
    if (!record.supplementary()) {
      const std::size_t stratum = own.distance - reads[record.read].best;
      counts.by_stratum.resize(std::max(counts.by_stratum.size(), stratum + 1));
      counts.by_stratum[stratum] += times;
    }
    windows_.add(results, record, batch, times);
  });
}

MapReport::Counts MapReport::counts() {
  Counts sum{ContigBins(lengths_), ContigBins(lengths_), {}, {}};
  for (const Counts& counts : counts_) {
    add_members(sum, counts);
  }
  return sum;
}

void MapReport::pack(Packer& to) {
  to.add(counts());
  windows_.pack(to);
}

void MapReport::add_packed(Unpacker& from) {
  Counts other;
  from.get(other);
  add_members(counts_.local(), other);
  windows_.add_packed(from);
}

std::string map_report_json(MapReport& report, const RunStats& stats, const RunFiles& files, bool ambiguous_matches) {
  const sequence::Reference& reference = report.reference();
  MapReport::Counts counts = report.counts();
  std::string windows;
  for (const SampledWindow& window : report.windows().chosen()) {
    windows += (windows.empty() ? "" : ",") + window_json(window, reference);
  }
  JsonObject browser(1);
  browser.add("window_bases", WindowSample::kWindow)
      .add("most_alignments", WindowSample::kAlignments)
      .add("taken", WindowSample::kShards * WindowSample::kOfShard)
      .add("shown", WindowSample::kShown)
      .add("deepest", WindowSample::kDeepest)
      .add("windows", "[" + windows + "]");
  JsonObject all(0);
  all.add("command", json_string("map"))
      .add("files", files_json(files, 1))
      .add("ambiguous_matches", json_bool(ambiguous_matches))
      .add("stats", stats_json(stats))
      .add("records_by_read", counts.records_by_read.json(1))
      .add("records_by_stratum", json_array(counts.by_stratum))
      .add("coverage", coverage_json(reference.contigs(), {{"all", &counts.all}, {"primary", &counts.primary}}, 1))
      .add("browser", browser.text());
  return all.text() + "\n";
}

}  // namespace trawl::io
