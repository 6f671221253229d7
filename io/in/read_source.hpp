// Reads from FASTQ and FASTA files, in batches.
//
//   ReadSource source({"lane1.fq.gz", "lane2.fq.gz"});
//   sequence::ReadBatch batch;
//   while (source.next(batch)) { ... batch.number, batch.name(0), batch.bases(0) ... }
//
// Each file's first character says what it is: '@' FASTQ, '>' FASTA. Sequences may span lines, lines may end in CRLF,
// lower case is read as upper case, '.' as N. A name ends at the first white space; a trailing /1 or /2 stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/in/text_buffer.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

inline constexpr std::size_t kReadsPerBatch = 8192;
inline constexpr std::size_t kBasesPerBatch = std::size_t{4} << 20;

class ReadSource {
 public:
  /// A batch ends after `reads_per_batch` reads, or with the read that brings it to `bases_per_batch` bases.
  /// Looks at every file at once, so that a missing one is known before the work starts; throws IoError, UsageError.
  /// `threads` > 1 inflates BGZF in parallel.
  explicit ReadSource(std::vector<std::string> paths, std::size_t reads_per_batch = kReadsPerBatch,
                      std::size_t bases_per_batch = kBasesPerBatch, unsigned threads = 1);

  /// From the next batch on.
  void set_reads_per_batch(std::size_t reads) { reads_per_batch_ = reads; }
  void set_bases_per_batch(std::size_t bases) { bases_per_batch_ = bases; }

  /// Replaces the batch's content by the next reads; false where none is left. Throws InputError, IoError.
  bool next(sequence::ReadBatch& batch) { return take(batch) && (check(batch), true); }

  /// next() in two steps. The first cuts the input into records; the second, for several batches at a time if need be,
  /// looks at their letters, before which they must not be used. What take() cannot cut is thrown once all reads before
  /// it are handed out, so the first error in the order of the input is the same for batches of any size.
  bool take(sequence::ReadBatch& batch);
  void check(sequence::ReadBatch& batch) const;

  /// Bytes of the files, compressed as they are, consumed so far.
  std::uint64_t input_bytes() const;
  /// Size of all files; nothing if one is not a regular file.
  std::optional<std::uint64_t> total_bytes() const { return total_bytes_; }

 private:
  enum class Format { fastq, fasta };
  // need_more: the window ends before the record does; it is parsed again with more text.
  enum class Parsed { record, need_more, end };

  // A place in the window while a record is parsed: nothing is consumed until the record is complete.
  struct Cursor {
    const char* at;
    std::uint64_t line;
  };

  struct Record {
    std::string_view header;
    std::string_view bases;
    std::string_view qualities;
    std::uint64_t line = 0;  // of the header
    std::uint64_t qualities_line = 0;
  };

  bool open_next_file();
  void detect_format();
  bool next_record(sequence::ReadBatch& batch);
  Parsed parse(sequence::ReadBatch& batch);
  Parsed parse_fastq(Cursor cursor, sequence::ReadBatch& batch);
  Parsed parse_wrapped_fastq(Cursor cursor, sequence::ReadBatch& batch);
  Parsed parse_fasta(Cursor cursor, sequence::ReadBatch& batch);
  bool take_line(Cursor& cursor, std::string_view& line) const;
  void add(const Record& record, const Cursor& after, sequence::ReadBatch& batch);
  void add_lines(const Record& record, const Cursor& after, sequence::ReadBatch& batch);
  void consume(const Record& record, const Cursor& after);
  Parsed incomplete(std::uint64_t line) const;
  [[noreturn]] void fail(std::uint64_t line, const std::string& what) const;

  std::vector<std::string> paths_;
  std::size_t reads_per_batch_;
  std::size_t bases_per_batch_;
  unsigned threads_;
  std::optional<std::uint64_t> total_bytes_;
  std::size_t next_path_ = 0;
  std::unique_ptr<TextBuffer> text_;
  Format format_ = Format::fastq;
  std::uint64_t line_ = 1;            // of the window's begin
  std::uint64_t finished_bytes_ = 0;  // of the files before this one
  std::uint64_t batches_ = 0;
  std::uint64_t reads_ = 0;
  std::size_t batch_bases_ = 0;
  std::exception_ptr failure_;  // nothing can be read any more
  std::string joined_bases_;    // of a record whose sequence spans lines
  std::string joined_qualities_;
  std::string clean_;
};

}  // namespace trawl::io
