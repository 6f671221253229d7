// Merges sorted runs in parallel: the order is cut into ranges of about equal size, and each task merges one range.
//
//   merge_runs(runs, target, {.memory = 1 << 30, .threads = 16});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "io/out/bam_encoder.hpp"
#include "io/out/sorted_run.hpp"

namespace trawl::io {

/// The records of a range. A target derives from it to keep what it makes of them.
struct MergePiece {
  virtual ~MergePiece() = default;
  BamRecords records;
};

/// What receives the records. place() and write() are called for one piece at a time, in the order of the ranges;
/// pack() for several at the same time, each between its place() and its write().
class MergeTarget {
 public:
  virtual ~MergeTarget() = default;
  virtual std::unique_ptr<MergePiece> make_piece() const = 0;
  virtual void place(MergePiece&) {}
  virtual void pack(MergePiece& piece) const = 0;
  virtual void write(MergePiece& piece) = 0;
};

struct MergeOptions {
  std::uint64_t memory = std::uint64_t{1} << 28;  // in bytes; of what the merge holds besides the runs
  unsigned threads = 1;
};

/// Equal keys keep the order of the runs, and the order in each run. `progress` is given the share done, in write()'s
/// order. Runs in the calling thread's arena of TBB. Throws IoError, and what the target throws.
void merge_runs(const std::vector<const SortedRun*>& runs, MergeTarget& target, const MergeOptions& options,
                const std::function<void(double)>& progress = {});

}  // namespace trawl::io
