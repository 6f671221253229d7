#include "io/read/read_source.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "io/format/letters.hpp"
#include "io/read/foreign_format.hpp"
#include "io/read/gzip/input_file.hpp"
#include "io/read/record_check.hpp"

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

bool ends_record(char c) { return c == '\n' || c == '\r'; }

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
    : reads_per_batch_(std::max<std::size_t>(reads_per_batch, 1)),
      bases_per_batch_(std::max<std::size_t>(bases_per_batch, 1)),
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
  for (const File& file : files_) {
    if (!file.size) {
      return std::nullopt;
    }
    bytes += *file.size;
  }
  return bytes;
}

// The number of reads is a multiple of `multiple`, unless nothing can be read after them.
bool ReadSource::fill(sequence::ReadBatch& batch, std::size_t reads, std::size_t bases, std::size_t multiple) {
  batch.clear();
  batch.number = batches_;
  batch.first_read = reads_;
  batch_bases_ = 0;
  try {
    const auto is_full = [&] {
      return (batch.size() >= reads || batch_bases_ >= bases) && batch.size() % multiple == 0;
    };
    while (!failure_ && !is_full() && next_records(batch, reads, bases)) {
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  // First give the reads before the error: check() may find an earlier error in them, and that one must be reported.
  if (failure_ && batch.empty()) {
    std::rethrow_exception(failure_);
  }
  batch.input_bytes = input_bytes();
  batch.is_fastq = format_ == ReadFormat::fastq;
  reads_ += batch.size();
  batches_ += batch.empty() ? 0 : 1;
  return !batch.empty();
}

std::uint64_t ReadSource::input_bytes() const { return finished_bytes_ + (text_ ? text_->input_bytes() : 0); }

void ReadSource::fail(std::uint64_t line, const std::string& what) const {
  throw InputError(text_->name(), line, what + std::string(text_->doubt()));
}

bool ReadSource::open_next_file() {
  if (text_) {
    finished_bytes_ += files_[next_file_ - 1].size.value_or(text_->input_bytes());
    text_.reset();
  }
  if (next_file_ == files_.size()) {
    return false;
  }
  open_file();
  return true;
}

void ReadSource::open() {
  if (next_file_ == 0 && !files_.empty()) {
    open_file();
  }
}

void ReadSource::open_file() {
  const std::string& path = files_[next_file_++].path;
  text_ = std::make_unique<ReadWindow>(opened_ ? std::move(opened_) : std::make_unique<InputFile>(path), text_options_);
  is_new_ = true;
  line_ = 1;
}

void ReadSource::detect_format() {
  while (text_->size() > 0 || text_->extend()) {
    files_[next_file_ - 1].doubt = text_->doubt();
    const char c = *text_->begin();
    if (!ends_record(c)) {
      format_ = c == '>' ? ReadFormat::fasta : ReadFormat::fastq;
      text_->set_format(format_);
      while (text_->size() < kForeignFormatBytes && text_->extend()) {
      }
      const std::string foreign = foreign_reads({text_->begin(), text_->size()}, text_->name());
      if (!foreign.empty()) {
        throw InputError(text_->name(), 0, foreign);
      }
      if (c == '@' || c == '>') {
        return;
      }
      fail(line_, "begins with " + describe_character(c) + ", so it is neither FASTQ ('@') nor FASTA ('>')");
    }
    line_ += c == '\n' ? 1 : 0;
    text_->consume(1);
  }
}

// Adds one read or more. The batch must have room for one.
bool ReadSource::next_records(sequence::ReadBatch& batch, std::size_t reads, std::size_t bases) {
  for (;;) {
    if (std::exchange(is_new_, false)) {
      detect_format();
    }
    if (const auto ready = text_ ? text_->ready() : ReadWindow::Ready{}) {
      take_ready(ready, batch, reads, bases);
      return true;
    }
    const Parsed parsed = text_ ? parse(batch) : Parsed::end;
    if (parsed == Parsed::record) {
      ++parsed_reads_;
      return true;
    }
    if (parsed == Parsed::need_more) {
      text_->extend();
    } else if (!open_next_file()) {
      return false;
    }
  }
}

// Takes as many as the batch has room for; one if only the mate of its last read is missing.
void ReadSource::take_ready(const ReadWindow::Ready& ready, sequence::ReadBatch& batch, std::size_t reads,
                            std::size_t bases) {
  std::size_t count = 1;
  if (batch.size() < reads && batch_bases_ < bases) {
    const auto records = ready.records.first(std::min(reads - batch.size(), ready.records.size()));
    const std::uint64_t before = records[0].bases_end - records[0].length;
    const auto last = std::partition_point(records.begin(), records.end() - 1, [&](const auto& record) {
      return record.bases_end - before < bases - batch_bases_;
    });
    count = static_cast<std::size_t>(last - records.begin()) + 1;
  }
  batch_bases_ += ready.bases(count);
  line_ = text_->take(ready, count, static_cast<std::uint32_t>(next_file_ - 1), line_, batch);
}

ReadSource::Parsed ReadSource::parse(sequence::ReadBatch& batch) {
  Cursor cursor{text_->begin(), line_};
  while (cursor.at != text_->end() && ends_record(*cursor.at)) {
    cursor.line += *cursor.at == '\n' ? 1 : 0;
    ++cursor.at;
  }
  // Blank lines need not stay in the window: there may be any number of them.
  line_ = cursor.line;
  text_->consume(static_cast<std::size_t>(cursor.at - text_->begin()));
  cursor.at = text_->begin();
  if (text_->size() == 0) {
    return text_->at_end() ? Parsed::end : Parsed::need_more;
  }
  return format_ == ReadFormat::fastq ? parse_fastq(cursor, batch) : parse_fasta(cursor, batch);
}

// The next line without its line end; false if not all of it is in the window.
bool ReadSource::take_line(Cursor& cursor, std::string_view& line) const {
  const auto left = static_cast<std::size_t>(text_->end() - cursor.at);
  const auto* newline = left > 0 ? static_cast<const char*>(std::memchr(cursor.at, '\n', left)) : nullptr;
  if (newline == nullptr && (!text_->at_end() || left == 0)) {
    return false;
  }
  const char* end = newline != nullptr ? newline : text_->end();
  line = std::string_view(cursor.at, static_cast<std::size_t>(end - cursor.at));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  cursor.at = newline != nullptr ? newline + 1 : end;
  ++cursor.line;
  return true;
}

ReadSource::Parsed ReadSource::incomplete(std::uint64_t line) const {
  if (!text_->at_end()) {
    return Parsed::need_more;
  }
  const std::string_view rest(text_->begin(), text_->size());
  if (rest.find('\n') == rest.npos && has_lone_cr(rest)) {
    fail(line, kLoneCr);
  }
  fail(line, "the last record is not complete; the file is truncated, copy or make it again");
}

// Four lines per record, as in nearly every file.
ReadSource::Parsed ReadSource::parse_fastq(Cursor cursor, sequence::ReadBatch& batch) {
  const Cursor start = cursor;
  if (*cursor.at != '@') {
    fail(cursor.line, "a record must begin with '@', not with " + describe_character(*cursor.at) +
                          "; perhaps a line before it is missing, or there is one too many");
  }
  std::string_view header;
  std::string_view bases;
  std::string_view plus;
  std::string_view qualities;
  if (!take_line(cursor, header) || !take_line(cursor, bases)) {
    return incomplete(start.line);
  }
  if (bases.starts_with('+')) {
    return parse_wrapped_fastq(start, batch);  // an empty read without a line for its sequence
  }
  if (!take_line(cursor, plus)) {
    return incomplete(start.line);
  }
  if (plus.starts_with('+')) {
    if (!take_line(cursor, qualities)) {
      // At the end of the file, the quality line of an empty read may be missing.
      if (!text_->at_end() || !bases.empty()) {
        return incomplete(start.line);
      }
    }
    if (qualities.size() != bases.size()) {
      if (qualities.size() < bases.size()) {
        if (cursor.at == text_->end()) {
          if (!text_->at_end() || cursor.at[-1] != '\n') {
            return incomplete(start.line);
          }
        } else if (*cursor.at != '@' && !ends_record(*cursor.at)) {
          return parse_wrapped_fastq(start, batch);  // a sequence on one line, its qualities on several
        }
      }
      fail(start.line + 3, "the quality has " + std::to_string(qualities.size()) + " characters and the sequence " +
                               std::to_string(bases.size()) + "; both must have the same length");
    }
    const Record record{header, bases, qualities, start.line, start.line + 3};
    if (bases.empty()) {
      add(record, cursor, batch);
    } else {
      add_lines(record, cursor, batch);
    }
    return Parsed::record;
  }
  return parse_wrapped_fastq(start, batch);
}

// Sequence and qualities on several lines each. The qualities end when there are as many as letters.
ReadSource::Parsed ReadSource::parse_wrapped_fastq(Cursor cursor, sequence::ReadBatch& batch) {
  const std::uint64_t first_line = cursor.line;
  std::string_view header;
  std::string_view line;
  take_line(cursor, header);
  joined_bases_.clear();
  for (;;) {
    if (!take_line(cursor, line)) {
      return incomplete(first_line);
    }
    if (line.starts_with('+')) {
      break;
    }
    if (line.starts_with('@')) {
      fail(cursor.line - 1,
           "the record of line " + std::to_string(first_line) + " has no line with '+' between sequence and quality");
    }
    joined_bases_ += line;
  }
  joined_qualities_.clear();
  const std::uint64_t qualities_line = cursor.line;
  while (joined_qualities_.size() < joined_bases_.size()) {
    if (!take_line(cursor, line)) {
      return incomplete(first_line);
    }
    joined_qualities_ += line;
  }
  if (joined_qualities_.size() != joined_bases_.size()) {
    fail(qualities_line, "the quality has " + std::to_string(joined_qualities_.size()) +
                             " characters and the sequence " + std::to_string(joined_bases_.size()) +
                             "; both must have the same length");
  }
  add({header, joined_bases_, joined_qualities_, first_line, qualities_line}, cursor, batch);
  return Parsed::record;
}

ReadSource::Parsed ReadSource::parse_fasta(Cursor cursor, sequence::ReadBatch& batch) {
  const Cursor start = cursor;
  if (*cursor.at != '>') {
    fail(cursor.line, "a record must begin with '>', not with " + describe_character(*cursor.at));
  }
  std::string_view header;
  std::string_view bases;
  std::string_view line;
  if (!take_line(cursor, header)) {
    return Parsed::need_more;
  }
  if (has_lone_cr(header)) {
    fail(start.line, kLoneCr);
  }
  std::size_t lines = 0;
  for (;;) {
    if (cursor.at == text_->end()) {
      if (!text_->at_end()) {
        return Parsed::need_more;
      }
      break;
    }
    if (*cursor.at == '>') {
      break;
    }
    if (!take_line(cursor, line)) {
      return Parsed::need_more;
    }
    if (lines == 0) {
      bases = line;
    } else if (lines == 1) {
      joined_bases_.assign(bases).append(line);
    } else {
      joined_bases_ += line;
    }
    ++lines;
  }
  add({header, lines > 1 ? std::string_view(joined_bases_) : bases, {}, start.line, 0}, cursor, batch);
  return Parsed::record;
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
  const File& file = files_[origin.file];
  const RecordCheck record(file.name, origin.line, file.doubt);
  const std::size_t name_length = record.name_length(batch.name(read), batch.mark(read));
  batch.set_marked_mate(read, marked_mate(batch.name(read).substr(name_length)));
  record.clean_bases(batch.mutable_bases(read), batch.length(read));
  record.qualities(batch.qualities(read), origin.line + 3);
  if (whole_comments_) {
    batch.set_comment(read, name_length, batch.name(read).size() - name_length);
  } else if (const std::size_t rest = batch.name(read).size() - name_length; comments_ && rest > 1) {
    const auto tags = record.comment(batch.mutable_after_name(read, name_length) + 1, rest - 1, *comments_);
    batch.set_comment(read, name_length + 1, tags.size());
  }
  batch.shorten_name(read, name_length);
  batch.set_checked(read);
}

sequence::RecordOrigin ReadSource::origin_of(const Record& record) const {
  return {static_cast<std::uint32_t>(next_file_ - 1), record.line};
}

void ReadSource::add(const Record& record, const Cursor& after, sequence::ReadBatch& batch) {
  const RecordCheck check(text_->name(), record.line, text_->doubt());
  const std::string_view name = record.header.substr(1);
  const std::size_t name_length = check.name_length(name, record.header[0]);
  check.length(record.bases.size());
  clean_.assign(record.bases);
  check.clean_bases(clean_.data(), clean_.size());
  check.qualities(record.qualities, record.qualities_line);
  std::string comment(whole_comments_                          ? name.substr(name_length)
                      : comments_ && name_length < name.size() ? name.substr(name_length + 1)
                                                               : "");
  comment.resize(whole_comments_ ? comment.size()
                 : comments_     ? check.comment(comment.data(), comment.size(), *comments_).size()
                                 : 0);
  batch.add(name.substr(0, name_length), clean_, record.qualities, origin_of(record),
            marked_mate(name.substr(name_length)), comment);
  consume(record, after);
}

// Adds the lines as they are in the window. Only the length is checked here, because the batch has 32 bits for it; the
// rest is checked later.
void ReadSource::add_lines(const Record& record, const Cursor& after, sequence::ReadBatch& batch) {
  RecordCheck(text_->name(), record.line, text_->doubt()).length(record.bases.size());
  const char* const begin = record.header.data();
  const auto at = [begin](std::string_view line) { return static_cast<std::size_t>(line.data() - begin); };
  const std::size_t size = at(record.qualities) + record.qualities.size();
  if (size > std::numeric_limits<std::uint32_t>::max()) {
    add(record, after, batch);
    return;
  }
  const auto narrow = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
  batch.add_unchecked({begin, size},
                      {.bases = narrow(at(record.bases)),
                       .qualities = narrow(at(record.qualities)),
                       .name_length = narrow(record.header.size() - 1),
                       .length = narrow(record.bases.size())},
                      origin_of(record));
  consume(record, after);
}

void ReadSource::consume(const Record& record, const Cursor& after) {
  batch_bases_ += record.bases.size();
  line_ = after.line;
  text_->consume(static_cast<std::size_t>(after.at - text_->begin()));
}

}  // namespace trawl::io
