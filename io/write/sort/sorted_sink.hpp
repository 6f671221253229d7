// Writes BAM or CRAM in coordinate order, and the index beside it. Each process keeps its own batches; several merge
// them together before close() (io/write/sort/sorted_ranges.hpp).
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   with: const std::vector<std::string> md5s = {"61966c86d7c3bb28fff946c52eefff0b"}        // contig_md5s(reference)
//   SortedSink sink({.path = "sorted.bam", .sort = SortOptions()}, OutputFormat::bam, reference, md5s);
//   sink.close();                                  // is used as any AlignmentSink; now sorted.bam and its .bai exist
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/sort/duplicate_finder.hpp"
#include "io/write/sort/record_sorter.hpp"
#include "io/write/sort/sorted_file.hpp"
#include "io/write/sort/sorted_ranges.hpp"

namespace trawl::io {

class SortedSink : public AlignmentSink {
 public:
  /// options.sort must have a value, and `format` must be BAM or CRAM.
  SortedSink(const SinkOptions& options, OutputFormat format, const sequence::Reference& reference,
             const std::vector<std::string>& md5s);

  using AlignmentSink::format;
  void format(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments, Chunk& chunk) const override;
  std::unique_ptr<Chunk> make_chunk() const override;
  void write(Chunk& chunk) override;
  void close() override;
  std::string path_for_others() const override { return file_->path_for_others(); }
  bool has_end() const override { return true; }
  void append_parcel(Chunk&, std::string&) const override {}
  void write_parcel(std::string_view) override {}
  void keep(Chunk& chunk) override { write(chunk); }
  void check_written() const override { file_->check_written(); }
  SortedRanges* sort_by_ranges() override;

 private:
  SortOptions options_;
  const sequence::Reference& reference_;
  align::RecordRule rule_;
  std::string read_group_;
  std::unique_ptr<SortedFile> file_;
  RecordSorter sorter_;
  std::optional<DuplicateFinder> duplicates_;
  std::optional<SortedRanges> ranges_;
};

}  // namespace trawl::io
