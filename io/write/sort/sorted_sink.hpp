// Writes BAM or CRAM in coordinate order, and the index beside it.
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   with: const std::vector<std::string> md5s = {"61966c86d7c3bb28fff946c52eefff0b"}        // contig_md5s(reference)
//   SortedSink sink({.path = "sorted.bam", .sort = SortOptions()}, OutputFormat::bam, reference, md5s);
//   sink.close();                                  // is used as any AlignmentSink; now sorted.bam and its .bai exist
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/record_sinks.hpp"
#include "io/write/sort/duplicate_finder.hpp"
#include "io/write/sort/record_sorter.hpp"

namespace trawl::io {

/// Makes the records of a batch and, with mark_duplicates, the keys of duplicates.
class SortedFormatter final : public RecordFormatter {
 public:
  SortedFormatter(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference)
      : RecordFormatter(options, format, reference), makes_keys_(options.sort->mark_duplicates) {}

  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
              RecordChunk& chunk) const override;

 private:
  bool makes_keys_;
};

class SortedSink : public FormattingSink {
 public:
  /// options.sort must have a value, and `format` must be BAM or CRAM.
  SortedSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
             const std::vector<std::string>& md5s);

  std::unique_ptr<Chunk> make_chunk() const override;
  bool packs() const override { return true; }
  /// Sorts the batch.
  void pack(Chunk& chunk) const override;
  void write(Chunk& chunk) override;
  void close() override;

 private:
  SortOptions options_;
  std::unique_ptr<AlignmentSink> file_;
  RecordSorter sorter_;
  std::optional<DuplicateFinder> duplicates_;
};

}  // namespace trawl::io
