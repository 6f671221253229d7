// Writes records in the order of the reads: as SAM, BAM, CRAM or BED. Those of BAM are encoded and compressed by the
// threads that call format() and pack(); htslib writes CRAM.
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   with: const std::vector<std::string> md5s = {"61966c86d7c3bb28fff946c52eefff0b"}        // contig_md5s(reference)
//   const auto sink = make_record_sink({.path = "out.bam"}, OutputFormat::bam, reference, md5s);
//   sink->close();                                                                     // now out.bam exists
//
// BED: contig, start, end, name, score (MAPQ), strand, edit distance, CIGAR. Reads without a locus have no line.
// The names of mates end with /1 and /2. The pieces of a split read have a line each; CIGARs have S for clipped ends.
//
//   chr1    999    1099    read1    60    +    2    40M1D60M
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "base/packer.hpp"
#include "io/write/alignment_sink.hpp"
#include "io/write/bam_encoder.hpp"
#include "io/write/text_output.hpp"
#include "sequence/read_batch.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

/// The records of a batch, or of a range of sorted records.
struct RecordChunk : Chunk {
  BamRecords records;            // BAM and CRAM
  std::string text;              // SAM and BED
  BamRecords keys;               // see duplicate_keys.hpp
  TextPart part;                 // of the file, in work
  std::uint64_t first_read = 0;  // numbers in the input, of the first read and after the last one
  std::uint64_t reads_end = 0;

  void pack(Packer& to) const;
  void unpack(Unpacker& from);
};

/// Makes the records of a batch and, with mark_duplicates, the keys of duplicates. Any thread may call format().
class RecordFormatter {
 public:
  /// `reference` must outlive this object.
  RecordFormatter(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference);

  /// Replaces what the chunk has.
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, RecordChunk& chunk) const;

 private:
  OutputFormat format_;
  const sequence::Reference& reference_;
  align::RecordRule rule_;
  std::string read_group_;
  bool makes_keys_;  // of duplicates
};

/// A sink whose chunks are RecordChunks. Derived classes write them.
class FormattingSink : public AlignmentSink {
 public:
  explicit FormattingSink(std::unique_ptr<RecordFormatter> formatter) : formatter_(std::move(formatter)) {}

  using AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const override {
    formatter_->format(reads, alignments, static_cast<RecordChunk&>(chunk));
  }
  std::unique_ptr<Chunk> make_chunk() const override { return std::make_unique<RecordChunk>(); }
  void close() override {}

 private:
  std::unique_ptr<RecordFormatter> formatter_;
};

/// With options.sort, the records must come in coordinate order, as SortedSink passes them on. `md5s`: of the contigs;
/// none for BED. `reference` must outlive the sink. Throws IoError.
std::unique_ptr<AlignmentSink> make_record_sink(const SinkOptions& options, OutputFormat format,
                                                const sequence::Reference& reference,
                                                const std::vector<std::string>& md5s);

/// Gives a finished file its name by `commit`, then its index, and deletes other indexes, which programs would take for
/// that of the new file. In this order no index ever lies beside a file that is not its own, whenever the program is
/// stopped. `index`: null: there is none.
void commit_with_index(const std::string& path, OutputFormat format, OutputFile* index,
                       const std::function<void()>& commit);

/// The names under which programs look for the index of a BAM or CRAM file.
///   index_names("x.bam", OutputFormat::bam) == {"x.bai", "x.bam.bai", "x.bam.csi"}
std::vector<std::string> index_names(const std::string& path, OutputFormat format);

}  // namespace trawl::io
