#include "io/read/read_window.hpp"

#include <algorithm>
#include <utility>

namespace trawl::io {

ReadWindow::ReadWindow(std::unique_ptr<InputFile> file, const TextBlocks::Options& options)
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
    // With the first character of the record, which tells that a FASTA record before it is complete.
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
  const ReadBlock::Run& run = block_->runs()[run_];
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
