#include "session/reports.hpp"

#include "base/counted.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/report/igv_session.hpp"
#include "io/report/report_page.hpp"
#include "io/report/scan_report.hpp"
#include "io/stats/multiqc.hpp"
#include "session/command_run.hpp"
#include "session/load_reference.hpp"
#include "session/pattern_check.hpp"

namespace trawl::session {

namespace {

void write_page(const ScanReports& reports, io::ScanStats& stats) {
  const cli::ScanArguments& arguments = reports.arguments;
  const std::vector<io::ContigRegion> windows = io::site_windows(*stats.sites, reports.contigs);
  std::vector<std::string> letters;
  if (arguments.reference != "-" && io::file_size(arguments.reference)) {  // a pipe cannot be read again
    letters = io::read_letters(
        open_reference(io::read_samples(arguments.reference), reports.options.threads, AsReads::none, false, true)
            .contigs,
        windows, reports.options.threads);
  }
  io::RunFiles files{reports.fasta, arguments.patterns, arguments.output};
  if (!arguments.pattern_file.empty()) {
    files.inputs.push_back(arguments.pattern_file);
  }
  io::write_report_page(
      io::scan_report_json({stats, reports.searched, reports.contigs, files, !arguments.variants.empty(),
                            reports.options.ambiguous_matches, windows, letters}),
      arguments.report_html);
}

// The closest sites of the first pattern that has any.
std::vector<io::SampledSite> first_sites(const io::SiteSample& sites) {
  for (std::size_t p = 0; p < sites.patterns(); ++p) {
    if (!sites.closest(p).empty()) {
      return sites.closest(p);
    }
  }
  return {};
}

void write_session(const ScanReports& reports, const io::ScanStats& stats) {
  io::IgvSession session{reports.genome, reports.arguments.output, {}};
  for (const io::SampledSite& site : first_sites(*stats.sites)) {
    session.regions.push_back({reports.contigs[site.contig].name, site.start, site.end});
  }
  io::write_igv_session(session, reports.arguments.igv_session);
}

}  // namespace

bool shows_places(const cli::WorkArguments& arguments) {
  return !arguments.report_html.empty() || !arguments.igv_session.empty();
}

std::string genome_of_session(const std::string& reference, const std::string& output, bool is_sorted) {
  std::string genome = fasta_file(reference);
  io::check_igv_session(genome, output, is_sorted);
  return genome;
}

void write_map_reports(const MapReports& reports, io::MapReport* places, const io::RunStats& stats) {
  const cli::MapArguments& a = reports.arguments;
  if (!a.multiqc.empty()) {
    io::write_multiqc(stats, a.multiqc);
  }
  if (!a.report_html.empty()) {
    io::RunFiles named{reports.fasta, reports.files.reads, a.output};
    named.inputs.insert(named.inputs.end(), reports.files.mates.begin(), reports.files.mates.end());
    io::write_report_page(
        io::map_report_json(*places, stats, named, reports.options.ambiguous == map::Ambiguous::match), a.report_html);
  }
  if (!a.igv_session.empty()) {
    io::IgvSession session{reports.genome, a.output, {}};
    for (const io::SampledWindow& window : places->windows().chosen()) {
      session.regions.push_back(
          {places->reference().contigs()[window.place.contig].name, window.place.begin, window.place.end});
    }
    io::write_igv_session(session, a.igv_session);
  }
}

void write_scan_reports(const ScanReports& reports, io::ScanStats& stats) {
  const cli::ScanArguments& arguments = reports.arguments;
  if (stats.guides) {
    io::write_guide_table(*stats.guides, reports.patterns, arguments.summary, reports.compression_level);
  }
  if (!arguments.counts.empty()) {
    io::write_count_table(arguments.counts, reports.compression_level, reports.patterns, reports.columns,
                          stats.samples);
  }
  if (!arguments.multiqc.empty()) {
    io::write_multiqc(stats, arguments.multiqc);
  }
  if (!arguments.report_html.empty()) {
    write_page(reports, stats);
  }
  if (!arguments.igv_session.empty()) {
    write_session(reports, stats);
  }
}

std::string scan_summary(const io::ScanStats& stats, const scan::ScanOptions& options, bool in_reads) {
  const std::string not_searched =
      stats.patterns_not_searched > 0 ? std::to_string(stats.patterns_not_searched) + " not searched, " : "";
  const std::string searched = counted(stats.patterns, "pattern") + ", " + not_searched +
                               (in_reads ? counted(stats.contigs, "read") + ", " : "") +
                               counted(stats.reference_bases, "base") + ", ";
  if (stats.reads) {
    NameList samples;
    for (const io::SampleCounts& sample : stats.samples) {
      samples.add(sample.text());
    }
    return searched + std::to_string(stats.reads->assigned) + " assigned, " + std::to_string(stats.reads->ambiguous) +
           " ambiguous, " + std::to_string(stats.reads->unassigned) + " unassigned, " +
           (samples.count() > 1 ? "assigned by sample: " + samples.text() + ", " : "") +
           seconds_text(stats.wall_seconds);
  }
  return searched +
         (options.report == scan::RecordUnit::ends ? counted(stats.records, "end")
                                                   : counted(stats.records, "locus", "loci")) +
         ", " + seconds_text(stats.wall_seconds);
}

}  // namespace trawl::session
