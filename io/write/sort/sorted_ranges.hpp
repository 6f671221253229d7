// Sorts the records of several processes: each has batches of its own. The order of all records is cut into ranges, and
// each range is merged by one process from the parts of all, and written as a chunk of the file.
//
//   with: SortedRanges& ranges, std::uint64_t step, std::size_t rank, BamRecords& part
//   with: std::span<const std::string_view> parts
//   const SortedRanges::Size size = ranges.size();            // after the last batch was added to the sorter
//   auto samples = ranges.samples(step, rank);                // those of all processes give the splitters
//   ranges.begin(splitters_of(samples, kSamplesPerRange));    // the same in all processes
//
//   ranges.take_part(7, part);                                // in each process, by any thread
//   auto chunk = ranges.file().make_piece();                  // in the process that has range 7
//   ranges.merge(parts, *chunk);                              // by any thread; then file().place(*chunk) and so on
//   ranges.end();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "io/write/sort/duplicate_finder.hpp"
#include "io/write/sort/record_sorter.hpp"
#include "io/write/sort/sorted_file.hpp"
#include "io/write/sort/sorted_merge.hpp"

namespace trawl::io {

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

}  // namespace trawl::io
