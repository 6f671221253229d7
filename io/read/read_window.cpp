#include "io/read/read_window.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace trawl::io {

namespace {

using Record = ReadBlock::Record;

// The rest of a block, line by line. Lines that the block does not have completely are not given.
struct Lines {
  const char* at;
  const char* end;
  std::uint32_t line = 0;

  bool next(std::string_view& text) {
    const auto* newline = at == end ? nullptr : static_cast<const char*>(std::memchr(at, '\n', size()));
    if (newline == nullptr) {
      return false;
    }
    text = std::string_view(at, static_cast<std::size_t>(newline - at));
    if (text.ends_with('\r')) {
      text.remove_suffix(1);
    }
    at = newline + 1;
    ++line;
    return true;
  }

  bool begin_with(char c) const { return at != end && *at == c; }

  void skip_line_ends() {
    while (begin_with('\n') || begin_with('\r')) {
      line += *at++ == '\n' ? 1 : 0;
    }
  }

 private:
  std::size_t size() const { return static_cast<std::size_t>(end - at); }
};

// The record that lies in the text of a block; without bases it has no line for them.
void place_record(const char* block, std::string_view header, std::string_view bases, Record& record) {
  record.at = static_cast<std::uint32_t>(header.data() - block);
  record.name_length = static_cast<std::uint32_t>(header.size() - 1);
  record.bases = bases.data() == nullptr ? record.at : static_cast<std::uint32_t>(bases.data() - block);
  record.length = static_cast<std::uint32_t>(bases.size());
}

// A record at the start of the lines, and the lines after it; or false.
struct CutFastq {
  const char* block;

  bool operator()(Lines& lines, Record& record) const {
    lines.skip_line_ends();
    record.line = lines.line;
    std::string_view header;
    std::string_view bases;
    std::string_view plus;
    std::string_view qualities;
    if (!lines.begin_with('@') || !lines.next(header) || !lines.next(bases) || bases.starts_with('+') ||
        !lines.begin_with('+') || !lines.next(plus) || !lines.next(qualities) || qualities.size() != bases.size()) {
      return false;
    }
    place_record(block, header, bases, record);
    record.qualities = static_cast<std::uint32_t>(qualities.data() - block);
    return true;
  }
};

// The record ends where the next one begins, so the block must have that place, too.
struct CutFasta {
  const char* block;

  bool operator()(Lines& lines, Record& record) const {
    lines.skip_line_ends();
    record.line = lines.line;
    std::string_view header;
    if (!lines.begin_with('>') || !lines.next(header) || header.find('\r') != header.npos) {
      return false;
    }
    std::string_view bases;
    if (!lines.begin_with('>') && !lines.next(bases)) {
      return false;
    }
    std::string_view blank;
    while (!lines.begin_with('>')) {
      if (!lines.next(blank) || !blank.empty()) {
        return false;
      }
    }
    place_record(block, header, bases, record);
    record.qualities = 0;
    return true;
  }
};

}  // namespace

void ReadBlock::prepare() {
  records_.clear();
  runs_.clear();
  format_ = known_format_->load(std::memory_order_relaxed);
  if (size() > std::numeric_limits<std::int32_t>::max()) {
    return;  // the numbers of a record have no room for it
  }
  if (format_ != ReadFormat::fasta) {
    find_runs(CutFastq{begin()});
  }
  if (format_ == ReadFormat::unknown) {
    format_ = records_.empty() ? ReadFormat::fasta : ReadFormat::fastq;
  }
  if (format_ == ReadFormat::fasta) {
    find_runs(CutFasta{begin()});
  }
}

// A run begins at the first line from which a record can be cut. A quality line that begins with '@' is not taken for
// a header, because the second line after it is a sequence, which does not begin with '+'.
template <class Cut>
void ReadBlock::find_runs(Cut cut) {
  std::uint32_t bases = 0;
  const char* at = begin();
  while (at != end()) {
    const std::size_t first = records_.size();
    Lines lines{at, end()};
    Lines after = lines;
    for (Record record; cut(after, record); lines = after) {
      bases += record.length;
      record.bases_end = bases;
      records_.push_back(record);
    }
    at = lines.at;
    if (records_.size() > first) {
      runs_.push_back(
          {static_cast<std::uint32_t>(records_.size()), static_cast<std::uint32_t>(at - begin()), lines.line});
    }
    // All blank lines at once: what cannot be cut after one of them cannot be cut after the next one.
    lines.skip_line_ends();
    at = lines.at;
    const auto* newline =
        at == end() ? nullptr : static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end() - at)));
    at = newline != nullptr ? newline + 1 : end();
  }
}

ReadWindow::ReadWindow(std::unique_ptr<InputFile> file, const TextOptions& options)
    : format_(std::make_shared<std::atomic<ReadFormat>>(ReadFormat::unknown)),
      blocks_(std::make_shared<TextBlocks>(std::move(file), options,
                                           [format = format_] { return std::make_unique<ReadBlock>(format); })) {}

// The block goes back to its file when the last batch with its reads is gone, or is freed if the file is closed.
std::shared_ptr<ReadBlock> ReadWindow::next_block() {
  std::unique_ptr<TextBlock> block = blocks_->next();
  if (block == nullptr) {
    return nullptr;
  }
  bytes_before_ = block_ ? block_->input_bytes() : 0;
  return {static_cast<ReadBlock*>(block.release()), [blocks = std::weak_ptr(blocks_)](ReadBlock* read) {
            std::unique_ptr<TextBlock> unused(read);
            if (const auto file = blocks.lock()) {
              file->give_back(std::move(unused));
            }
          }};
}

void ReadWindow::enter_block(std::size_t at) {
  in_block_ = true;
  at_ = block_->begin() + at;
  end_ = block_->end();
  record_ = 0;
  run_ = 0;
}

void ReadWindow::consume(std::size_t size) {
  at_ += size;
  const auto unread_start = joined_.size() - joined_from_block_;
  if (!in_block_ && at_ >= joined_.data() + unread_start) {
    enter_block(static_cast<std::size_t>(at_ - (joined_.data() + unread_start)));
  }
}

// After a block, the text up to its first record is usually enough. For a record that is longer, the window grows by a
// factor: this keeps the total work linear.
bool ReadWindow::extend() {
  if (in_block_) {
    auto block = next_block();
    if (block == nullptr) {
      at_end_ = true;
      return false;
    }
    joined_.assign(at_, end_);
    block_ = std::move(block);
    if (joined_.empty()) {
      enter_block(0);
      return true;
    }
    in_block_ = false;
    // With the first character of the record, which shows that a FASTA record before it is complete.
    joined_from_block_ = block_->records().empty() ? block_->size() : block_->records()[0].at + std::size_t{1};
    append(block_->begin(), block_->begin() + joined_from_block_);
  } else {
    const std::size_t before = size();
    joined_.erase(joined_.begin(), joined_.end() - static_cast<std::ptrdiff_t>(before));
    append(block_->begin() + joined_from_block_, block_->end());
    joined_from_block_ = block_->size();
    while (joined_.size() < 2 * before) {
      std::shared_ptr<ReadBlock> block;
      try {
        block = next_block();
      } catch (...) {
        if (joined_.size() > before) {
          break;  // what is wrong with the text before it comes first; after that the same is thrown again
        }
        throw;
      }
      if (block == nullptr) {
        at_end_ = joined_.size() == before;
        break;
      }
      block_ = std::move(block);
      append(block_->begin(), block_->end());
      joined_from_block_ = block_->size();
    }
  }
  return !at_end_;
}

void ReadWindow::append(const char* begin, const char* end) {
  joined_.insert(joined_.end(), begin, end);
  at_ = joined_.data();
  end_ = joined_.data() + joined_.size();
}

ReadWindow::Ready ReadWindow::ready() {
  if (!in_block_ || block_ == nullptr || record_ == block_->records().size() ||
      block_->format() != format_->load(std::memory_order_relaxed)) {
    return {};
  }
  const char* at = at_;
  std::uint64_t lines = 0;
  for (; at != end_ && (*at == '\n' || *at == '\r'); ++at) {
    lines += *at == '\n' ? 1 : 0;
  }
  const auto records = block_->records();
  const auto offset = static_cast<std::size_t>(at - block_->begin());
  while (record_ < records.size() && records[record_].at < offset) {
    ++record_;
  }
  if (record_ == records.size() || records[record_].at != offset) {
    return {};
  }
  while (block_->runs()[run_].end_record <= record_) {
    ++run_;
  }
  return {records.subspan(record_, block_->runs()[run_].end_record - record_), lines};
}

std::uint64_t ReadWindow::take(const Ready& ready, std::size_t count, std::uint32_t file, std::uint64_t line,
                               sequence::ReadBatch& batch) {
  const std::uint64_t first_line = line + ready.lines_before - ready.records[0].line;
  batch.add_records({block_, block_->begin(), ready.records.first(count), file, first_line});
  record_ += count;
  if (count < ready.records.size()) {
    at_ = block_->begin() + ready.records[count].at;
    return first_line + ready.records[count].line;
  }
  const ReadBlock::RecordRun& run = block_->runs()[run_];
  at_ = block_->begin() + run.end;
  return first_line + run.end_line;
}

std::uint64_t ReadWindow::input_bytes() const {
  if (block_ == nullptr) {
    return 0;
  }
  const std::uint64_t bytes_after = std::max(block_->input_bytes(), bytes_before_);
  const double part =
      in_block_ ? static_cast<double>(at_ - block_->begin()) / static_cast<double>(block_->size()) : 0.0;
  return bytes_before_ + static_cast<std::uint64_t>(part * static_cast<double>(bytes_after - bytes_before_));
}

}  // namespace trawl::io
