// A search of patterns in whatever has letters: a reference, reads, the pieces of haplotypes, the contigs of a caller.
//
//   with: const std::vector<scan::Query>& queries, const scan::ScanOptions& options, scan::Finder& finder
//   with: std::unique_ptr<io::ContigSource> contigs, io::RecordSink& target, io::Progress& progress
//   ScanSession session(queries, options);
//   const Chunks chunks = session.chunks_of(std::move(contigs));
//   io::ScanStats stats;
//   session.scan(finder, chunks, target, progress, stats);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/scan_options.hpp"
#include "io/read/chunk_source.hpp"
#include "io/read/circular_contigs.hpp"
#include "io/read/fasta_stream.hpp"
#include "io/read/pattern_reader.hpp"
#include "io/read/read_chunks.hpp"
#include "io/stats/progress.hpp"
#include "io/stats/scan_stats.hpp"
#include "io/write/scan_sink.hpp"
#include "pipeline/chunk_reader.hpp"
#include "scan/find/finder.hpp"
#include "scan/find/query.hpp"
#include "scan/options.hpp"

namespace trawl::session {

/// The patterns of -p, then those of the file. Where that is an input of Cas-OFFinder, `cas` gets what it says besides
/// the guides. Throws UsageError, InputError, IoError.
scan::PatternList read_patterns(const cli::ScanArguments& arguments, std::optional<io::CasOffinderInput>& cas);

/// Sets the options that an input of Cas-OFFinder gives, unless the user has. Returns what to say about it.
std::string take_options(const io::CasOffinderInput& cas, cli::ScanArguments& arguments);

/// What is searched.
struct Chunks {
  std::shared_ptr<io::ChunkSource> source;
  std::shared_ptr<const io::Circles> circles = nullptr;  // of a reference; null: there are no circular contigs
  bool are_reads = false;
};

/// Which contigs are circular.
struct CircularRule {
  std::vector<std::string> names = {};  // beside those whose headers say so
  bool over_origin = true;              // whether places over an origin are searched
};

class ScanSession {
 public:
  /// `chunk_size`: bases of a chunk; 0: by the number of queries and of what they find. Both must outlive this object.
  ScanSession(const std::vector<scan::Query>& queries, const scan::ScanOptions& options, std::uint64_t chunk_size = 0)
      : queries_(queries), options_(options), chunk_size_(chunk_size) {}

  /// The contigs of a reference. `circular`: nothing: they are taken as linear. `with_md5`: their checksums are needed.
  Chunks chunks_of(std::unique_ptr<io::ContigSource> contigs, const std::optional<CircularRule>& circular = {},
                   bool with_md5 = false) const;
  /// Reads. `options.gap`: Finder::least_gap(); its size of chunks is not used.
  Chunks chunks_of(std::unique_ptr<io::ReadInput> reads, io::ReadChunkOptions options) const;

  /// How large the first chunk is; nothing: all have one size.
  std::optional<pipeline::ChunkSize> chunk_size(bool are_reads) const;

  /// Searches all of it, and writes the records to `target`, which it does not close. See pipeline::scan_reference().
  /// `own_threads`: may read and write on other threads than the caller's.
  void scan(scan::Finder& finder, const Chunks& chunks, io::RecordSink& target, io::Progress& progress,
            io::ScanStats& stats, bool own_threads = true) const;

 private:
  std::uint64_t overlap() const;

  const std::vector<scan::Query>& queries_;
  const scan::ScanOptions& options_;
  std::uint64_t chunk_size_;
};

}  // namespace trawl::session
