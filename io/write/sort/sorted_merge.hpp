// Merges sorted runs in parallel: the order is cut into ranges of about equal size, and each task merges one range.
// Where a range begins depends on samples of the runs; the result does not.
//
//   with: const std::vector<const SortedRun*>& runs, ChunkOutput& target
//   merge_runs(runs, target, {.memory = 1 << 30, .threads = 16});
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/bam_encoder.hpp"
#include "io/write/byte_buffer.hpp"
#include "io/write/nameless_file.hpp"
#include "io/write/sort/sorted_run.hpp"

namespace trawl::io {

struct MergeOptions {
  std::uint64_t memory = std::uint64_t{1} << 28;  // in bytes; of what the merge holds besides the runs
  unsigned threads = 1;
  bool with_orders = false;                       // the target gets them, each after its record: to spill
  const std::vector<bool>* duplicates = nullptr;  // by order: the reads whose primary records get flag 0x400
};

/// Merges all. The chunks of `target` must be RecordChunks, which get the records of a range each; their order is that
/// of the ranges. Equal keys keep the order of the runs, and the order in each run. `progress` is given the share done,
/// in write()'s order. Runs in the calling thread's arena of TBB. Throws IoError, and what the target throws.
void merge_runs(const std::vector<const SortedRun*>& runs, ChunkOutput& target, const MergeOptions& options,
                const std::function<void(double)>& progress = {});

// Sorted records in a temporary file.

/// The file has BGZF blocks; each group of records begins one.
class FileRun : public SortedRun {
 public:
  FileRun() : file_("sorted records") {}

  std::uint64_t memory() const override { return SortedRun::memory() + offsets_.capacity() * sizeof(std::uint64_t); }
  std::string_view groups(std::size_t first, std::size_t last, ByteBuffer& buffer) const override;
  std::uint64_t file_bytes() const { return file_.size(); }

 private:
  friend class SpillTarget;

  NamelessFile file_;
  std::vector<std::uint64_t> offsets_;  // of the groups in the file
};

/// Merges the runs into a temporary file, as merge_runs() does. Throws IoError.
std::unique_ptr<FileRun> spill_runs(const std::vector<const SortedRun*>& runs, const MergeOptions& options);

}  // namespace trawl::io
