// The index of a sorted BAM file, made while the file is written. It is the same, byte for byte, as what `samtools
// index` makes.
//
//   with: const std::vector<sequence::Contig>& contigs, std::uint64_t bytes_of_header_in_file, const OutputFile& file
//   with: std::span<const BamRecordInfo> records, std::size_t bytes, std::size_t bytes_in_file
//   BamIndex index(contigs, bytes_of_header_in_file);
//   index.add(records);                              // the next records in the file's order, then
//   index.add_block(bytes, bytes_in_file);           // the blocks that hold them; the last one may come later
//   index.save(file);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/format/htslib_owner.hpp"
#include "io/write/bam_encoder.hpp"
#include "io/write/output_file.hpp"
#include "sequence/reference.hpp"

namespace trawl::io {

class BamIndex {
 public:
  /// ".bai", or ".csi" if a contig has more than 2^29 bases: BAI has no places after that.
  static std::string extension(const std::vector<sequence::Contig>& contigs);

  /// `file_offset`: where the first block with records begins in the file. Throws std::bad_alloc.
  BamIndex(const std::vector<sequence::Contig>& contigs, std::uint64_t file_offset);

  /// The next records.
  void add(std::span<const BamRecordInfo> records);
  /// The next BGZF block: how many bytes of records it holds, and its size in the file.
  void add_block(std::size_t bytes, std::size_t bytes_in_file);
  /// Writes the index of all that was added, and nothing else, to `file`. Throws IoError.
  void save(const OutputFile& file);

 private:
  struct PendingRecord {
    BamRecordInfo record;
    std::uint64_t end = 0;  // in the bytes of all records
  };

  void push(const BamRecordInfo& record, std::uint64_t offset);

  int format_;
  HtslibOwner<hts_idx_t> index_;
  std::uint64_t file_offset_;           // of the next block
  std::uint64_t block_bytes_ = 0;       // of records in all blocks so far
  std::uint64_t record_bytes_ = 0;      // of records so far
  std::vector<PendingRecord> pending_;  // until the block with their last byte
  std::size_t pushed_ = 0;              // of pending_
};

}  // namespace trawl::io
