#include "io/report/scan_report.hpp"

#include <algorithm>
#include <utility>

#include "io/format/json.hpp"
#include "io/read/fasta_chunks.hpp"
#include "io/report/report_page.hpp"
#include "sequence/copy_letters.hpp"

namespace trawl::io {
namespace {

std::string site_json(const Site& site, const std::vector<sequence::Contig>& contigs) {
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
    for (const Site& site : report.stats.sites->closest(p)) {
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
    const Region& window = report.windows[w];
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

std::vector<Region> site_windows(const SiteSample& sites, const std::vector<sequence::Contig>& contigs) {
  std::vector<Region> windows;
  for (std::size_t p = 0; p < sites.patterns(); ++p) {
    for (const Site& site : sites.closest(p)) {
      if (site.end - site.start <= SiteSample::kLongest) {
        windows.push_back({site.contig, site.start - std::min(site.start, kFlank),
                           std::min(site.end + kFlank, contigs[site.contig].length)});
      }
    }
  }
  return joined(std::move(windows));
}

std::vector<std::string> read_letters(std::unique_ptr<ContigSource> reference, const std::vector<Region>& windows,
                                      unsigned threads) {
  std::vector<std::string> letters;
  for (const Region& window : windows) {
    letters.emplace_back(window.end - window.begin, ' ');
  }
  FastaChunks chunks(std::move(reference), {}, threads);
  sequence::TextChunk chunk;
  std::size_t first = 0;  // the windows before it are complete
  while (first < windows.size() && chunks.next(chunk)) {
    for (std::size_t s = 0; s < chunk.slices.size(); ++s) {
      const sequence::ContigSlice& slice = chunk.slices[s];
      const sequence::Contig& piece = chunk.reference.contigs()[s];
      const Region whole{slice.contig, slice.begin, slice.begin + piece.length};
      while (first < windows.size() &&
             std::pair(windows[first].contig, windows[first].end) <= std::pair(whole.contig, whole.begin)) {
        ++first;
      }
      for (std::size_t w = first; w < windows.size() && windows[w].contig == whole.contig; ++w) {
        const std::uint64_t from = std::max(windows[w].begin, whole.begin);
        const std::uint64_t to = std::min(windows[w].end, whole.end);
        if (from >= whole.end) {
          break;
        }
        if (from < to) {
          sequence::copy_letters(chunk.reference, piece.offset + (from - whole.begin), to - from,
                                 letters[w].data() + (from - windows[w].begin));
        }
      }
    }
    const Region last{chunk.slices.back().contig, 0,
                      chunk.slices.back().begin + chunk.reference.contigs().back().length};
    while (first < windows.size() &&
           std::pair(windows[first].contig, windows[first].end) <= std::pair(last.contig, last.end)) {
      ++first;
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
