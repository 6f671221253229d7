// Finds the duplicates among all reads (src/align/duplicate_rule.hpp) in limited memory. The key records of
// pairs and reads are sorted like the records of the output, so they wait in temporary files if there are many.
//
//   with: const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments
//   DuplicateFinder finder(1 << 28, 16);                             // bytes, threads
//   BamRecords keys;
//   MemoryRun::Scratch scratch;
//   append_duplicate_keys(reads, alignments, keys);                            // each batch
//   finder.add(std::make_unique<MemoryRun>(keys, scratch, reads.first_read), reads.first_read + reads.size());
//   finder.find();
//   const bool first_read_is_one = finder.duplicates()[0];           // by the number of the read in the input
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "io/write/alignment_sink.hpp"
#include "io/write/duplicate_keys.hpp"
#include "io/write/sort/record_sorter.hpp"
#include "io/write/sort/sorted_run.hpp"

namespace trawl::io {

class DuplicateFinder {
 public:
  /// `memory`: for the keys, in bytes. The result takes one bit for each read in addition.
  DuplicateFinder(std::uint64_t memory, unsigned threads) : sorter_(memory, threads) {}

  /// Takes the keys of a batch, in any order. `reads_end`: the number of the read after its last one. Throws IoError.
  void add(std::unique_ptr<SortedRun> keys, std::uint64_t reads_end) {
    reads_ = std::max(reads_, reads_end);
    sorter_.add(std::move(keys));
  }
  /// After the last batch. Frees the keys. Throws IoError.
  void find();

  /// After find(): whether the primary record of a read is a duplicate, by the number of the read in the input.
  const std::vector<bool>& duplicates() const { return duplicates_; }
  const DuplicateCounts& counts() const { return counts_; }
  std::uint64_t spilled_bytes() const { return sorter_.spilled_bytes(); }

 private:
  RecordSorter sorter_;
  std::uint64_t reads_ = 0;  // in the input, as far as is known
  std::vector<bool> duplicates_;
  DuplicateCounts counts_;
};

}  // namespace trawl::io
