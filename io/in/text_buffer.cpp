#include "io/in/text_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace trawl::io {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

TextBuffer::TextBuffer(const std::string& path, unsigned threads, std::size_t size)
    : source_(path, threads), buffer_(std::max(size, kByteOrderMark.size())) {}

bool TextBuffer::refill() {
  if (at_end_) {
    return false;
  }
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  // The buffer is more than half full of one record. Growing it by a factor keeps the total work linear.
  if (end_ > buffer_.size() / 2) {
    buffer_.resize(buffer_.size() * 2);
  }
  const std::size_t room = buffer_.size() - end_;
  const std::size_t got = source_.read(buffer_.data() + end_, room);
  at_end_ = got < room;
  end_ += got;
  const bool is_first = text_size_ == 0;
  text_size_ += got;
  if (is_first && std::string_view(begin(), end_).starts_with(kByteOrderMark)) {
    begin_ = kByteOrderMark.size();
    return begin_ < end_ || refill();
  }
  return got > 0;
}

std::uint64_t TextBuffer::consumed(std::size_t unused) const {
  const std::uint64_t used = text_size_ - std::min<std::uint64_t>(text_size_, end_ - begin_ + unused);
  const std::uint64_t bytes = source_.consumed();
  return used == text_size_ ? bytes
                            : static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(used) /
                                                         static_cast<double>(text_size_));
}

}  // namespace trawl::io
