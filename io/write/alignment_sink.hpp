// Writes alignments as SAM, BAM, CRAM or BED, as the extension of the path or --output-format says.
//
//   with: AlignmentSink& sink, const sequence::ReadBatch& batch, const align::AlignmentBatch& alignments
//   const auto chunk = sink.format(batch, alignments);   // from many threads
//   sink.place(*chunk);                                  // one at a time, in input order
//   sink.pack(*chunk);                                   // from many threads
//   sink.write(*chunk);                                  // one at a time, in input order
//   sink.close();                                        // now the file exists
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "align/alignment.hpp"
#include "align/records.hpp"
#include "io/write/bgzf_compressor.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// The formatted records of one batch, or of one range of a sorted file.
class Chunk {
 public:
  virtual ~Chunk() = default;
};

/// An output that is written chunk by chunk.
class ChunkOutput {
 public:
  virtual ~ChunkOutput() = default;

  virtual std::unique_ptr<Chunk> make_chunk() const = 0;
  /// Whether place() and pack() have work to do. If not, they need not be called.
  virtual bool packs() const { return false; }
  /// Gives the chunk its place in the output, after all chunks before it. Takes little time.
  virtual void place(Chunk&) {}
  /// Brings the chunk into the form in which it is written, for example compresses it. Several threads may call it at
  /// the same time, for chunks that have their places.
  virtual void pack(Chunk&) const {}
  /// Writes a chunk, in the order of the places. Throws IoError.
  virtual void write(Chunk& chunk) = 0;
};

class AlignmentSink : public ChunkOutput {
 public:
  /// If the sink was not closed, no file is left.
  ~AlignmentSink() override = default;

  /// Formats a batch. Several threads may call it at the same time.
  std::unique_ptr<Chunk> format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments) const {
    auto chunk = make_chunk();
    format(reads, alignments, *chunk);
    return chunk;
  }
  /// The same into a chunk of this sink: its content is replaced, its memory is used again.
  virtual void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                      Chunk& chunk) const = 0;
  /// Completes the file and gives it its name. Throws IoError.
  virtual void close() = 0;
};

/// Records with the flag of duplicates.
struct DuplicateCounts {
  std::uint64_t reads_of_pairs = 0;  // both mates are mapped
  std::uint64_t single_reads = 0;    // without a mapped mate

  std::uint64_t all() const { return reads_of_pairs + single_reads; }
};

/// What --stats says about sorting.
struct SortStats {
  double merge_seconds = 0;         // after the last batch, with writing and the index
  std::uint64_t spilled_bytes = 0;  // written to temporary files
  std::optional<DuplicateCounts> duplicates;
};

struct SortOptions {
  std::uint64_t memory = std::uint64_t{1} << 30;  // in bytes, for all records that are held
  bool mark_duplicates = false;                   // flag 0x400
  std::function<void(double)> progress;           // is called with the share of the records that are merged
  SortStats* stats = nullptr;                     // is filled by close(), and must live until then
};

enum class OutputFormat { sam, bam, cram, bed, bed_gz };

/// With the rule of the records of SAM, BAM and CRAM.
struct SinkOptions : align::RecordRule {
  std::string path = "-";                       // "-" or empty: the standard output
  std::optional<OutputFormat> format;           // nothing: by the path's extension
  std::vector<std::string> header_lines;        // see add_header_lines(); the first @RG is the read group of the reads
  std::vector<std::string> input_headers = {};  // of alignments that are mapped again: their @RG, @PG and @CO are kept
  std::string command_line;                     // for @PG CL
  std::string version;                          // for @PG VN
  // For @SQ UR of CRAM, where htslib looks for the reference: by contig, or one for all; "", or none at all: not known.
  std::vector<std::string> reference_urls;
  bool without_reference = false;   // CRAM has the bases of the reads, because htslib cannot read the reference
  std::optional<SortOptions> sort;  // BAM and CRAM in coordinate order, with an index beside the file
  unsigned threads = 1;             // for work of the sink's own; the output does not depend on it
  int compression_level = default_compression_level();  // of BAM and BED.gz; see BgzfCompressor
};

/// The format for the path's extension; SAM for streams without one. Throws UsageError for an unknown extension.
/// `given`: the format that the user named. Then UsageError is thrown only if the extension is that of another one.
OutputFormat output_format(const std::string& path, std::optional<OutputFormat> given = {});

/// Whether the header needs the checksums of the contigs.
bool needs_md5s(const SinkOptions& options);

}  // namespace trawl::io
