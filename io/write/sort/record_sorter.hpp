// Sorts any number of records in limited memory. Batches are held until the memory is full. Then they become a sorted
// temporary file, while more batches come in.
//
//   with: const BamRecords& records, MemoryRun::Scratch& scratch, ChunkOutput& target
//   RecordSorter sorter(1 << 30, 16);                             // bytes, threads
//   sorter.add(std::make_unique<MemoryRun>(records, scratch, 0)); // each batch, in input order
//   sorter.merge(target);                                         // all of them, in coordinate order
#pragma once

#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "io/write/sort/sorted_merge.hpp"
#include "io/write/sort/sorted_run.hpp"

namespace trawl::io {

class RecordSorter {
 public:
  /// `memory`: for all that the sorter holds, in bytes.
  RecordSorter(std::uint64_t memory, unsigned threads);
  ~RecordSorter() noexcept;

  /// Takes the next batch. Waits while the memory is full and the batches before are still being spilled. Throws
  /// IoError, also if spilling earlier batches has failed.
  void add(std::unique_ptr<SortedRun> batch);
  /// Passes all records to `target`, in their order. Records with equal keys keep the input order. Throws IoError, and
  /// what the target throws. `progress` as in merge_runs().
  /// `duplicates`: as in MergeOptions.
  void merge(ChunkOutput& target, const std::function<void(double)>& progress = {},
             const std::vector<bool>* duplicates = nullptr);

  /// Bytes written to temporary files so far.
  std::uint64_t spilled_bytes() const { return spilled_bytes_; }

 private:
  struct SpillFile {
    std::unique_ptr<FileRun> run;
    unsigned level = 0;  // how often its records were merged into a larger file
  };

  std::vector<const SortedRun*> runs();
  void wait();
  void start_spill();
  void spill();
  void merge_last_files();

  std::uint64_t most_held_bytes_;
  MergeOptions merging_;
  tbb::task_arena arena_;  // so that a wait for the spill does not take up other work
  tbb::task_group spills_;
  std::vector<std::unique_ptr<SortedRun>> held_;
  std::uint64_t held_bytes_ = 0;
  std::vector<std::unique_ptr<SortedRun>> spilling_;  // of the task
  std::vector<SpillFile> files_;                      // of the task
  std::atomic<std::uint64_t> spilled_bytes_{0};
  std::exception_ptr failure_;  // of the task
  std::atomic<bool> failed_{false};
};

}  // namespace trawl::io
