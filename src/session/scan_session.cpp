#include "session/scan_session.hpp"

#include <utility>

#include "io/read/fasta_chunks.hpp"
#include "pipeline/scan_pipeline.hpp"
#include "scan/report/site.hpp"

namespace trawl::session {

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

Chunks ScanSession::chunks_of(std::unique_ptr<io::ReadSource> reads, std::uint64_t gap, const io::ReadEnds& within,
                              bool with_comments) const {
  io::ReadChunkOptions options{.gap = gap, .within = within, .with_comments = with_comments};
  if (chunk_size_ > 0) {
    options.bases = chunk_size_;
  }
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
