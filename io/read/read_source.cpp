#include "io/read/read_source.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "io/read/gzip/input_file.hpp"

namespace trawl::io {
namespace {

void check_readable(const std::string& path) {
  if (path == "-") {
    return;
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || ::access(path.c_str(), R_OK) != 0) {
    throw IoError(path, std::string("cannot open: ") + std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    throw IoError(path, "is a directory; name a file in it");
  }
}

// Illumina's mark after the name: " 1:N:0:ACGT" is the first mate, " 2:Y:0:" the second one. 0 without it.
unsigned marked_mate(std::string_view rest) {
  const bool has_mark = rest.size() > 4 && (rest[1] == '1' || rest[1] == '2') && rest[2] == ':' &&
                        (rest[3] == 'N' || rest[3] == 'Y') && rest[4] == ':';
  return has_mark ? static_cast<unsigned>(rest[1] - '0') : 0;
}

}  // namespace

ReadSource::ReadSource(const std::vector<std::string>& paths, std::size_t reads_per_batch, std::size_t bases_per_batch,
                       unsigned threads, std::size_t block_bytes,
                       std::shared_ptr<std::atomic<std::size_t>> taken_in_turn)
    : batch_{std::max<std::size_t>(reads_per_batch, 1), std::max<std::size_t>(bases_per_batch, 1)},
      text_options_{.threads = threads, .block_bytes = block_bytes, .taken_in_turn = std::move(taken_in_turn)} {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    throw UsageError("the standard input (-) can be read only once");
  }
  for (const std::string& path : paths) {
    check_readable(path);
    files_.push_back({path, display_name(path), file_size(path)});
  }
}

std::optional<std::uint64_t> ReadSource::total_bytes() const {
  std::uint64_t bytes = 0;
  for (const SourceFile& file : files_) {
    if (!file.size) {
      return std::nullopt;
    }
    bytes += *file.size;
  }
  return bytes;
}

// The number of reads is a multiple of `multiple`, unless nothing can be read after them.
bool ReadSource::fill(sequence::ReadBatch& batch, const BatchRoom& most, std::size_t multiple) {
  batch.clear();
  batch.number = batches_;
  batch.first_read = reads_;
  BatchRoom room = most;
  try {
    const auto is_full = [&] {
      return (batch.size() >= room.reads || room.used >= room.bases) && batch.size() % multiple == 0;
    };
    while (!failure_ && !is_full() && next_records(batch, room)) {
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  // First give the reads before the error: check() may find an earlier error in them, and that one must be reported.
  if (failure_ && batch.empty()) {
    std::rethrow_exception(failure_);
  }
  batch.input_bytes = input_bytes();
  batch.is_fastq = is_fastq_;
  reads_ += batch.size();
  batches_ += batch.empty() ? 0 : 1;
  return !batch.empty();
}

bool ReadSource::next_records(sequence::ReadBatch& batch, BatchRoom& room) {
  for (;;) {
    if (parser_ && parser_->begin()) {
      files_[next_file_ - 1].doubt = parser_->doubt();
      is_fastq_ = parser_->format() == ReadFormat::unknown ? is_fastq_ : parser_->format() == ReadFormat::fastq;
    }
    if (parser_ && parser_->take(batch, room)) {
      return true;
    }
    if (parser_) {
      finished_.bytes += files_[next_file_ - 1].size.value_or(parser_->input_bytes());
      finished_.parsed_reads += parser_->parsed_reads();
      parser_.reset();
      if (bam_) {
        bam_->finish();
      }
    }
    if (next_file_ == files_.size()) {
      return false;
    }
    open_file();
  }
}

void ReadSource::open() {
  if (next_file_ == 0 && !files_.empty()) {
    open_file();
  }
}

void ReadSource::open_file() {
  const std::size_t file = next_file_++;
  parser_ = std::make_unique<RecordParser>(text_of(file), text_options_, static_cast<std::uint32_t>(file));
}

std::unique_ptr<InputFile> ReadSource::text_of(std::size_t file) {
  auto input = opened_ ? std::move(opened_) : std::make_unique<InputFile>(files_[file].path);
  bam_.reset();
  if (text_options_.taken_in_turn && !input->is_regular()) {
    return input;
  }
  const bool is_bam = is_alignments(*input);
  const auto fail = [&](const std::string& what) { throw InputError(files_[file].name, 0, what); };
  if (is_bam && text_options_.taken_in_turn) {
    fail("has alignments, so it has both mates of a pair itself; give it alone: trawl map REF " + files_[file].name +
         ", trawl scan --interleaved " + files_[file].name + " PATTERNS");
  }
  if (file == 0) {
    has_alignments_ = comments_.alignments = is_bam;
  } else if (is_bam != has_alignments_) {
    fail("the files of a list must all be SAM, BAM or CRAM, or all FASTQ or FASTA; give them in two runs");
  }
  if (is_bam) {
    if (use_.phred64) {
      fail("--phred64 is for FASTQ; SAM, BAM and CRAM have one scale of qualities, so leave it out");
    }
    files_[file].size.reset();  // of the text it is not known
    bam_ = std::make_unique<BamText>(std::move(input), files_[file].path, text_options_.threads, use_.is_mapping,
                                     comments_.read_group);
    return bam_->open();
  }
  return input;
}

std::vector<std::string> ReadSource::headers() const {
  std::vector<std::string> headers;
  for (std::size_t f = 0; f < files_.size() && has_alignments_; ++f) {
    const std::string& path = files_[f].path;
    if (f > 0 && !file_size(path)) {
      throw InputError(files_[f].name, 0,
                       "only the first of several SAM, BAM or CRAM may be a pipe; join them: "
                       "samtools cat");
    }
    headers.push_back(f == 0 ? bam_->header()
                             : BamText(std::make_unique<InputFile>(path), path, 1, true, true).header());
  }
  return headers;
}

void ReadSource::check(sequence::ReadBatch& batch) const {
  batch.expand();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    check(batch, i);
  }
}

void ReadSource::check(sequence::ReadBatch& batch, std::size_t read) const {
  if (batch.is_checked(read)) {
    return;
  }
  const auto origin = batch.origin(read);
  const SourceFile& file = files_[origin.file];
  const std::uint64_t line = has_alignments_ ? 0 : origin.line;  // those of alignments are not known
  const RecordCheck record(file.name, line, file.doubt);
  const std::size_t name_length = record.name_length(batch.name(read), batch.mark(read));
  const std::string_view after_name = batch.name(read).substr(name_length);
  const bool has_word = has_alignments_ && use_.is_mapping;
  unsigned marks = marked_mate(after_name);
  if (has_word) {
    const BamWord word = bam_word(after_name.substr(1));
    marks = word.mate | (word.has_failed ? sequence::ReadBatch::kFailed : 0);
    if (!word.has_qualities) {
      batch.drop_qualities(read);
    }
  }
  batch.set_marks(read, marks);
  record.clean_bases(batch.mutable_bases(read), batch.length(read));
  if (use_.phred64) {
    record.lower_qualities(batch.mutable_qualities(read), batch.qualities(read).size(), line + 3);
  }
  record.qualities(batch.qualities(read), has_alignments_ ? 0 : line + 3);
  if (comments_.whole && !has_word) {
    batch.set_comment(read, name_length, after_name.size());
  } else if ((!comments_.tags.empty() || has_word) && after_name.size() > 1) {
    const auto tags = record.comment(batch.mutable_after_name(read, name_length) + 1, after_name.size() - 1, comments_);
    batch.set_comment(read, name_length + 1, tags.size());
  }
  batch.shorten_name(read, name_length);
  batch.set_checked(read);
}

}  // namespace trawl::io
