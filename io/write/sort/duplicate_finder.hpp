// Finds the duplicates among all reads (src/align/duplicate_rule.hpp) in limited memory. Each pair or read has a small
// key record. These are sorted like the records of the output, so they wait in temporary files if there are many; then
// the records with equal keys are neighbours.
//
//   with: const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments
//   DuplicateFinder finder(1 << 28, 16);                             // bytes, threads
//   DuplicateFinder::Scratch scratch;
//   finder.add(DuplicateFinder::keys_of(reads, alignments, scratch), reads.first_read + reads.size());   // each batch
//   finder.find();
//   const bool first_read_is_one = finder.duplicates()[0];           // by the number of the read in the input
//
// Of several processes one finds the duplicates. The others give it their keys, and take the result from it:
//
//   with: DuplicateFinder& finder, DuplicateFinder& other
//   for (std::string keys = other.take_keys(1 << 20); !keys.empty(); keys = other.take_keys(1 << 20)) {
//     finder.add_keys(keys);
//   }
//   finder.find();
//   other.set_result(finder.result());
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "align/alignment.hpp"
#include "io/write/alignment_sink.hpp"
#include "io/write/bam_encoder.hpp"
#include "io/write/sort/record_sorter.hpp"
#include "io/write/sort/sorted_run.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

class DuplicateFinder {
 public:
  struct Scratch {
    BamRecords keys;
    MemoryRun::Scratch sorting;
  };

  /// `memory`: for the keys, in bytes. The result takes one bit for each read in addition.
  DuplicateFinder(std::uint64_t memory, unsigned threads) : sorter_(memory, threads) {}

  /// The keys of a batch. Several threads may call it at the same time. `scratch` may have any content; its memory is
  /// used again.
  static std::unique_ptr<SortedRun> keys_of(const sequence::ReadBatch& reads, const align::AlignmentBatch& alignments,
                                            Scratch& scratch);
  /// Takes the keys of a batch, in any order. `reads_end`: the number of the read after its last one. Throws IoError.
  void add(std::unique_ptr<SortedRun> keys, std::uint64_t reads_end) {
    reads_ = std::max(reads_, reads_end);
    sorter_.add(std::move(keys));
  }
  /// After the last batch. Frees the keys. Throws IoError.
  void find();

  /// The next keys of this process for another one: about `most` bytes. Empty after the last ones; then they are freed.
  /// Throws IoError.
  std::string take_keys(std::size_t most);
  /// What take_keys() of another process gave. Throws IoError.
  void add_keys(std::string_view keys);
  /// What set_result() of another process takes, after find().
  std::string result() const;
  void set_result(std::string_view result);

  /// After find(): whether the primary record of a read is a duplicate, by the number of the read in the input.
  const std::vector<bool>& duplicates() const { return duplicates_; }
  const DuplicateCounts& counts() const { return counts_; }
  std::uint64_t spilled_bytes() const { return sorter_.spilled_bytes(); }

 private:
  RecordSorter sorter_;
  std::uint64_t reads_ = 0;     // in the input, as far as is known
  std::size_t taken_runs_ = 0;  // by take_keys()
  std::size_t taken_groups_ = 0;
  std::vector<bool> duplicates_;
  DuplicateCounts counts_;
};

}  // namespace trawl::io
