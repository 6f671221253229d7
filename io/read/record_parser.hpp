// The records of one file of reads: those that were cut in its blocks as they are, the others parsed one by one.
//
//   with: std::unique_ptr<InputFile> file, sequence::ReadBatch& batch
//   RecordParser records(std::move(file), {}, 0);
//   records.begin();
//   BatchRoom room{.reads = 8192, .bases = 1 << 22};
//   while (room.used < room.bases && records.take(batch, room)) { ... }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "io/read/read_window.hpp"
#include "io/read/text_blocks.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

/// How large a batch may become.
struct BatchRoom {
  std::size_t reads = 0;
  std::size_t bases = 0;
  std::size_t used = 0;  // bases that it has
};

class RecordParser {
 public:
  /// `number`: of the file, for the origins of its records. Nothing is read yet.
  RecordParser(std::unique_ptr<InputFile> file, const TextOptions& options, std::uint32_t number)
      : text_(std::move(file), options), file_(number) {}

  /// Finds the format from the first character. True for the first call only. Throws InputError, IoError, as take().
  bool begin();
  /// Adds one read or more, as far as there is room; one if there is none. False at the end of the file.
  bool take(sequence::ReadBatch& batch, BatchRoom& room);

  /// Unknown for a file without text.
  ReadFormat format() const { return format_; }
  /// See TextBlocks.
  std::string_view doubt() const { return text_.doubt(); }
  std::uint64_t input_bytes() const { return text_.input_bytes(); }
  /// How many reads take() itself has parsed: one at each border of two blocks, and those with wrapped lines.
  std::uint64_t parsed_reads() const { return parsed_reads_; }

 private:
  // need_more: the window does not hold the whole record, which is parsed again with more text.
  enum class Parsed { record, need_more, end };

  // A position in the window while a record is parsed. Text is consumed only when the record is complete.
  struct Cursor {
    const char* at;
    std::uint64_t line;
  };

  struct ParsedRecord {
    std::string_view header;
    std::string_view bases;
    std::string_view qualities;
    std::uint64_t line = 0;  // of the header
    std::uint64_t qualities_line = 0;
  };

  void detect_format();
  void take_ready(const ReadWindow::Ready& ready, sequence::ReadBatch& batch, BatchRoom& room);
  Parsed parse(sequence::ReadBatch& batch);
  Parsed parse_fastq(Cursor cursor, sequence::ReadBatch& batch);
  Parsed parse_wrapped_fastq(Cursor cursor, sequence::ReadBatch& batch);
  Parsed parse_fasta(Cursor cursor, sequence::ReadBatch& batch);
  bool take_line(Cursor& cursor, std::string_view& line) const;
  void add(const ParsedRecord& record, const Cursor& after, sequence::ReadBatch& batch);
  Parsed incomplete(std::uint64_t line) const;
  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const;

  ReadWindow text_;
  std::uint32_t file_;
  bool has_begun_ = false;
  ReadFormat format_ = ReadFormat::unknown;
  std::uint64_t line_ = 1;  // at the start of the window
  std::uint64_t parsed_reads_ = 0;
  std::size_t latest_bases_ = 0;  // of the latest record that was parsed
  std::string joined_bases_;      // of a record whose sequence has several lines
  std::string joined_qualities_;
  std::string joined_record_;
};

}  // namespace trawl::io
