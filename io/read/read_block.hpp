// A block of a file of reads, and the records in it, which any thread finds without the text before the block.
//
//   const auto format = std::make_shared<const std::atomic<ReadFormat>>(ReadFormat::unknown);
//   TextBlocks blocks("reads.fq", {}, [format] { return std::make_unique<ReadBlock>(format); });
//   const auto block = blocks.next();
//   static_cast<ReadBlock&>(*block).records().size() == 2
//
// A record is found where it seems to begin. So it counts only if the text before it ends exactly there, which the one
// who reads the blocks in order must verify. Then the records of a run are the records that a parser would find which
// reads the text from its start. Only records in their usual form are found: FASTQ with four lines, FASTA with at most
// one line for the sequence; both with all their lines in the block.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "io/read/text_blocks.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

enum class ReadFormat { unknown, fastq, fasta };

class ReadBlock final : public TextBlock {
 public:
  using Record = sequence::ReadBatch::Record;

  /// Records that follow each other, with nothing but blank lines between them.
  struct Run {
    std::uint32_t end_record = 0;  // after its last record
    std::uint32_t end = 0;         // where the last record ends in the text
    std::uint32_t end_line = 0;    // the number of lines from the run's start up to there
  };

  /// `format`: of the file, as soon as it is known. Until then each block makes out its own format.
  explicit ReadBlock(std::shared_ptr<const std::atomic<ReadFormat>> format) : known_format_(std::move(format)) {}

  void prepare() override;

  ReadFormat format() const { return format_; }
  /// In the order of the text. Their lines are counted from the start of their run.
  std::span<const Record> records() const { return records_; }
  std::span<const Run> runs() const { return runs_; }

 private:
  template <class Cut>
  void find_runs(Cut cut);

  std::shared_ptr<const std::atomic<ReadFormat>> known_format_;
  ReadFormat format_ = ReadFormat::unknown;
  std::vector<Record> records_;
  std::vector<Run> runs_;
};

/// Cuts a text that begins with a record, and that has a line end and, for FASTA, a '>' after its last one. Adds `most`
/// records, or fewer if the text has fewer. Returns how many. Their lines are counted from the start of the text.
std::size_t cut_records(std::string_view text, std::size_t most, std::vector<ReadBlock::Record>& to);

}  // namespace trawl::io
