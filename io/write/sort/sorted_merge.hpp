// Merges sorted runs in parallel: the order is cut into ranges of about equal size, and each task merges one range.
// Where a range begins depends on samples of the runs; the result does not.
//
//   with: const std::vector<const SortedRun*>& runs, MergeTarget& target
//   merge_runs(runs, target, {.memory = 1 << 30, .threads = 16});
#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "io/write/bam_encoder.hpp"
#include "io/write/byte_buffer.hpp"
#include "io/write/chunk_output.hpp"
#include "io/write/nameless_file.hpp"
#include "io/write/sort/sorted_run.hpp"

namespace trawl::io {

/// The records of a range. A target derives from it to keep what it makes of them.
struct MergePiece : Chunk {
  BamRecords records;  // with MergeOptions::with_orders each is followed by its order
};

/// What receives the records. Its chunks are the pieces that it makes; their order is that of the ranges.
class MergeTarget : public ChunkOutput {
 public:
  virtual std::unique_ptr<MergePiece> make_piece() const = 0;
};

struct MergeOptions {
  std::uint64_t memory = std::uint64_t{1} << 28;  // in bytes; of what the merge holds besides the runs
  unsigned threads = 1;
  bool with_orders = false;  // the target gets them, too: for runs of one of several processes, and to spill
  const std::vector<bool>* duplicates = nullptr;  // by order: the reads whose primary records get flag 0x400
};

inline constexpr std::uint64_t kSamplesPerRange = 32;
inline constexpr std::uint64_t kLeastRangeBytes = std::uint64_t{1} << 16;

/// The places of samples: a group of every `step` bytes of each run. `first`: any number that is not the same for all
/// processes.
std::vector<SortPlace> samples_of(const std::vector<const SortedRun*>& runs, std::uint64_t step, std::size_t first = 0);
/// The first places of all ranges but the first one, so that each has as many samples.
std::vector<SortPlace> splitters_of(std::vector<SortPlace> samples, std::uint64_t samples_per_range);
/// How many ranges so many threads have in work at a time: some wait for their turn.
inline std::uint64_t pieces_for(unsigned threads) { return threads + threads / 4 + 1; }
/// The bytes of records that a range should have, if `pieces` of them are in work in this memory.
std::uint64_t range_bytes_of(std::uint64_t memory, std::uint64_t pieces);

/// Merges each range of some runs. Any thread may call the functions. They throw IoError.
class RangeMerge {
 public:
  RangeMerge(std::vector<const SortedRun*> runs, std::vector<SortPlace> splitters)
      : runs_(std::move(runs)), splitters_(std::move(splitters)) {}

  std::size_t ranges() const { return splitters_.size() + 1; }
  /// The records of a range. Equal keys keep the order of the runs, and the order in each run.
  /// `duplicates`: as MergeOptions has them; the runs then have orders.
  void take(std::size_t range, BamRecords& to, const std::vector<bool>* duplicates = nullptr);
  /// The same with the order of each record after it.
  void take_with_orders(std::size_t range, BamRecords& to);
  /// Merges what take_with_orders() of several processes gave for one range, to records without orders.
  void merge_parts(std::span<const std::string_view> parts, BamRecords& to,
                   const std::vector<bool>* duplicates = nullptr);

 private:
  struct Buffers {
    std::vector<SortEntry> entries, scratch;
    std::vector<OrderedEntry> ordered, ordered_scratch;
    std::vector<ByteBuffer> slices;  // of each run
  };

  template <class Each>
  void for_each(std::size_t range, std::vector<ByteBuffer>& slices, Each&& each) const;

  std::vector<const SortedRun*> runs_;
  std::vector<SortPlace> splitters_;
  tbb::enumerable_thread_specific<Buffers> buffers_;
};

/// Merges all. Equal keys keep the order of the runs, and the order in each run. `progress` is given the share done, in
/// write()'s order. Runs in the calling thread's arena of TBB. Throws IoError, and what the target throws.
void merge_runs(const std::vector<const SortedRun*>& runs, MergeTarget& target, const MergeOptions& options,
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
