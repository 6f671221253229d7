#include "cli/scan_reports.hpp"

#include <utility>

#include "base/counted.hpp"
#include "base/error.hpp"
#include "base/packer.hpp"
#include "cli/command_run.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/report/igv_session.hpp"
#include "io/report/report_page.hpp"
#include "io/report/scan_report.hpp"
#include "io/stats/multiqc.hpp"
#include "io/stats/scan_stats.hpp"
#include "ranks/scan_messages.hpp"
#include "run/load_reference.hpp"

namespace trawl::cli {

void ScanInputs::open_reference(const ScanArguments& arguments, unsigned threads, bool names_may_repeat) {
  if (!arguments.annotation.empty()) {
    genes = io::read_annotation(arguments.annotation);
  }
  if (arguments.variants.empty()) {
    const std::string option = call_rule(arguments) ? "--per-read best" : arguments.within.empty() ? "" : "--within";
    reference = run::open_reference(arguments.reference, threads,
                                    option.empty() ? run::AsReads::fastq : run::AsReads::all, names_may_repeat);
    if (!option.empty() && !reference.reads) {
      throw UsageError(option + " needs reads (FASTQ or FASTA), and " + arguments.reference + " is a saved index");
    }
    return;
  }
  // The pieces of haplotypes need letters from everywhere.
  run::LoadedReference loaded = run::load_reference(arguments.reference, threads, {run::CircularUse::letters});
  in_memory = std::make_shared<const sequence::Reference>(std::move(loaded.reference));
  reference = run::stream_of(in_memory, std::move(loaded.fasta));
  reference.warnings = std::move(loaded.warnings);
}

std::string ScanInputs::packed() const {
  Packer packer;
  packer.number(reference.bytes).text(ranks::packed(patterns));
  packer.number(genes != nullptr);
  if (genes) {
    packer.add(*genes);
  }
  packer.number(cas.has_value());
  if (cas) {
    packer.add(*cas);
  }
  return packer.take();
}

void ScanInputs::unpack(std::string_view bytes) {
  Unpacker unpacker(bytes);
  reference.bytes = unpacker.number<decltype(reference.bytes)>();
  patterns = ranks::patterns_of(unpacker.text());
  if (unpacker.number<bool>()) {
    const auto made = std::make_shared<io::Annotation>();
    unpacker.get(*made);
    genes = made;
  }
  if (unpacker.number<bool>()) {
    unpacker.get(cas.emplace());
  }
}

namespace {

void write_page(const ScanReports& reports, io::ScanStats& stats) {
  const ScanArguments& arguments = reports.arguments;
  const std::vector<io::Region> windows = io::site_windows(*stats.sites, reports.contigs);
  std::vector<std::string> letters;
  if (arguments.reference != "-" && io::file_size(arguments.reference)) {  // a pipe cannot be read again
    letters =
        io::read_letters(run::open_reference(arguments.reference, reports.threads).contigs, windows, reports.threads);
  }
  io::RunFiles files{reports.fasta, arguments.patterns, arguments.output};
  if (!arguments.pattern_file.empty()) {
    files.inputs.push_back(arguments.pattern_file);
  }
  io::write_report_page(
      io::scan_report_json({stats, reports.searched, reports.contigs, files, !arguments.variants.empty(),
                            reports.ambiguous_matches, windows, letters}),
      arguments.report_html);
}

// The closest sites of the first pattern that has any.
std::vector<io::Site> first_sites(const io::SiteSample& sites) {
  for (std::size_t p = 0; p < sites.patterns(); ++p) {
    if (!sites.closest(p).empty()) {
      return sites.closest(p);
    }
  }
  return {};
}

void write_session(const ScanReports& reports, const io::ScanStats& stats) {
  io::IgvSession session{reports.genome, reports.arguments.output, {}};
  for (const io::Site& site : first_sites(*stats.sites)) {
    session.regions.push_back({reports.contigs[site.contig].name, site.start, site.end});
  }
  io::write_igv_session(session, reports.arguments.igv_session);
}

}  // namespace

bool shows_sites(const ScanArguments& arguments) {
  return !arguments.report_html.empty() || !arguments.igv_session.empty();
}

void write_scan_reports(const ScanReports& reports, io::ScanStats& stats) {
  const ScanArguments& arguments = reports.arguments;
  if (stats.guides) {
    io::write_guide_table(*stats.guides, reports.patterns, arguments.summary, reports.compression_level);
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

std::string scan_summary(const io::ScanStats& stats, const scan::Options& options, bool in_reads) {
  const std::string not_searched =
      stats.patterns_not_searched > 0 ? std::to_string(stats.patterns_not_searched) + " not searched, " : "";
  const std::string searched = counted(stats.patterns, "pattern") + ", " + not_searched +
                               (in_reads ? counted(stats.contigs, "read") + ", " : "") +
                               counted(stats.reference_bases, "base") + ", ";
  if (stats.reads) {
    return searched + std::to_string(stats.reads->assigned) + " assigned, " + std::to_string(stats.reads->ambiguous) +
           " ambiguous, " + std::to_string(stats.reads->unassigned) + " unassigned, " +
           seconds_text(stats.wall_seconds);
  }
  return searched +
         (options.report == scan::Report::ends ? counted(stats.records, "end")
                                               : counted(stats.records, "locus", "loci")) +
         ", " + seconds_text(stats.wall_seconds);
}

}  // namespace trawl::cli
