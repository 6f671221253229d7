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
#pragma once

#include <cstdint>
#include <memory>
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
  /// Takes the keys of the next batch. `reads_end`: the number of the read after its last one. Throws IoError.
  void add(std::unique_ptr<SortedRun> keys, std::uint64_t reads_end) {
    reads_ = reads_end;
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
  std::uint64_t reads_ = 0;
  std::vector<bool> duplicates_;
  DuplicateCounts counts_;
};

}  // namespace trawl::io
