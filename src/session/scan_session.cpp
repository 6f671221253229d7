#include "session/scan_session.hpp"

#include <utility>

#include "base/error.hpp"
#include "io/read/fasta_chunks.hpp"
#include "io/read/gzip/input_file.hpp"
#include "pipeline/scan_pipeline.hpp"
#include "scan/report/site.hpp"

namespace trawl::session {

scan::PatternList read_patterns(const cli::ScanArguments& a, std::optional<io::CasOffinderInput>& cas) {
  scan::PatternList patterns;
  for (const std::string& text : a.patterns) {
    if (text.empty()) {
      throw UsageError("-p: a pattern has at least one letter");
    }
    if (text.size() > scan::kMaxPatternLength) {
      throw UsageError("-p: a pattern has at most " + std::to_string(scan::kMaxPatternLength) + " letters");
    }
    const std::string bases = cli::letters_of(text, "-p");
    patterns.add(io::name_of_pattern(bases, patterns.size() + 1), bases);
  }
  if (!a.pattern_file.empty()) {
    cas = io::read_patterns(a.pattern_file, scan::kMaxPatternLength, patterns);
  }
  return patterns;
}

std::string take_options(const io::CasOffinderInput& cas, cli::ScanArguments& a) {
  const std::string file = io::display_name(a.pattern_file);
  const std::string pam = cas.pam + (cas.is_last ? "" : ":5'");
  std::string taken;
  if (a.pam.empty() && !cas.pam.empty()) {
    a.pam = pam;
    taken = " --pam \"" + pam + '"';
  }
  const bool has_limits = a.max_edits || a.max_mismatches || a.max_bulges;
  if (a.pam.empty() && !has_limits) {
    a.max_edits = cas.mismatches;
    a.rules.metric = scan::Metric::hamming;
    taken = " -e " + std::to_string(cas.mismatches) + " --metric hamming";
  } else if (!has_limits) {
    a.max_mismatches = cas.mismatches;
    a.max_bulges = cas.rna_bulges == cas.dna_bulges
                       ? cli::BulgeLimits{cas.dna_bulges}
                       : cli::BulgeLimits{cas.dna_bulges + cas.rna_bulges, cas.dna_bulges, cas.rna_bulges};
    taken += " --max-mismatches " + std::to_string(cas.mismatches) + " --max-bulges " + cli::bulges_text(a.max_bulges);
  }
  return file + " is an input of Cas-OFFinder" + (taken.empty() ? "" : ", which gives" + taken) +
         "; the genome in its first line is not read";
}

std::uint64_t ScanSession::overlap() const { return scan::SiteFinder(queries_, options_).overlap(); }

Chunks ScanSession::chunks_of(std::unique_ptr<io::ContigSource> contigs, const std::optional<CircularRule>& circular,
                              bool with_md5) const {
  io::ChunkOptions options;
  if (chunk_size_ > 0) {
    options.bases = chunk_size_;
  }
  options.overlap = overlap();
  options.with_md5 = with_md5;
  Chunks chunks;
  if (circular) {
    auto with_circles = std::make_unique<io::CircularContigs>(
        std::move(contigs), circular->names, circular->over_origin ? std::uint64_t{2} * options.overlap : 0);
    chunks.circles = with_circles->circles();
    contigs = std::move(with_circles);
  }
  chunks.source = std::make_shared<io::FastaChunks>(std::move(contigs), options, options_.threads);
  return chunks;
}

Chunks ScanSession::chunks_of(std::unique_ptr<io::ReadInput> reads, io::ReadChunkOptions options) const {
  options.bases = chunk_size_ > 0 ? chunk_size_ : io::ReadChunkOptions().bases;
  return {.source = std::make_shared<io::ReadChunks>(std::move(reads), options), .are_reads = true};
}

std::optional<pipeline::ChunkSize> ScanSession::chunk_size(bool are_reads) const {
  return chunk_size_ > 0
             ? std::nullopt
             : std::optional<pipeline::ChunkSize>(std::in_place, queries_.size(),
                                                  are_reads ? pipeline::kMostReadBases : pipeline::kMostBases);
}

void ScanSession::scan(scan::Finder& finder, const Chunks& chunks, io::RecordSink& target, io::Progress& progress,
                       io::ScanStats& stats, bool own_threads) const {
  std::optional<pipeline::ChunkSize> size = chunk_size(chunks.are_reads);
  pipeline::scan_reference(chunks.source, finder, queries_, options_, target, progress, stats, size ? &*size : nullptr,
                           chunks.circles.get(), own_threads);
}

}  // namespace trawl::session
