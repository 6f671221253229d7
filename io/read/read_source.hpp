// Reads from FASTQ and FASTA files, in batches.
//
//   ReadSource source({"reads.fq.gz", "reads_1.fq"});
//   sequence::ReadBatch batch;
//   while (source.next(batch)) { ... }        // batch.number, batch.name(0), batch.bases(0) ...
//   source.reads() == 3
//
// The first character of each file tells its format: '@' FASTQ, '>' FASTA. A sequence may have several lines, and lines
// may end in CRLF. Lower case is read as upper case, '.' as N. A name ends at the first white space; /1 or /2 at its
// end is kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/read/read_window.hpp"
#include "io/read/record_check.hpp"
#include "io/read/text_blocks.hpp"
#include "sequence/read_batch.hpp"

namespace trawl::io {

inline constexpr std::size_t kReadsPerBatch = 8192;
inline constexpr std::size_t kBasesPerBatch = std::size_t{4} << 20;

class ReadSource {
 public:
  /// A batch ends after `reads_per_batch` reads, or after the read with which it has `bases_per_batch` bases or more.
  /// Opens every file once at the start, so that a missing file is reported before the work begins. Throws IoError,
  /// UsageError. `threads`: how many may work on the blocks of a file before they are needed; `taken_in_turn`: for the
  /// two sources of pairs; see text_blocks.hpp for both.
  explicit ReadSource(const std::vector<std::string>& paths, std::size_t reads_per_batch = kReadsPerBatch,
                      std::size_t bases_per_batch = kBasesPerBatch, unsigned threads = 1,
                      std::size_t block_bytes = TextBlocks::Options{}.block_bytes,
                      std::shared_ptr<std::atomic<std::size_t>> taken_in_turn = nullptr);

  /// Of the first file, which is open already, and of which nothing was read. Before the first take().
  void use_open(std::unique_ptr<InputFile> file) { opened_ = std::move(file); }

  /// Opens the first file, which the first take() does otherwise. Nothing is taken from it, so that several sources can
  /// be opened before one of them waits for data. Opening a FIFO waits for its writer. Throws IoError.
  void open();

  /// Lets check() keep the SAM tags in the comments of reads. Before the first take().
  void keep_comments(const CommentRule& rule) { comments_ = rule; }
  /// Lets check() keep all that follows a name, with the blank before it. Before the first take().
  void keep_whole_comments() { whole_comments_ = true; }

  /// See TextBlocks::Options. Before the first take().
  void tell_text(const std::function<void(std::size_t)>& on_text) { text_options_.on_text = on_text; }

  /// For the next batches.
  void set_reads_per_batch(std::size_t reads) { reads_per_batch_ = reads; }
  void set_bases_per_batch(std::size_t bases) { bases_per_batch_ = bases; }

  /// Puts the next reads into the batch; false if there are no more. Throws InputError, IoError.
  bool next(sequence::ReadBatch& batch) { return take(batch) && (check(batch), true); }

  /// next() in two steps. take() splits the input into records; most were found before, when their block was prepared.
  /// check() then checks their letters; several batches can be checked at the same time. A batch must not be used
  /// before it is checked; only its size is known. If take() finds an error, it first returns all reads before the
  /// error. So the first error of the input is reported, whatever the size of the batches.
  bool take(sequence::ReadBatch& batch) { return fill(batch, reads_per_batch_, bases_per_batch_, 1); }
  void check(sequence::ReadBatch& batch) const;
  /// The same for one read, after batch.expand().
  void check(sequence::ReadBatch& batch, std::size_t read) const;

  /// take() for mates that follow each other: an even number of reads. The number is odd only if nothing can be read
  /// after them.
  bool take_even(sequence::ReadBatch& batch) { return fill(batch, reads_per_batch_, bases_per_batch_, 2); }
  /// take() with exactly this number of reads, however many bases they have. There are fewer only if nothing can be
  /// read after them.
  bool take_exactly(sequence::ReadBatch& batch, std::size_t reads) {
    return fill(batch, reads, std::numeric_limits<std::size_t>::max(), 1);
  }
  /// Why nothing can be read after the reads taken so far; empty if the input has ended, or has more.
  std::exception_ptr failure() const { return failure_; }
  /// The file that a read of a batch came from, for messages.
  const std::string& file_name(std::uint32_t file) const { return files_[file].name; }
  /// Reads taken so far.
  std::uint64_t reads() const { return reads_; }
  /// How many of them were parsed by take() itself: one at each border of two blocks, and those with wrapped lines.
  std::uint64_t parsed_reads() const { return parsed_reads_; }

  /// Bytes of the files read so far, counted before decompression.
  std::uint64_t input_bytes() const;
  /// Size of all files; nothing if one of them is not a regular file.
  std::optional<std::uint64_t> total_bytes() const;

 private:
  // need_more: the window does not hold the whole record, which is parsed again with more text.
  enum class Parsed { record, need_more, end };

  // A position in the window while a record is parsed. Text is consumed only when the record is complete.
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

  struct File {
    std::string path;
    std::string name;  // for messages
    std::optional<std::uint64_t> size;
    std::string_view doubt = {};  // see TextBlocks
  };

  bool fill(sequence::ReadBatch& batch, std::size_t reads, std::size_t bases, std::size_t multiple);
  bool open_next_file();
  void open_file();
  void detect_format();
  bool next_records(sequence::ReadBatch& batch, std::size_t reads, std::size_t bases);
  void take_ready(const ReadWindow::Ready& ready, sequence::ReadBatch& batch, std::size_t reads, std::size_t bases);
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

  sequence::RecordOrigin origin_of(const Record& record) const;

  std::vector<File> files_;
  std::size_t next_file_ = 0;
  std::optional<CommentRule> comments_;  // nothing: comments are not kept
  bool whole_comments_ = false;
  std::size_t reads_per_batch_;
  std::size_t bases_per_batch_;
  TextBlocks::Options text_options_;
  std::unique_ptr<InputFile> opened_;
  std::unique_ptr<ReadWindow> text_;
  bool is_new_ = false;  // nothing was taken from text_
  ReadFormat format_ = ReadFormat::fastq;
  std::uint64_t line_ = 1;            // at the start of the window
  std::uint64_t finished_bytes_ = 0;  // of the files before this one
  std::uint64_t batches_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t parsed_reads_ = 0;
  std::size_t batch_bases_ = 0;
  std::exception_ptr failure_;  // after this error nothing more can be read
  std::string joined_bases_;    // of a record whose sequence has several lines
  std::string joined_qualities_;
  std::string clean_;
};

}  // namespace trawl::io
