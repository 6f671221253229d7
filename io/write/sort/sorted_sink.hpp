// Writes BAM or CRAM in coordinate order, and the index beside it. Each process keeps its own batches; several merge
// them together before close() (SortedRanges).
//
//   with: const sequence::Reference reference = reference_of("GATTACA")
//   with: const std::vector<std::string> md5s = {"61966c86d7c3bb28fff946c52eefff0b"}        // contig_md5s(reference)
//   SortedSink sink({.path = "sorted.bam", .sort = SortOptions()}, OutputFormat::bam, reference, md5s);
//   sink.close();                                  // is used as any AlignmentSink; now sorted.bam and its .bai exist
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/sort/duplicate_finder.hpp"
#include "io/write/sort/record_sorter.hpp"
#include "io/write/sort/sorted_file.hpp"
#include "io/write/sort/sorted_merge.hpp"

namespace trawl::io {

/// Sorts the records of several processes: each has batches of its own. The order of all records is cut into ranges,
/// and each range is merged by one process from the parts of all, and written as a chunk of the file.
///
///   with: SortedRanges& ranges, std::uint64_t step, std::size_t rank, BamRecords& part
///   with: std::span<const std::string_view> parts
///   const SortedRanges::Size size = ranges.size();            // after the last batch was added to the sorter
///   auto samples = ranges.samples(step, rank);                // those of all processes give the splitters
///   ranges.begin(splitters_of(samples, kSamplesPerRange));    // the same in all processes
///
///   ranges.take_part(7, part);                                // in each process, by any thread
///   auto chunk = ranges.file().make_piece();                  // in the process that has range 7
///   ranges.merge(parts, *chunk);                              // by any thread; then file().place(*chunk) and so on
///   ranges.end();
class SortedRanges {
 public:
  /// All must outlive this object. The sorter has no batches yet. `progress` is for show_progress(). `duplicates`:
  /// null, or what has the keys of this process; before the first range all processes must have the result.
  SortedRanges(RecordSorter& sorter, SortedFile& file, std::function<void(double)> progress,
               DuplicateFinder* duplicates = nullptr)
      : sorter_(sorter), file_(file), progress_(std::move(progress)), duplicates_(duplicates) {
    sorter.keep_orders();
  }

  struct Size {
    std::uint64_t record_bytes = 0;
    std::uint64_t range_bytes = 0;  // a range must not have more, for the memory that there is
    std::uint64_t pieces = 0;       // how many ranges this process has in work at a time
    std::uint64_t threads = 0;
  };
  /// Throws IoError if a temporary file could not be written.
  Size size();
  /// See samples_of().
  std::vector<SortPlace> samples(std::uint64_t step, std::size_t first) {
    return samples_of(sorter_.runs(), step, first);
  }
  void begin(std::vector<SortPlace> splitters) { merge_.emplace(sorter_.runs(), std::move(splitters)); }

  std::size_t ranges() const { return merge_->ranges(); }
  /// This process's records of a range. Throws IoError.
  void take_part(std::size_t range, BamRecords& to) { merge_->take_with_orders(range, to); }
  /// Merges the parts of all processes: their bytes.
  void merge(std::span<const std::string_view> parts, MergePiece& piece) {
    merge_->merge_parts(parts, piece.records, duplicates_ != nullptr ? &duplicates_->duplicates() : nullptr);
  }
  DuplicateFinder* duplicates() { return duplicates_; }
  void show_progress(double share) const {
    if (progress_) {
      progress_(share);
    }
  }
  /// After the last range: frees the records.
  void end();

  SortedFile& file() { return file_; }
  std::uint64_t spilled_bytes() const {
    return sorter_.spilled_bytes() + (duplicates_ != nullptr ? duplicates_->spilled_bytes() : 0);
  }

  /// How many threads make parts for others.
  unsigned servers() const { return (sorter_.merging().threads + 3) / 4; }

 private:
  RecordSorter& sorter_;
  SortedFile& file_;
  std::function<void(double)> progress_;
  DuplicateFinder* duplicates_;
  std::optional<RangeMerge> merge_;
};

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
