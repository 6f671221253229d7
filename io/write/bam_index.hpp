// The index of a sorted BAM file, made while the file is written. It is the same, byte for byte, as what `samtools
// index` makes. Records that lie in the same windows of 16 kbp are added as one run: so they are few enough to be sent
// by the processes that have written them.
//
//   with: const std::vector<sequence::Contig>& contigs, std::uint64_t bytes_of_header_in_file, const OutputFile& file
//   with: std::span<const BamRecordInfo> records, std::size_t bytes, std::size_t bytes_in_file, Packer& packer
//   BamIndex index(contigs, bytes_of_header_in_file);
//   index.add(records);                              // the next records in the file's order, then
//   index.add_block(bytes, bytes_in_file);           // the blocks that hold them; the last one may come later
//   index.save(file);
//
//   BamIndexPart part;                               // in another process: index.add(part) comes when it has arrived
//   part.add(records);
//   part.add_block(bytes, bytes_in_file);
//   part.pack(packer);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/packer.hpp"
#include "io/write/bam_encoder.hpp"
#include "io/write/output_file.hpp"
#include "sequence/reference.hpp"

struct hts_idx_t;

namespace trawl::io {

/// Records, one after the other, that change nothing in the index but counts and offsets.
struct BamIndexRun {
  std::int32_t contig = -1;
  std::int32_t start = -1;  // of the first record
  std::int32_t end = 0;     // of the first record
  std::uint64_t mapped = 0;
  std::uint64_t unmapped = 0;
  std::uint64_t bytes = 0;  // of all
};

/// The runs of these records, after those in `runs`.
void append_index_runs(std::span<const BamRecordInfo> records, std::vector<BamIndexRun>& runs);

/// Some records of a file, and the blocks that end in them.
class BamIndexPart {
 public:
  BamIndexPart() = default;
  explicit BamIndexPart(Unpacker& from) : runs_(from.numbers<BamIndexRun>()), blocks_(from.numbers<Block>()) {}
  void pack(Packer& to) const { to.numbers(runs_).numbers(blocks_); }

  void add(std::span<const BamRecordInfo> records) { append_index_runs(records, runs_); }
  void add_block(std::size_t bytes, std::size_t bytes_in_file) {
    blocks_.push_back({static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(bytes_in_file)});
  }

 private:
  friend class BamIndex;

  struct Block {
    std::uint32_t bytes;
    std::uint32_t bytes_in_file;
  };

  std::vector<BamIndexRun> runs_;
  std::vector<Block> blocks_;
};

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
  /// Both, from another process.
  void add(const BamIndexPart& part);
  /// Writes the index of all that was added, and nothing else, to `file`. Throws IoError.
  void save(const OutputFile& file);

 private:
  struct Free {
    void operator()(hts_idx_t* index) const;
  };

  void forget_pushed();
  void find_ends();
  void push(const BamIndexRun& run, std::uint64_t offset);

  int format_;
  std::unique_ptr<hts_idx_t, Free> index_;
  std::uint64_t file_offset_;         // of the next block
  std::uint64_t block_bytes_ = 0;     // of records in all blocks so far
  std::uint64_t pushed_bytes_ = 0;    // of records that are not in waiting_ any more
  std::vector<BamIndexRun> waiting_;  // for the block with their last byte
  std::vector<std::uint64_t> ends_;   // of them
  std::size_t pushed_ = 0;            // of waiting_
};

}  // namespace trawl::io
