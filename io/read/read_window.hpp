// A window on the text of a file of reads, made of its blocks. The records that were cut in the blocks can be taken as
// they are; the text between them, above all the record at the border of two blocks, is there to be parsed.
//
//   with: sequence::ReadBatch& batch, std::uint64_t line
//   ReadWindow window("reads.fq", {});
//   window.set_format(ReadFormat::fastq);
//   do {
//     while (const auto ready = window.ready()) {
//       line = window.take(ready, ready.records.size(), 0, line, batch);
//     }
//     window.consume(window.size());          // after the text from window.begin() to window.end() was parsed
//   } while (window.extend());
//
// A block of a file of reads, and the records in it, which any thread finds without the text before the block.
//
//   const auto format = std::make_shared<const std::atomic<ReadFormat>>(ReadFormat::unknown);
//   TextBlocks blocks("reads.fq", {}, [format] { return std::make_unique<ReadBlock>(format); });
//   const auto block = blocks.next();
//   static_cast<ReadBlock&>(*block).records().size() == 2
//
// A record is found where it seems to begin. It counts only if the text before it ends exactly there, which the reader
// of the blocks in order must verify. Then the records of a run are those that a parser of the whole text would find.
// Only records in their usual form are found: FASTQ with four lines, FASTA with at most one line for the sequence; both
// with all their lines in the block.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
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
  struct RecordRun {
    std::uint32_t end_record = 0;  // after its last record
    std::uint32_t end = 0;         // where the last record ends in the text
    std::uint32_t end_line = 0;    // the number of lines from the run's start up to there
  };

  /// `format`: of the file, as soon as it is known. Until then each block finds its own format.
  explicit ReadBlock(std::shared_ptr<const std::atomic<ReadFormat>> format) : known_format_(std::move(format)) {}

  void prepare() override;

  ReadFormat format() const { return format_; }
  /// In the order of the text. Their lines are counted from the start of their run.
  std::span<const Record> records() const { return records_; }
  std::span<const RecordRun> runs() const { return runs_; }

 private:
  template <class Cut>
  void find_runs(Cut cut);

  std::shared_ptr<const std::atomic<ReadFormat>> known_format_;
  ReadFormat format_ = ReadFormat::unknown;
  std::vector<Record> records_;
  std::vector<RecordRun> runs_;
};

class ReadWindow {
 public:
  /// Throws IoError.
  ReadWindow(const std::string& path, const TextOptions& options)
      : ReadWindow(std::make_unique<InputFile>(path), options) {}
  /// A file that is open, and of which nothing was read.
  ReadWindow(std::unique_ptr<InputFile> file, const TextOptions& options);

  const char* begin() const { return at_; }
  const char* end() const { return end_; }
  std::size_t size() const { return static_cast<std::size_t>(end_ - at_); }
  /// No text follows after end().
  bool at_end() const { return at_end_; }
  /// Moves begin() forward by `size` bytes.
  void consume(std::size_t size);
  /// Moves end() forward. Text before begin() is dropped, and the window may move. False if no text follows. Throws
  /// what TextBlocks::next() throws.
  bool extend();

  /// Blocks that are prepared after this look for records of this format only.
  void set_format(ReadFormat format) { format_->store(format, std::memory_order_relaxed); }

  /// The records that were cut and follow from begin() on, until the text must be parsed. None if there are blank lines
  /// and nothing else before the window's end.
  struct Ready {
    std::span<const sequence::ReadBatch::Record> records;
    std::uint64_t lines_before = 0;  // blank lines

    explicit operator bool() const { return !records.empty(); }
    std::uint64_t bases(std::size_t count) const {
      return records[count - 1].bases_end - (records[0].bases_end - records[0].length);
    }
  };
  Ready ready();
  /// Adds views of the first `count` >= 1 of them to the batch, and moves begin() after them. `line`: of begin();
  /// returns the line after them.
  std::uint64_t take(const Ready& ready, std::size_t count, std::uint32_t file, std::uint64_t line,
                     sequence::ReadBatch& batch);

  std::string_view doubt() const { return blocks_->doubt(); }
  const std::string& name() const { return blocks_->name(); }
  /// Bytes of the file, counted before decompression, for the text before begin(). For a compressed file this is an
  /// estimate.
  std::uint64_t input_bytes() const;

 private:
  std::shared_ptr<ReadBlock> next_block();
  void enter_block(std::size_t at);
  void append(const char* begin, const char* end);

  std::shared_ptr<std::atomic<ReadFormat>> format_;
  std::shared_ptr<TextBlocks> blocks_;
  std::shared_ptr<ReadBlock> block_;   // the last one
  std::uint64_t bytes_before_ = 0;     // of the file, before this block
  std::size_t record_ = 0;             // the first record of the block that is not before begin()
  std::size_t run_ = 0;                // and its run
  bool in_block_ = true;               // the window is in the block, otherwise in joined_
  std::vector<char> joined_;           // the end of earlier blocks, and the start of this one
  std::size_t joined_from_block_ = 0;  // characters of this block
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  bool at_end_ = false;
};

}  // namespace trawl::io
