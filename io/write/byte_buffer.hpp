// Bytes that grow at their end and are not initialised first.
//
//   ByteBuffer bytes;
//   char* at = bytes.room(100);     // at most 100 bytes more
//   at = std::copy_n("BAM\1", 4, at);
//   bytes.end_at(at);
//   bytes.view() == "BAM\1"
//   bytes.clear();                  // empty; keeps its memory
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "sequence/huge_array.hpp"

namespace trawl::io {

class ByteBuffer {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const char* data() const { return memory_.data(); }
  char* data() { return memory_.data(); }
  std::string_view view() const { return {memory_.data(), size_}; }
  std::string_view view(std::size_t begin, std::size_t end) const { return {memory_.data() + begin, end - begin}; }

  /// Memory for `more` bytes after the last one. What is there already may move. Throws std::bad_alloc.
  char* room(std::size_t more) {
    if (memory_.size() - size_ < more) {
      grow(more);
    }
    return memory_.data() + size_;
  }
  /// The bytes up to `end`, which was in the last room(), now belong to the buffer.
  void end_at(const char* end) { size_ = static_cast<std::size_t>(end - memory_.data()); }

  void append(std::string_view bytes) {
    if (!bytes.empty()) {
      std::memcpy(room(bytes.size()), bytes.data(), bytes.size());
      size_ += bytes.size();
    }
  }
  void clear() { size_ = 0; }

 private:
  void grow(std::size_t more) {
    constexpr std::size_t least = 4096;
    sequence::HugeArray<char> larger(std::max({least, 2 * memory_.size(), size_ + more}));
    if (size_ > 0) {
      std::memcpy(larger.data(), memory_.data(), size_);
    }
    memory_ = std::move(larger);
  }

  sequence::HugeArray<char> memory_;
  std::size_t size_ = 0;
};

}  // namespace trawl::io
