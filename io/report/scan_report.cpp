#include "io/report/scan_report.hpp"

#include <algorithm>
#include <utility>

#include "io/format/json.hpp"
#include "io/read/fasta_chunks.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::io {
namespace {

std::string site_json(const SampledSite& site, const std::vector<sequence::Contig>& contigs) {
  std::string text = "[" + json_string(contigs[site.contig].name);
  for (const std::uint64_t number :
       {site.start, site.end, std::uint64_t{site.reverse}, std::uint64_t{site.distance}, std::uint64_t{site.mismatches},
        std::uint64_t{site.dna_bulges}, std::uint64_t{site.rna_bulges}}) {
    text += "," + std::to_string(number);
  }
  return text + "," + json_string(site.cigar) + "," + json_string(site.text) + "]";
}

std::string pattern_json(const ScanReport& report, std::size_t p) {
  const PatternCounts& counts = *report.stats.records_by_pattern;
  const sequence::Pattern pattern = report.patterns[p];
  std::string text = "{\"name\": " + json_string(pattern.name) +
                     ", \"length\": " + std::to_string(pattern.bases.size()) +
                     ", \"by_distance\": " + (counts.is_searched(p) ? json_array(counts.of(p)) : "null");
  if (p < report.stats.sites->patterns()) {
    if (pattern.bases.size() <= SiteSample::kLongest) {
      text += ", \"letters\": " + json_string(pattern.bases);
    }
    text += ", \"sites\": [";
    bool is_first = true;
    for (const SampledSite& site : report.stats.sites->closest(p)) {
      text += std::exchange(is_first, false) ? "\n" : ",\n";
      text += site_json(site, report.contigs);
    }
    text += "]";
  }
  return text + "}";
}

std::string windows_json(const ScanReport& report) {
  std::string list;
  for (std::size_t w = 0; w < report.letters.size(); ++w) {
    const ContigRegion& window = report.windows[w];
    JsonObject one(2);
    one.add("contig", json_string(report.contigs[window.contig].name))
        .add("begin", window.begin)
        .add("end", window.end)
        .add("letters", json_string(report.letters[w]));
    list += (w > 0 ? ", " : "") + one.text();
  }
  return "[" + list + "]";
}

}  // namespace

std::vector<ContigRegion> site_windows(const SiteSample& sites, const std::vector<sequence::Contig>& contigs) {
  std::vector<ContigRegion> windows;
  for (std::size_t p = 0; p < sites.patterns(); ++p) {
    for (const SampledSite& site : sites.closest(p)) {
      if (site.end - site.start <= SiteSample::kLongest) {
        windows.push_back({site.contig, site.start - std::min(site.start, kFlank),
                           std::min(site.end + kFlank, contigs[site.contig].length)});
      }
    }
  }
  return joined(std::move(windows));
}

std::vector<std::string> read_letters(std::unique_ptr<ContigSource> reference, const std::vector<ContigRegion>& windows,
                                      unsigned threads) {
  std::vector<std::string> letters;
  for (const ContigRegion& window : windows) {
    letters.emplace_back(window.end - window.begin, ' ');
  }
  // The windows that end after a place; those before it are complete.
  const auto first_after = [&](std::uint64_t contig, std::uint64_t at) {
    return std::partition_point(windows.begin(), windows.end(), [&](const ContigRegion& window) {
      return std::pair(window.contig, window.end) <= std::pair(contig, at);
    });
  };
  FastaChunks chunks(std::move(reference), {}, threads);
  sequence::TextChunk chunk;
  for (bool is_complete = windows.empty(); !is_complete && chunks.next(chunk);) {
    for (std::size_t s = 0; s < chunk.slices.size(); ++s) {
      const sequence::ContigSlice& slice = chunk.slices[s];
      const sequence::Contig& piece = chunk.reference.contigs()[s];
      const std::uint64_t end = slice.begin + piece.length;
      auto window = first_after(slice.contig, slice.begin);
      for (; window != windows.end() && window->contig == slice.contig && window->begin < end; ++window) {
        const std::uint64_t from = std::max(window->begin, slice.begin);
        sequence::copy_letters(
            chunk.reference, piece.offset + (from - slice.begin), std::min(window->end, end) - from,
            letters[static_cast<std::size_t>(window - windows.begin())].data() + (from - window->begin));
      }
      is_complete = first_after(slice.contig, end) == windows.end();
    }
  }
  return letters;
}

std::string scan_report_json(const ScanReport& report) {
  ScanStats& stats = report.stats;
  const std::size_t shown = std::min(report.patterns.size(), kShownPatterns);
  std::string patterns;
  for (std::size_t p = 0; p < shown; ++p) {
    patterns += (p > 0 ? ",\n" : "\n") + pattern_json(report, p);
  }
  JsonObject records(2);
  records.add("total", stats.records).add("by_distance", json_array(stats.records_by_distance));
  JsonObject of_patterns(2);
  of_patterns.add("total", stats.patterns).add("not_searched", stats.patterns_not_searched);
  JsonObject of_run = begin_json(stats);
  of_run.add("patterns", of_patterns.text()).add("records", records.text());
  add_seconds(stats, of_run);
  add_ranks(stats.ranks, of_run);
  of_run.add("peak_resident_bytes", peak_resident_bytes());
  JsonObject browser(1);
  browser.add("windows", windows_json(report));
  JsonObject all(0);
  all.add("command", json_string("scan"))
      .add("files", files_json(report.files, 1))
      .add("leaves_out_alleles", json_bool(report.leaves_out_alleles))
      .add("ambiguous_matches", json_bool(report.ambiguous_matches))
      .add("stats", of_run.text())
      .add("patterns", "[" + patterns + "]")
      .add("patterns_left_out", report.patterns.size() - shown)
      .add("patterns_with_sites", stats.sites->patterns())
      .add("most_sites", SiteSample::kSites)
      .add("coverage", coverage_json(report.contigs, {{"all", &stats.sites->bins()}}, 1))
      .add("browser", browser.text());
  return all.text() + "\n";
}

}  // namespace trawl::io
