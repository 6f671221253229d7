#include "io/read/record_parser.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "io/format/letters.hpp"
#include "io/read/foreign_format.hpp"
#include "io/read/record_check.hpp"

namespace trawl::io {
namespace {

bool ends_record(char c) { return c == '\n' || c == '\r'; }

}  // namespace

bool RecordParser::begin() {
  if (has_begun_) {
    return false;
  }
  has_begun_ = true;
  detect_format();
  return true;
}

void RecordParser::fail(std::uint64_t line, const std::string& what) const {
  throw InputError(text_.name(), line, what + std::string(text_.doubt()));
}

void RecordParser::detect_format() {
  while (text_.size() > 0 || text_.extend()) {
    const char c = *text_.begin();
    if (!ends_record(c)) {
      format_ = c == '>' ? ReadFormat::fasta : ReadFormat::fastq;
      text_.set_format(format_);
      while (text_.size() < kForeignFormatBytes && text_.extend()) {
      }
      const std::string foreign = foreign_reads({text_.begin(), text_.size()}, text_.name());
      if (!foreign.empty()) {
        throw InputError(text_.name(), 0, foreign);
      }
      if (c == '@' || c == '>') {
        return;
      }
      fail(line_, "begins with " + describe_character(c) +
                      ", so it is neither FASTQ ('@') nor FASTA ('>'); SAM needs its header: samtools view -h");
    }
    line_ += c == '\n' ? 1 : 0;
    text_.consume(1);
  }
}

bool RecordParser::take(sequence::ReadBatch& batch, BatchRoom& room) {
  for (;;) {
    if (const auto ready = text_.ready()) {
      take_ready(ready, batch, room);
      return true;
    }
    const Parsed parsed = parse(batch);
    if (parsed == Parsed::record) {
      ++parsed_reads_;
      room.used += latest_bases_;
    }
    if (parsed != Parsed::need_more) {
      return parsed == Parsed::record;
    }
    text_.extend();
  }
}

// Takes as many as the batch has room for; one if only the mate of its last read is missing.
void RecordParser::take_ready(const ReadWindow::Ready& ready, sequence::ReadBatch& batch, BatchRoom& room) {
  std::size_t count = 1;
  if (batch.size() < room.reads && room.used < room.bases) {
    const auto records = ready.records.first(std::min(room.reads - batch.size(), ready.records.size()));
    const std::uint64_t before = records[0].bases_end - records[0].length;
    const auto last = std::partition_point(records.begin(), records.end() - 1, [&](const auto& record) {
      return record.bases_end - before < room.bases - room.used;
    });
    count = static_cast<std::size_t>(last - records.begin()) + 1;
  }
  room.used += ready.bases(count);
  line_ = text_.take(ready, count, file_, line_, batch);
}

RecordParser::Parsed RecordParser::parse(sequence::ReadBatch& batch) {
  Cursor cursor{text_.begin(), line_};
  while (cursor.at != text_.end() && ends_record(*cursor.at)) {
    cursor.line += *cursor.at == '\n' ? 1 : 0;
    ++cursor.at;
  }
  // Blank lines need not stay in the window: there may be any number of them.
  line_ = cursor.line;
  text_.consume(static_cast<std::size_t>(cursor.at - text_.begin()));
  cursor.at = text_.begin();
  if (text_.size() == 0) {
    return text_.at_end() ? Parsed::end : Parsed::need_more;
  }
  return format_ == ReadFormat::fastq ? parse_fastq(cursor, batch) : parse_fasta(cursor, batch);
}

// The next line without its line end; false if not all of it is in the window.
bool RecordParser::take_line(Cursor& cursor, std::string_view& line) const {
  const auto left = static_cast<std::size_t>(text_.end() - cursor.at);
  const auto* newline = left > 0 ? static_cast<const char*>(std::memchr(cursor.at, '\n', left)) : nullptr;
  if (newline == nullptr && (!text_.at_end() || left == 0)) {
    return false;
  }
  const char* end = newline != nullptr ? newline : text_.end();
  line = std::string_view(cursor.at, static_cast<std::size_t>(end - cursor.at));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  cursor.at = newline != nullptr ? newline + 1 : end;
  ++cursor.line;
  return true;
}

RecordParser::Parsed RecordParser::incomplete(std::uint64_t line) const {
  if (!text_.at_end()) {
    return Parsed::need_more;
  }
  const std::string_view rest(text_.begin(), text_.size());
  if (rest.find('\n') == rest.npos && has_lone_cr(rest)) {
    fail(line, kLoneCr);
  }
  fail(line, "the last record is not complete; the file is truncated, copy or make it again");
}

// Four lines per record, as in nearly every file.
RecordParser::Parsed RecordParser::parse_fastq(Cursor cursor, sequence::ReadBatch& batch) {
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
      if (!text_.at_end() || !bases.empty()) {
        return incomplete(start.line);
      }
    }
    if (qualities.size() != bases.size()) {
      if (qualities.size() < bases.size()) {
        if (cursor.at == text_.end()) {
          if (!text_.at_end() || cursor.at[-1] != '\n') {
            return incomplete(start.line);
          }
        } else if (*cursor.at != '@' && !ends_record(*cursor.at)) {
          return parse_wrapped_fastq(start, batch);  // a sequence on one line, its qualities on several
        }
      }
      fail(start.line + 3, "the quality has " + std::to_string(qualities.size()) + " characters and the sequence " +
                               std::to_string(bases.size()) + "; both must have the same length");
    }
    add({header, bases, qualities, start.line, start.line + 3}, cursor, batch);
    return Parsed::record;
  }
  return parse_wrapped_fastq(start, batch);
}

// Sequence and qualities on several lines each. The qualities end when there are as many as letters.
RecordParser::Parsed RecordParser::parse_wrapped_fastq(Cursor cursor, sequence::ReadBatch& batch) {
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

RecordParser::Parsed RecordParser::parse_fasta(Cursor cursor, sequence::ReadBatch& batch) {
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
    if (cursor.at == text_.end()) {
      if (!text_.at_end()) {
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

// Copies a record without the ends of its lines. It is checked here, too: only here it is known which line is wrong.
void RecordParser::add(const ParsedRecord& record, const Cursor& after, sequence::ReadBatch& batch) {
  const RecordCheck check(text_.name(), record.line, text_.doubt());
  check.name_length(record.header.substr(1), record.header[0]);
  check.length(record.bases.size());
  joined_record_.assign(record.header).append(record.bases).append(record.qualities);
  const std::size_t bases = record.header.size();
  check.clean_bases(joined_record_.data() + bases, record.bases.size());
  check.qualities(record.qualities, record.qualities_line);
  const auto narrow = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
  batch.add_unchecked(joined_record_,
                      {.bases = narrow(bases),
                       .qualities = record.qualities.empty() ? 0 : narrow(bases + record.bases.size()),
                       .name_length = narrow(record.header.size() - 1),
                       .length = narrow(record.bases.size())},
                      {file_, record.line});
  latest_bases_ = record.bases.size();
  line_ = after.line;
  text_.consume(static_cast<std::size_t>(after.at - text_.begin()));
}

}  // namespace trawl::io
