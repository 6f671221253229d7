// Reads from FASTQ and FASTA files, and from SAM, BAM and CRAM, in batches.
//
//   ReadSource source({"reads.fq.gz", "reads_1.fq"});
//   sequence::ReadBatch batch;
//   while (source.next(batch)) { ... }        // batch.number, batch.name(0), batch.bases(0) ...
//   source.reads() == 3
//
// The first characters of a file show its format, for example '@' FASTQ, '>' FASTA. A sequence may have several lines,
// and lines may end in CRLF. Lower case is read as upper case, '.' as N. A name ends at the first white space; /1 or /2
// at its end is kept.
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

#include "io/read/bam_text.hpp"
#include "io/read/record_check.hpp"
#include "io/read/record_parser.hpp"
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
                      std::size_t block_bytes = TextOptions{}.block_bytes,
                      std::shared_ptr<std::atomic<std::size_t>> taken_in_turn = nullptr);

  /// Uses a first file that is already open, and of which nothing was read. Before the first take().
  void use_open(std::unique_ptr<InputFile> file) { opened_ = std::move(file); }

  /// Opens the first file, which the first take() does otherwise, and finds out whether it has alignments. With
  /// `taken_in_turn` nothing is taken from a pipe, so that several sources can be opened before one of them waits for
  /// data. Opening a FIFO waits for its writer. Throws IoError, InputError.
  void open();
  /// After open(): the headers of SAM, BAM and CRAM files, by file; empty if the reads are FASTQ or FASTA. Throws
  /// IoError, InputError.
  std::vector<std::string> headers() const;
  /// After open().
  bool has_alignments() const { return has_alignments_; }

  /// Lets check() keep the SAM tags in the comments of reads. Before the first take().
  void keep_comments(const CommentRule& rule) { comments_ = rule; }
  /// For a mapper: the mates of an alignment file are grouped, and marked as such. `phred64`: qualities of FASTQ are
  /// Phred+64, and check() changes them. Before the first take().
  void set_for_mapping(bool phred64) { use_ = {true, phred64}; }

  /// See TextOptions. Before the first take().
  void set_on_text(const std::function<void(std::size_t)>& on_text) { text_options_.on_text = on_text; }

  /// For the next batches.
  void set_reads_per_batch(std::size_t reads) { batch_.reads = reads; }
  void set_bases_per_batch(std::size_t bases) { batch_.bases = bases; }

  /// Puts the next reads into the batch; false if there are no more. Throws InputError, IoError.
  bool next(sequence::ReadBatch& batch) { return take(batch) && (check(batch), true); }

  /// next() in two steps. take() splits the input into records; most were found before, when their block was prepared.
  /// check() then checks their letters; several batches can be checked at the same time. A batch must not be used
  /// before it is checked; only its size is known. If take() finds an error, it first returns all reads before the
  /// error. So the first error of the input is reported, whatever the size of the batches.
  bool take(sequence::ReadBatch& batch) { return fill(batch, batch_, 1); }
  void check(sequence::ReadBatch& batch) const;
  /// The same for one read, after batch.expand().
  void check(sequence::ReadBatch& batch, std::size_t read) const;

  /// take() for mates that follow each other: an even number of reads. The number is odd only if nothing can be read
  /// after them.
  bool take_even(sequence::ReadBatch& batch) { return fill(batch, batch_, 2); }
  /// take() with exactly this number of reads, however many bases they have. There are fewer only if nothing can be
  /// read after them.
  bool take_exactly(sequence::ReadBatch& batch, std::size_t reads) {
    return fill(batch, {reads, std::numeric_limits<std::size_t>::max()}, 1);
  }
  /// Why nothing can be read after the reads taken so far; empty if the input has ended, or has more.
  std::exception_ptr failure() const { return failure_; }
  /// The file that a read of a batch came from, for messages.
  const std::string& file_name(std::uint32_t file) const { return files_[file].name; }
  /// Reads taken so far.
  std::uint64_t reads() const { return reads_; }
  /// How many of them a RecordParser has parsed one by one.
  std::uint64_t parsed_reads() const { return finished_.parsed_reads + (parser_ ? parser_->parsed_reads() : 0); }

  /// Bytes of the files read so far, counted before decompression.
  std::uint64_t input_bytes() const { return finished_.bytes + (parser_ ? parser_->input_bytes() : 0); }
  /// Size of all files; nothing if one of them is not a regular file.
  std::optional<std::uint64_t> total_bytes() const;

 private:
  struct SourceFile {
    std::string path;
    std::string name;  // for messages
    std::optional<std::uint64_t> size;
    std::string_view doubt = {};  // see TextBlocks
  };
  // The counts of the files before this one.
  struct Finished {
    std::uint64_t bytes = 0;
    std::uint64_t parsed_reads = 0;
  };

  bool fill(sequence::ReadBatch& batch, const BatchRoom& most, std::size_t multiple);
  bool next_records(sequence::ReadBatch& batch, BatchRoom& room);
  void open_file();
  std::unique_ptr<InputFile> text_of(std::size_t file);

  std::vector<SourceFile> files_;
  std::size_t next_file_ = 0;
  CommentRule comments_{.tags = ""};
  struct {
    bool is_mapping = false;
    bool phred64 = false;
  } use_;
  BatchRoom batch_;
  TextOptions text_options_;
  std::unique_ptr<InputFile> opened_;
  std::unique_ptr<BamText> bam_;          // of the latest file, if it has alignments
  bool has_alignments_ = false;           // the files have alignments
  std::unique_ptr<RecordParser> parser_;  // of the latest file
  bool is_fastq_ = true;
  Finished finished_;
  std::uint64_t batches_ = 0;
  std::uint64_t reads_ = 0;
  std::exception_ptr failure_;  // after this error nothing more can be read
};

}  // namespace trawl::io
