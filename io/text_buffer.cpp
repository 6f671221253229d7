#include "io/text_buffer.hpp"

#include <cstring>

namespace trawl::io {

TextBuffer::TextBuffer(const std::string& path, unsigned threads, std::size_t size)
    : source_(path, threads), buffer_(size) {}

bool TextBuffer::refill() {
  if (at_end_) {
    return false;
  }
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  // More than half full: one record is larger than that. Growing by a factor keeps the work linear.
  if (end_ > buffer_.size() / 2) {
    buffer_.resize(buffer_.size() * 2);
  }
  const std::size_t room = buffer_.size() - end_;
  const std::size_t got = source_.read(buffer_.data() + end_, room);
  at_end_ = got < room;
  end_ += got;
  return got > 0;
}

}  // namespace trawl::io
